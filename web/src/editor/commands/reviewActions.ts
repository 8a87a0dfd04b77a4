// Actions on proposed cuts: go through them, accept or reject them, and compare before and after.

import type { AnyEdit, Edit, EditType } from '../../api/edits'
import { commandsText } from '../../text/editor/commands'
import { adjacentCut, isCut, mutes, reviewList } from '../edits/cuts'
import { kindOf } from '../edits/kinds'
import { auditionSegments, stepFrames } from '../plan/playback'
import type { EditorModel } from '../state/contexts'
import { useEditorStore } from '../state/store'

const labels = commandsText.changes
const ui = () => useEditorStore.getState()

/** The selected cut or placed asset. */
export const selectedEdit = ({ edits, placements }: EditorModel): AnyEdit | undefined =>
  [...edits, ...placements].find((e) => e.uuid === ui().selected)

/** Selects a cut and moves the playhead to its first frame. */
export function goToCut({ player, layout, rates }: EditorModel, cut: Edit): void {
  ui().select(cut.uuid)
  player?.pause()
  player?.seek(stepFrames(layout, rates, cut.start_ms, 0))
}

/** Switches a cut or placed asset on or off. */
export function toggleEdit({ history, isLocked }: EditorModel, edit: AnyEdit, active = !edit.active): void {
  if (isLocked(edit)) return
  const label = isCut(edit)
    ? active
      ? labels.acceptCut
      : labels.rejectCut
    : active
      ? labels.showAsset
      : labels.hideAsset

  history.toggle([edit.uuid], active, label)
}

/** Switches several cuts on or off. */
export function toggleCuts({ history, isLocked }: EditorModel, cuts: readonly Edit[], active: boolean): void {
  const open = cuts.filter((e) => !isLocked(e))
  history.toggle(
    open.map((e) => e.uuid),
    active,
    (active ? labels.acceptCuts : labels.rejectCuts)(open.length),
  )
}

/** Mutes or cuts with several edits; rejected ones become active. */
export function muteCuts({ history, isLocked }: EditorModel, cuts: readonly Edit[], mute: boolean): void {
  const open = cuts.filter((e) => !isLocked(e))
  history.perform((mute ? labels.muteCuts : labels.cutCuts)(open.length), {
    change: open.map((e) => ({ uuid: e.uuid, to: { action: mute ? 'mute' : 'cut', active: true } })),
  })
}

// chosenCuts are the cuts that are chosen together in the list; empty below two.
const chosenCuts = ({ edits }: EditorModel): Edit[] => {
  const { chosen } = ui()
  return chosen.length > 1 ? edits.filter((e) => chosen.includes(e.uuid)) : []
}

/** Switches all cuts of a kind on or off. */
export function toggleKind({ history, edits, isLocked }: EditorModel, kind: EditType, active: boolean): void {
  const cuts = edits.filter((e) => e.type === kind && !isLocked(e))
  history.toggle(
    cuts.map((e) => e.uuid),
    active,
    (active ? labels.acceptAll : labels.rejectAll)(kindOf(kind).labelPlural),
  )
}

/** Mutes an edit instead of cutting it, or cuts it again. A rejected edit becomes an active mute. */
export function toggleMute({ history, isLocked }: EditorModel, cut: Edit): void {
  if (isLocked(cut)) return
  if (cut.active && mutes(cut))
    history.perform(labels.cutAgain, { change: [{ uuid: cut.uuid, to: { action: 'cut' } }] })
  else history.perform(labels.muteCut, { change: [{ uuid: cut.uuid, to: { action: 'mute', active: true } }] })
}

/** Mutes or cuts with all edits of a kind, whether they are active or not. */
export function muteKind({ history, edits, isLocked }: EditorModel, kind: EditType, mute: boolean): void {
  const cuts = edits.filter((e) => e.type === kind && !isLocked(e))
  history.perform((mute ? labels.muteAll : labels.cutAll)(kindOf(kind).labelPlural), {
    change: cuts.map((e) => ({ uuid: e.uuid, to: { action: mute ? 'mute' : 'cut' } })),
  })
}

/** Plays a cut as recorded (before) or removed or muted (after), with the footage around it. */
export function playCut({ player, edited, layout, muted }: EditorModel, cut: Edit, which: 'before' | 'after'): void {
  const span = { startMs: cut.start_ms, endMs: cut.end_ms }
  if (which === 'before') player?.audition(auditionSegments(edited, layout, span, 'before'))
  // The footage of a mute stays.
  else if (mutes(cut)) player?.audition(auditionSegments(edited, layout, span, 'before'), [span])
  else player?.audition(auditionSegments(edited, layout, span, 'after'), muted)
}

export const playSelectedCut = (which: 'before' | 'after') => (m: EditorModel) => {
  const edit = selectedEdit(m)
  if (edit && isCut(edit)) playCut(m, edit, which)
}

/** Goes to the next (1) or previous (-1) cut of the review list. */
export const stepCuts = (direction: 1 | -1) => (m: EditorModel) => {
  const { review, selected } = ui()
  // Without a selection, a list by confidence is entered at its start or end: the playhead says nothing about its order.
  const outside = direction === 1 ? -1 : Infinity
  const from = review.order === 'time' ? (m.player?.position() ?? 0) : outside
  const next = adjacentCut(reviewList(m.edits, review), selected, from, direction)
  if (next) goToCut(m, next)
}

export function toggleSelected(m: EditorModel): void {
  const chosen = chosenCuts(m)
  if (chosen.length > 0)
    return toggleCuts(
      m,
      chosen,
      chosen.some((e) => !e.active),
    )
  const edit = selectedEdit(m)
  if (edit) toggleEdit(m, edit)
}

/** Accepts or rejects the chosen cuts, or the selected cut and goes to the next one. Without any, it goes to the next one. */
export const decide = (active: boolean) => (m: EditorModel) => {
  const chosen = chosenCuts(m)
  if (chosen.length > 0) return toggleCuts(m, chosen, active)
  const edit = selectedEdit(m)
  if (edit && !isCut(edit)) return
  if (edit) toggleEdit(m, edit, active)
  stepCuts(1)(m)
}
