// Snap points of drags on the timeline: starts and ends of words, cuts, placed assets and clips.

import type { TimedWord } from './words'

/** Project times that a drag snaps to, in order; milliseconds. */
export type SnapPoints = Float64Array

export function snapPoints(
  words: readonly TimedWord[],
  spans: readonly { start_ms: number; end_ms: number }[],
  more: readonly number[],
): SnapPoints {
  const points = new Float64Array(2 * (words.length + spans.length) + more.length)
  let n = 0
  for (const w of [words, spans].flat()) {
    points[n++] = w.start_ms
    points[n++] = w.end_ms
  }

  for (const ms of more) points[n++] = ms
  return points.sort()
}

/** The snap point nearest to ms within reach, or null. */
export function nearestPoint(points: SnapPoints, ms: number, reachMs: number): number | null {
  let lo = 0
  let hi = points.length
  while (lo < hi) {
    const mid = (lo + hi) >> 1
    if (points[mid]! < ms) lo = mid + 1
    else hi = mid
  }

  const [before, after] = [points[lo - 1] ?? -Infinity, points[lo] ?? Infinity]
  const best = ms - before <= after - ms ? before : after
  return Math.abs(best - ms) <= reachMs ? best : null
}

/** Snaps the start or end of a span, whichever is nearer to a snap point. `at` is that point; null if none is within reach. */
export function snapSpan(
  points: SnapPoints,
  startMs: number,
  endMs: number,
  reachMs: number,
): { shiftMs: number; at: number | null } {
  const start = nearestPoint(points, startMs, reachMs)
  const end = nearestPoint(points, endMs, reachMs)
  if (start !== null && (end === null || Math.abs(start - startMs) <= Math.abs(end - endMs)))
    return { shiftMs: start - startMs, at: start }
  return end === null ? { shiftMs: 0, at: null } : { shiftMs: end - endMs, at: end }
}
