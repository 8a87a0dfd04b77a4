// Shorts: their names, trimming, and the settings of their exports.

import type { Short } from '../../api/shorts'
import type { Span } from '../plan/renderPlan'
import { titleAt, type TimedWord } from './words'

/** Shortest short after a drag, in milliseconds. */
export const MIN_SHORT_MS = 500

/** The place of a short. */
export type ShortSpan = Pick<Short, 'start_ms' | 'end_ms'>

/** The span with its start, its end or the whole of it at ms, within the project. */
export function dragShort(
  { start_ms, end_ms }: ShortSpan,
  part: 'body' | 'start' | 'end',
  ms: number,
  totalMs: number,
): ShortSpan {
  const to = Math.round(ms)
  const length = end_ms - start_ms
  // A short below the limit keeps at least its length.
  const least = Math.min(MIN_SHORT_MS, length)
  if (part === 'start') return { start_ms: Math.max(Math.min(to, end_ms - least), 0), end_ms }
  if (part === 'end') return { start_ms, end_ms: Math.min(Math.max(to, start_ms + least), totalMs) }
  const start = Math.max(Math.min(to, totalMs - length), 0)
  return { start_ms: start, end_ms: Math.min(start + length, totalMs) }
}

/** A name for a short: how its text begins without what the cuts remove. Empty without words. */
export function shortName(words: readonly TimedWord[], cuts: readonly Span[], { startMs, endMs }: Span): string {
  return titleAt(
    words.filter((w) => (w.start_ms + w.end_ms) / 2 < endMs),
    cuts,
    startMs,
  )
}
