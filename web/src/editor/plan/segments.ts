// Segments of the footage between splits, cuts and clips.

import type { Span } from './renderPlan'

/**
 * The segment at project time ms, if a split starts or ends it: from there to the next split, cut or border of a clip on
 * either side. Null in a cut and without a split. Cuts are disjoint and in order.
 */
export function segmentAt(
  ms: number,
  splits: readonly number[],
  layout: readonly Span[],
  cuts: readonly Span[],
): Span | null {
  const clip = layout.find((c) => ms >= c.startMs && ms < c.endMs)
  if (!clip || cuts.some((c) => ms >= c.startMs && ms < c.endMs)) return null
  const bounds = [clip.startMs, clip.endMs, ...splits, ...cuts.flatMap((c) => [c.startMs, c.endMs])]
  const startMs = Math.max(...bounds.filter((b) => b <= ms))
  const endMs = Math.min(...bounds.filter((b) => b > ms))
  return splits.includes(startMs) || splits.includes(endMs) ? { startMs, endMs } : null
}
