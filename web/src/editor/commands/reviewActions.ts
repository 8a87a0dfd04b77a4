// Actions on proposed cuts: go through them, accept or reject them, and compare before and after.

import type { EditType, Placement } from '../../api/edits'
import { commandsText } from '../../text/editor/commands'
import { adjacentCut, mutes, reviewList, sortEdits } from '../edits/cuts'
import { kindOf } from '../edits/kinds'
import {
  indexOfCut,
  reviewRows,
  rowsByEdit,
  selectedRow as rowOfSelected,
  startsOf,
  withParts,
  type ReviewRow,
} from '../edits/stretches'
import { auditionSegments, stepFrames } from '../plan/playback'
import type { EditorModel } from '../state/contexts'
import { hintUsed } from '../state/hints'
import { useEditorStore } from '../state/store'

const labels = commandsText.changes
const ui = () => useEditorStore.getState()

/** What the selected cut stands for: its stretch, or a part of it. */
export const selectedRow = (m: EditorModel): ReviewRow | undefined => rowOfSelected(m, ui())

/** The selected placed asset. */
export const selectedPlacement = ({ placements }: EditorModel): Placement | undefined =>
  placements.find((e) => e.uuid === ui().selected)

/** The cuts of rows that can be changed now. */
export const openCuts = ({ isLocked }: EditorModel, rows: readonly ReviewRow[]) =>
  rows.flatMap((row) => row.cuts).filter((e) => !isLocked(e))

/** Selects a row of the list and moves the playhead to its first frame. */
export function goToRow({ player, layout, rates }: EditorModel, row: ReviewRow): void {
  ui().select(row.uuid, row.part)
  player?.pause()
  player?.seek(stepFrames(layout, rates, row.start_ms, 0))
}

/** Switches the cuts of a row on or off. */
export function toggleRow(m: EditorModel, row: ReviewRow, active = !row.active): void {
  const cuts = openCuts(m, [row]).map((e) => e.uuid)
  m.history.toggle(cuts, active, active ? labels.acceptCut : labels.rejectCut)
}

/** Switches a placed asset on or off. */
export function togglePlacement({ history, isLocked }: EditorModel, placement: Placement): void {
  if (isLocked(placement)) return
  const active = !placement.active
  history.toggle([placement.uuid], active, active ? labels.showAsset : labels.hideAsset)
}

/** Switches the cuts of several rows on or off. */
export function toggleRows(m: EditorModel, rows: readonly ReviewRow[], active: boolean): void {
  const cuts = openCuts(m, rows).map((e) => e.uuid)
  m.history.toggle(cuts, active, (active ? labels.acceptCuts : labels.rejectCuts)(rows.length))
}

/** Mutes or cuts with several rows; rejected ones become active. */
export function muteRows(m: EditorModel, rows: readonly ReviewRow[], mute: boolean): void {
  m.history.perform((mute ? labels.muteCuts : labels.cutCuts)(rows.length), {
    change: openCuts(m, rows).map((e) => ({ uuid: e.uuid, to: { action: mute ? 'mute' : 'cut', active: true } })),
  })
}

/** The rows that are chosen together in the list; empty below two. */
function chosenRows({ rows }: EditorModel): ReviewRow[] {
  const chosen = new Set(ui().chosen)
  return chosen.size > 1 ? rows.filter((row) => chosen.has(row.uuid)) : []
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

/** Mutes a row instead of cutting it, or cuts it again. A rejected one becomes an active mute. */
export function toggleMute(m: EditorModel, row: ReviewRow): void {
  const cuts = openCuts(m, [row])
  if (row.active && mutes(row))
    m.history.perform(labels.cutAgain, { change: cuts.map((e) => ({ uuid: e.uuid, to: { action: 'cut' } })) })
  else
    m.history.perform(labels.muteCut, {
      change: cuts.map((e) => ({ uuid: e.uuid, to: { action: 'mute', active: true } })),
    })
}

/** Mutes or cuts with all edits of a kind, whether they are active or not. */
export function muteKind({ history, edits, isLocked }: EditorModel, kind: EditType, mute: boolean): void {
  const cuts = edits.filter((e) => e.type === kind && !isLocked(e))
  history.perform((mute ? labels.muteAll : labels.cutAll)(kindOf(kind).labelPlural), {
    change: cuts.map((e) => ({ uuid: e.uuid, to: { action: mute ? 'mute' : 'cut' } })),
  })
}

/** Plays the footage of a row as recorded (before) or removed or muted (after), with the footage around it. */
export function playRow(
  { player, edited, layout, muted }: EditorModel,
  row: ReviewRow,
  which: 'before' | 'after',
): void {
  const span = { startMs: row.start_ms, endMs: row.end_ms }
  if (which === 'before') player?.audition(auditionSegments(edited, layout, span, 'before'))
  // The footage of a mute stays.
  else if (mutes(row)) player?.audition(auditionSegments(edited, layout, span, 'before'), [span])
  else player?.audition(auditionSegments(edited, layout, span, 'after'), muted)
}

export const playSelectedCut = (which: 'before' | 'after') => (m: EditorModel) => {
  const row = selectedRow(m)
  if (row) playRow(m, row, which)
}

/** Goes to the next (1) or previous (-1) row of the list of cuts. */
export const stepCuts = (direction: 1 | -1) => (m: EditorModel) => step(m, m, direction)

function step(m: EditorModel, { rows, rowOf }: Pick<EditorModel, 'rows' | 'rowOf'>, direction: 1 | -1): void {
  const { review, opened } = ui()
  // Without a selection, a list by confidence is entered at its start or end: the playhead says nothing about its order.
  const outside = direction === 1 ? -1 : Infinity
  const from = review.order === 'time' ? (m.player?.position() ?? 0) : outside
  const list = withParts(reviewList(rows, review), opened)
  const next = adjacentCut(list, indexOfCut(list, rowOf, ui()), from, direction)
  if (next) goToRow(m, next)
}

export function toggleSelected(m: EditorModel): void {
  const chosen = chosenRows(m)
  if (chosen.length > 0)
    return toggleRows(
      m,
      chosen,
      chosen.some((row) => !row.active),
    )
  const row = selectedRow(m)
  const placement = selectedPlacement(m)
  if (row) toggleRow(m, row)
  else if (placement) togglePlacement(m, placement)
}

// rowsNow is the rows after the changes so far, which the model does not know yet.
function rowsNow(m: EditorModel): Pick<EditorModel, 'rows' | 'rowOf'> {
  if (m.previewing || m.provisional) return m
  const rows = reviewRows(sortEdits(m.history.snapshot().edits), startsOf(m.layout))
  return { rows, rowOf: rowsByEdit(rows) }
}

/** Accepts or rejects the chosen rows, or the selected one and goes to the next one. Without any, it goes to the next one. */
export const decide = (active: boolean) => (m: EditorModel) => {
  hintUsed('review')
  const chosen = chosenRows(m)
  if (chosen.length > 0) return toggleRows(m, chosen, active)
  if (selectedPlacement(m)) return
  const row = selectedRow(m)
  if (row) toggleRow(m, row, active)
  step(m, rowsNow(m), 1)
}
