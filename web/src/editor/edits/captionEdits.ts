// Where caption lines may be, as values: new lines, moved lines and trimmed lines.

import type { CaptionLine } from '../../api/captions'
import type { TimedText } from '../plan/captionTiming'

/** The span of a line in project time. */
export type LineSpan = Pick<CaptionLine, 'start_ms' | 'end_ms'>

/** Shortest line that the editor makes, in milliseconds. */
export const MIN_LINE_MS = 100
/** Length of a new line, in milliseconds. */
const NEW_LINE_MS = 2000

/** The index of the line that is shown at ms, or else of the last one before it, or -1. Lines are sorted by start. */
export function lineAt(lines: readonly LineSpan[], ms: number): number {
  let lo = 0
  let hi = lines.length
  while (lo < hi) {
    const mid = (lo + hi) >> 1
    if (lines[mid]!.start_ms <= ms) lo = mid + 1
    else hi = mid
  }

  return lo - 1
}

/** The span for a new line at ms: until the next line, and at most two seconds. Null if a line is shown there. */
export function newSpan(lines: readonly LineSpan[], ms: number, totalMs: number): LineSpan | null {
  const at = lineAt(lines, ms)
  const before = lines[at]
  const start = Math.round(ms)
  if (before && before.end_ms > start) return null
  const end = Math.min(lines[at + 1]?.start_ms ?? totalMs, start + NEW_LINE_MS, Math.floor(totalMs))
  return end - start < MIN_LINE_MS ? null : { start_ms: start, end_ms: end }
}

/** Moves an edge of a line to ms, or the whole line to start at ms. It keeps clear of the lines around it. */
export function dragLine(
  lines: readonly LineSpan[],
  index: number,
  part: 'start' | 'end' | 'body',
  ms: number,
  totalMs: number,
): LineSpan {
  const { start_ms, end_ms } = lines[index]!
  const lowest = Math.min(lines[index - 1]?.end_ms ?? 0, start_ms)
  const highest = Math.max(lines[index + 1]?.start_ms ?? totalMs, end_ms)
  if (part === 'start') return { start_ms: clampRounded(ms, lowest, end_ms - MIN_LINE_MS), end_ms }
  if (part === 'end') return { start_ms, end_ms: clampRounded(ms, start_ms + MIN_LINE_MS, highest) }
  const start = clampRounded(ms, lowest, highest - (end_ms - start_ms))
  return { start_ms: start, end_ms: start + end_ms - start_ms }
}

const clampRounded = (ms: number, low: number, high: number) =>
  Math.round(Math.max(Math.min(ms, high), Math.min(low, high)))

/** The number of characters before an offset of a string, as the server counts them. */
export const charactersBefore = (text: string, offset: number) => [...text.slice(0, offset)].length

/** The offset of the first word of a line that is spoken at or after ms; the middle of the text without such a word. */
export function offsetAt(line: TimedText, words: readonly TimedText[], ms: number): number {
  let from = 0
  for (const w of words) {
    if (w.end_ms <= line.start_ms || w.start_ms >= line.end_ms) continue
    const at = line.text.indexOf(w.text.trim(), from)
    if (at < 0) break
    if (w.start_ms >= ms && at > 0) return at
    from = at + w.text.trim().length
  }

  const middle = Math.ceil(line.text.length / 2)
  const space = line.text.indexOf(' ', middle)
  return space < 0 ? Math.max(line.text.lastIndexOf(' '), 0) : space
}
