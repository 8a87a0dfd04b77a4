// Actions that change cuts and placed assets.

import { toast } from 'sonner'
import { commandsText as text } from '../../text/editor/commands'
import {
  movePlacement,
  newPlacement,
  resizePlacement,
  splitPlacement,
  type Place,
  type Placeable,
} from '../edits/placements'
import { edgeFits, isCut, newCut, restoredSpan, restoreSpan, restoreSpans, spanOf, splitCut } from '../edits/cuts'
import { stepFrames } from '../plan/playback'
import type { EditorModel } from '../state/contexts'
import { useEditorStore } from '../state/store'
import { footageOfWords, wordAt, wordsWithin } from '../edits/words'
import { selectedEdit, toggleMute } from './reviewActions'

const labels = text.changes
const ui = () => useEditorStore.getState()
const playhead = ({ player }: EditorModel) => Math.round(player?.position() ?? 0)
const assetLength = ({ assets }: EditorModel, file: string) => assets.get(file)?.duration_ms ?? null

/** Puts the start or end of the selection at the playhead. */
export const markTo = (edge: 'start' | 'end') => (m: EditorModel) => {
  const { selection, mark } = ui()
  const ms = playhead(m)
  const startMs = edge === 'start' ? ms : (selection?.startMs ?? 0)
  const endMs = edge === 'end' ? ms : (selection?.endMs ?? m.totalMs)
  if (startMs < endMs) mark({ startMs, endMs })
}

/** Cuts the selected footage, or removes the selected item. A proposed cut is rejected instead, so that it stays in the list. */
export function cutOrRemove(m: EditorModel): void {
  const { selection, select } = ui()
  const { history, previewing, isLocked } = m
  const edit = selectedEdit(m)
  if (previewing) return
  if (selection) {
    if (selection.endMs - selection.startMs >= 1)
      select(history.cut(Math.round(selection.startMs), Math.round(selection.endMs), text.manualCut))
  } else if (!edit || isLocked(edit)) return
  else if (isCut(edit) && edit.type !== 'manual') history.toggle([edit.uuid], false, labels.rejectCut)
  else {
    history.perform(isCut(edit) ? labels.removeCut : labels.removeAsset, { remove: [edit.uuid] })
    select(null)
  }
}

/** Mutes the selected footage, or switches the selected cut between a mute and a cut. */
export function muteSelection(m: EditorModel): void {
  const { selection, select } = ui()
  const edit = selectedEdit(m)
  if (m.previewing) return
  if (selection) {
    if (selection.endMs - selection.startMs >= 1)
      select(m.history.cut(Math.round(selection.startMs), Math.round(selection.endMs), text.manualMute, 'mute'))
  } else if (edit && isCut(edit)) toggleMute(m, edit)
}

/** Takes the selected footage, or the footage of the selected cut, out of all cuts and mutes. */
export function restoreSelection(m: EditorModel): void {
  const { selection, caret } = ui()
  const { history, edits, words, previewing, isLocked } = m
  const edit = selectedEdit(m)
  if (previewing) return
  const footage = selection ? restoredSpan(selection, caret, words) : edit && isCut(edit) ? spanOf(edit) : null
  if (!footage) return
  const span = { startMs: Math.round(footage.startMs), endMs: Math.round(footage.endMs) }
  const open = edits.filter((e) => !isLocked(e))
  history.perform(labels.restoreFootage, restoreSpan(open, span))
}

/** Cuts the footage of matches of a search, given as their first word and the word after the last. */
export function cutWords(m: EditorModel, hits: readonly { from: number; to: number }[]): void {
  if (m.previewing || hits.length === 0) return
  const spans = hits.map(({ from, to }) => footageOfWords(m.words, from, to - 1, m.totalMs))
  m.history.perform(labels.cutHits(hits.length), {
    create: spans.map((s) => newCut(Math.round(s.startMs), Math.round(s.endMs), text.manualCut)),
  })
}

/** Takes the words of matches of a search out of all cuts and mutes. */
export function restoreWords(m: EditorModel, hits: readonly { from: number; to: number }[]): void {
  if (m.previewing || hits.length === 0) return
  const open = m.edits.filter((e) => !m.isLocked(e))
  const spans = hits.map(({ from, to }) => ({ startMs: m.words[from]!.start_ms, endMs: m.words[to - 1]!.end_ms }))
  m.history.perform(labels.restoreHits(hits.length), restoreSpans(open, spans))
}

/** Most words that a field corrects at once. */
const MAX_CORRECTED = 12

/** Opens a field that corrects the selected words, or the word at the playhead. */
export function correctWords(m: EditorModel): void {
  const { caret, selection, set } = ui()
  const playing = Math.max(wordAt(m.words, playhead(m)), 0)
  const marked = selection ? wordsWithin(m.words, selection) : null
  const first = marked && marked.to > marked.from ? marked.from : (caret?.focus ?? playing)
  const last = marked && marked.to > marked.from ? Math.min(marked.to, first + MAX_CORRECTED) - 1 : first
  const [from, to] = [m.words[first], m.words[last]]
  if (!from || !to) return
  m.player?.pause()
  set({ leftTab: 'transcript', correcting: { startMs: from.start_ms, endMs: to.end_ms } })
}

/** Splits the selected item or the active cut under the playhead, or else the footage. A second split of footage joins it. */
export function splitAtPlayhead(m: EditorModel): void {
  const ms = playhead(m)
  const selected = selectedEdit(m)
  const under = [...(selected ? [selected] : []), ...m.edits.filter((e) => e.active)].find(
    (e) => e.start_ms < ms && e.end_ms > ms && !m.isLocked(e),
  )

  if (!under) {
    const there = m.markers.markers.find((marker) => marker.kind === 'split' && marker.time_ms === ms)
    if (there) m.markers.remove(there)
    else void m.markers.add('split', ms)
    return
  }

  const halves = isCut(under) ? splitCut(under, ms) : splitPlacement(under, ms, assetLength(m, under.asset_file_id))
  if (!halves) return void toast(text.tooShortToSplit, { description: text.tooShortToSplitHint })
  m.history.perform(isCut(under) ? labels.splitCut : labels.splitAsset, halves.act)
  ui().select(halves.second)
}

/**
 * Starts a chapter at the playhead, or opens the one that starts there. A paused player lets the person title it at once; during
 * playback, M marks chapters in passing.
 */
export function markChapter(m: EditorModel): void {
  const ms = playhead(m)
  const there = m.markers.markers.find((marker) => marker.kind === 'chapter' && marker.time_ms === ms)
  if (there) document.querySelector<HTMLElement>(`[data-marker="${there.uuid}"]`)?.click()
  else if (m.player?.snapshot().playing) void m.markers.add('chapter', ms)
  else void m.markers.add('chapter', ms).then((made) => made && ui().set({ renamingChapter: made.uuid }))
}

/** Moves the start or end of the selected cut or asset to the playhead. */
export const trimToPlayhead = (edge: 'start' | 'end') => (m: EditorModel) => {
  const edit = selectedEdit(m)
  if (!edit || m.isLocked(edit)) return
  const ms = playhead(m)
  if (!edgeFits(edit, edge, ms)) return
  if (!isCut(edit)) {
    const to = resizePlacement(edit, edge, ms, assetLength(m, edit.asset_file_id), m.totalMs)
    m.history.perform(labels.trimAsset, { change: [{ uuid: edit.uuid, to: timesOf(to) }] })
    return
  }

  const to = edge === 'start' ? { start_ms: ms } : { end_ms: ms }
  m.history.perform(labels.trimCut, { change: [{ uuid: edit.uuid, to }] })
}

const timesOf = ({ start_ms, end_ms, asset_offset_ms }: Place): Place => ({ start_ms, end_ms, asset_offset_ms })

/** Moves the selected cut or asset by whole frames. */
export const nudge = (frames: number) => (m: EditorModel) => {
  const edit = selectedEdit(m)
  if (!edit || m.isLocked(edit)) return
  const by = stepFrames(m.layout, m.rates, edit.start_ms, frames) - edit.start_ms
  const { start_ms, end_ms } = movePlacement({ ...edit, asset_offset_ms: 0 }, by, m.totalMs)
  m.history.perform(isCut(edit) ? labels.moveCut : labels.moveAsset, {
    change: [{ uuid: edit.uuid, to: { start_ms, end_ms } }],
  })

  m.player?.pause()
  m.player?.seek(start_ms)
}

export const clearSelection = () => ui().select(null)

/** Places an asset at ms, by default at the playhead, and shows its options. */
export function placeAsset(m: EditorModel, asset: Placeable, ms = m.player?.position() ?? 0): void {
  const made = newPlacement(asset, ms, m.totalMs)
  if (!made) return void toast(text.noRoom, { description: text.noRoomHint })
  m.history.perform(labels.placeAsset(asset.display_name), { create: [made] })
  ui().select(made.uuid)
  ui().set({ rightTab: 'placement' })
}
