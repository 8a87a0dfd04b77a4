// Actions that change caption lines. They apply to the selected line, or else to the line at the playhead.

import { toast } from 'sonner'
import type { CaptionLine } from '../../api/captions'
import { captionsText as text } from '../../text/editor/captions'
import { charactersBefore, dragLine, lineAt, newSpan, offsetAt } from '../edits/captionEdits'
import { firstFrame } from '../plan/playback'
import type { EditorModel } from '../state/contexts'
import { useEditorStore } from '../state/store'

const ui = () => useEditorStore.getState()
const playhead = ({ player }: EditorModel) => Math.round(player?.position() ?? 0)

// currentLineIndex is the index of the line that commands apply to; -1 without lines.
function currentLineIndex(m: EditorModel): number {
  const { lines } = m.captions
  const selected = lines.findIndex((l) => l.uuid === ui().caption)
  return selected >= 0 ? selected : lineAt(lines, playhead(m))
}

/** Selects a line, opens the list of captions and focuses the line's text. */
export function openCaption({ uuid, start_ms }: CaptionLine, m: EditorModel): void {
  ui().set({ caption: uuid, leftTab: 'captions' })
  m.player?.pause()
  goToCaption(start_ms, m)
  focusCaption(uuid)
}

/** Moves the playhead to the first frame of the caption that starts at ms. */
export const goToCaption = (ms: number, { player, layout, rates }: EditorModel) =>
  player?.seek(firstFrame(layout, rates, ms))

/** The event that focuses a field of a line, which the list may have to scroll into view first. */
export const FOCUS_CAPTION = 'roughcut-focus-caption'

/** The line and the selector of the field that the event names. */
export interface CaptionFocus {
  uuid: string
  field: string
}

function focusCaption(uuid: string, field = 'textarea'): void {
  const detail: CaptionFocus = { uuid, field }
  requestAnimationFrame(() => window.dispatchEvent(new CustomEvent(FOCUS_CAPTION, { detail })))
}

export const stepCaptions = (step: 1 | -1) => (m: EditorModel) => {
  const { lines } = m.captions
  const line = lines[Math.min(Math.max(currentLineIndex(m) + step, 0), lines.length - 1)]
  if (line) openCaption(line, m)
}

/** Adds a line at the playhead and opens it. */
export function addCaption(m: EditorModel): void {
  const span = newSpan(m.captions.lines, playhead(m), m.totalMs)
  if (!span) return void toast(text.noRoom, { description: text.noRoomHint })
  void m.captions.add(span, text.newText).then((made) => made && openCaption(made, m))
}

// typingIn is the focused text field of a line, or null.
function typingIn(): HTMLTextAreaElement | null {
  const field = document.activeElement
  return field instanceof HTMLTextAreaElement && field.closest('[data-caption-line]') ? field : null
}

/** Divides a line at the cursor of its field, or else at the playhead. */
export function splitCaption(m: EditorModel): void {
  const line = m.captions.lines[currentLineIndex(m)]
  if (!line) return
  const typing = typingIn()
  const ms = playhead(m)
  const inside = ms > line.start_ms && ms < line.end_ms
  const typed = typing?.value.trim() ?? line.text
  const offset = typing ? typing.selectionStart : inside ? offsetAt(line, m.words, ms) : 0
  const cut = (typing ?? { value: line.text }).value.slice(0, offset)
  if (!cut.trim() || cut.trim() === typed) return void toast(text.notSplit, { description: text.notSplitHint })
  if (typed !== line.text) m.captions.change(line, { text: typed })
  const position = charactersBefore(cut.trimStart(), cut.trimStart().length)
  void m.captions
    .split({ ...line, text: typed }, position, typing ? undefined : ms)
    .then((second) => second && openCaption(second, m))
}

/** Joins a line with the next one of its clip. */
export function mergeCaption(m: EditorModel): void {
  const index = currentLineIndex(m)
  const line = m.captions.lines[index]
  if (!line) return
  const next = m.captions.lines[index + 1]
  const clip = m.layout.find((c) => line.start_ms < c.endMs)
  if (!next || (clip && next.start_ms >= clip.endMs)) return void toast(text.noNext, { description: text.noNextHint })
  const typed = typingIn()?.value.trim()
  if (typed && typed !== line.text) m.captions.change(line, { text: typed })
  void m.captions.merge(line).then((made) => made && openCaption(made, m))
}

export function deleteCaption(m: EditorModel): void {
  const index = currentLineIndex(m)
  const { lines, remove } = m.captions
  const line = lines[index]
  if (!line) return
  const near = lines[index + 1] ?? lines[index - 1]
  remove(line)
  ui().set({ caption: near?.uuid ?? null })
  if (near && document.activeElement?.closest('[data-caption-line]')) focusCaption(near.uuid)
}

/** Moves an edge of a line to the playhead. */
export const trimCaption = (edge: 'start' | 'end') => (m: EditorModel) => {
  const index = currentLineIndex(m)
  const { lines, change } = m.captions
  const line = lines[index]
  if (line) change(line, dragLine(lines, index, edge, playhead(m), m.totalMs))
}

/** Opens a line and focuses the field of its speaker. */
export function editSpeaker(m: EditorModel): void {
  const line = m.captions.lines[currentLineIndex(m)]
  if (!line) return
  ui().set({ caption: line.uuid, leftTab: 'captions' })
  focusCaption(line.uuid, '[data-caption-speaker]')
}

export function findInCaptions(): void {
  const { findCaption, set } = ui()
  set({ leftTab: 'captions', findCaption: findCaption ?? '' })
  document.querySelector<HTMLInputElement>('#find-caption')?.select()
}
