// Actions that change cuts and placed assets.

import { toast } from 'sonner'
import type { AnyEdit, Edit } from '../../api/edits'
import { commandsText as text } from '../../text/editor/commands'
import {
  movePlacement,
  newPlacement,
  placeOf,
  resizePlacement,
  splitPlacement,
  type Placeable,
} from '../edits/placements'
import { edgeFits, isCut, newCut, restoredSpan, restoreSpan, restoreSpans, spanOf, splitCut } from '../edits/cuts'
import type { EditAction } from '../edits/editAction'
import { startsOf, withSlivers, type ReviewRow } from '../edits/stretches'
import { stepFrames } from '../plan/playback'
import type { Span } from '../plan/renderPlan'
import type { EditorModel } from '../state/contexts'
import { hintUsed } from '../state/hints'
import { useEditorStore } from '../state/store'
import { footageOfWords, wordAt, wordsWithin } from '../edits/words'
import { dragShort, MIN_SHORT_MS } from '../edits/shorts'
import { selectedShort } from './shortActions'
import { openCuts, selectedPlacement, selectedRow, toggleMute } from './reviewActions'

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
  if (m.previewing) return
  const row = selectedRow(m)
  const placement = selectedPlacement(m)
  const short = selectedShort(m)
  if (selection) {
    if (selection.endMs - selection.startMs >= 1)
      select(m.history.cut(Math.round(selection.startMs), Math.round(selection.endMs), text.manualCut))
  } else if (row) removeRow(m, row)
  else if (short) {
    m.shorts.remove(short)
    select(null)
  } else if (placement && !m.isLocked(placement)) {
    m.history.perform(labels.removeAsset, { remove: [placement.uuid] })
    select(null)
  }
}

// removeRow removes the cuts that a person made, and rejects the proposed ones.
function removeRow(m: EditorModel, row: ReviewRow): void {
  const cuts = openCuts(m, [row])
  const proposed = cuts.filter((e) => e.type !== 'manual')
  m.history.perform(proposed.length > 0 ? labels.rejectCut : labels.removeCut, {
    change: proposed.map((e) => ({ uuid: e.uuid, to: { active: false } })),
    remove: cuts.filter((e) => e.type === 'manual').map((e) => e.uuid),
  })

  if (cuts.length > proposed.length) ui().select(proposed[0]?.uuid ?? null, row.part)
}

/** Mutes the selected footage, or switches the selected cut between a mute and a cut. */
export function muteSelection(m: EditorModel): void {
  const { selection, select } = ui()
  const row = selectedRow(m)
  if (m.previewing) return
  if (selection) {
    if (selection.endMs - selection.startMs >= 1)
      select(m.history.cut(Math.round(selection.startMs), Math.round(selection.endMs), text.manualMute, 'mute'))
  } else if (row) toggleMute(m, row)
}

/** Takes the selected footage, or the footage of the selected cut, out of all cuts and mutes. */
export function restoreSelection(m: EditorModel): void {
  const { selection, caret } = ui()
  const row = selectedRow(m)
  if (m.previewing) return
  const footage = selection ? restoredSpan(selection, caret, m.words) : row && spanOf(row)
  if (footage) m.history.perform(labels.restoreFootage, restoreSpan(...restored(m, footage, selection ?? footage)))
}

// restored is the edits that restoring footage may change, and the footage to restore.
function restored(m: EditorModel, footage: Span, reach: Span): [edits: Edit[], span: Span] {
  const open = m.edits.filter((e) => !m.isLocked(e))
  const span = withSlivers(
    footage,
    reach,
    open.filter((e) => e.active),
    m.words,
    startsOf(m.layout),
  )

  return [open, { startMs: Math.round(span.startMs), endMs: Math.round(span.endMs) }]
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
  const spans = hits.map(({ from, to }) => {
    const footage = { startMs: m.words[from]!.start_ms, endMs: m.words[to - 1]!.end_ms }
    return restored(m, footage, footageOfWords(m.words, from, to - 1, m.totalMs))[1]
  })

  const open = m.edits.filter((e) => !m.isLocked(e))
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
  const items = [selectedPlacement(m) ?? [], selectedRow(m)?.cuts ?? [], m.edits.filter((e) => e.active)].flat()
  const under = items.find((e) => e.start_ms < ms && e.end_ms > ms && !m.isLocked(e))
  if (!under) {
    const there = m.markers.markers.find((marker) => marker.kind === 'split' && marker.time_ms === ms)
    if (there) m.markers.remove(there)
    else void m.markers.add('split', ms)
    return
  }

  const halves = isCut(under) ? splitCut(under, ms) : splitPlacement(under, ms, assetLength(m, under.asset_file_id))
  if (!halves) return void toast(text.tooShortToSplit, { description: text.tooShortToSplitHint })
  m.history.perform(isCut(under) ? labels.splitCut : labels.splitAsset, halves.act)
  // The halves of an active cut are parts of one stretch.
  const stretch = under.active && m.rowOf.get(under.uuid)
  if (stretch) ui().open(stretch.uuid, true)
  ui().select(halves.second, isCut(under))
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

/** Pauses, and adds a note at the playhead or opens the one there. */
export function addNote(m: EditorModel): void {
  m.player?.pause()
  const ms = playhead(m)
  const open = (uuid: string) => ui().set({ renamingChapter: uuid })
  const there = m.markers.markers.find((marker) => marker.kind === 'note' && marker.time_ms === ms)
  if (there) open(there.uuid)
  else void m.markers.add('note', ms).then((made) => made && open(made.uuid))
}

/** Moves the start or end of the selected cut, asset or short to the playhead. */
export const trimToPlayhead = (edge: 'start' | 'end') => (m: EditorModel) => {
  const ms = playhead(m)
  const short = selectedShort(m)
  if (short && (edge === 'start' ? ms <= short.end_ms - MIN_SHORT_MS : ms >= short.start_ms + MIN_SHORT_MS))
    m.shorts.place(short, dragShort(short, edge, ms, m.totalMs))
  const row = selectedRow(m)
  const placement = selectedPlacement(m)
  const cuts = row ? openCuts(m, [row]) : []
  if (row && cuts.length > 0 && edgeFits(row, edge, ms)) m.history.perform(labels.trimCut, trimmed(cuts, edge, ms))
  if (!placement || m.isLocked(placement) || !edgeFits(placement, edge, ms)) return
  const to = resizePlacement(placement, edge, ms, assetLength(m, placement.asset_file_id), m.totalMs)
  m.history.perform(labels.trimAsset, { change: [{ uuid: placement.uuid, to: placeOf(to) }] })
}

// trimmed moves the start or end of a stretch: its outermost cut follows, and no cut of it stays outside.
function trimmed(cuts: readonly Edit[], edge: 'start' | 'end', ms: number): EditAction {
  const atStart = edge === 'start'
  const outer = cuts.reduce((a, b) => ((atStart ? b.start_ms < a.start_ms : b.end_ms > a.end_ms) ? b : a))
  const grows = atStart ? ms < outer.start_ms : ms > outer.end_ms
  if (cuts.length === 1 || grows)
    return { change: [{ uuid: outer.uuid, to: atStart ? { start_ms: ms } : { end_ms: ms } }] }
  return restoreSpan(cuts, atStart ? { startMs: 0, endMs: ms } : { startMs: ms, endMs: Infinity })
}

const lastsUntilEnd = (e: AnyEdit) => e.type === 'asset' && e.until_end

/** Moves the selected cut or asset by whole frames. */
export const nudge = (frames: number) => (m: EditorModel) => {
  const row = selectedRow(m)
  const placement = selectedPlacement(m)
  const item = row ?? placement
  const moved = row ? openCuts(m, [row]) : placement && !m.isLocked(placement) ? [placement] : []
  if (!item || moved.length === 0) return
  const by = stepFrames(m.layout, m.rates, item.start_ms, frames) - item.start_ms
  const { start_ms } = movePlacement({ ...item, asset_offset_ms: 0 }, by, m.totalMs)
  const shift = start_ms - item.start_ms
  m.history.perform(row ? labels.moveCut : labels.moveAsset, {
    change: moved.map((e) => {
      const to = { start_ms: e.start_ms + shift, end_ms: e.end_ms + shift }
      return { uuid: e.uuid, to: lastsUntilEnd(e) ? { start_ms: to.start_ms } : to }
    }),
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
  ui().set({ leftTab: 'assets' })
  hintUsed('assets')
}
