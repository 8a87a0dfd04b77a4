import type { AssetEdit } from '../api/assets'

/** A time range in an asset, in milliseconds. */
export interface Span {
  startMs: number
  endMs: number
}

/** What to keep of an asset: a range without some cuts. Cuts are sorted and do not touch; they may extend beyond the range. */
export interface Trim extends Span {
  cuts: readonly Span[]
}

/** The shortest range or cut, in milliseconds. */
export const SHORTEST_MS = 50

export const wholeOf = (durationMs: number): Trim => ({ startMs: 0, endMs: durationMs, cuts: [] })

const clamp = (ms: number, low: number, high: number) => Math.round(Math.min(Math.max(ms, low), high))

/** Moves the start of the kept range; it stays before the end. */
export const withStart = (trim: Trim, ms: number): Trim => ({
  ...trim,
  startMs: clamp(ms, 0, trim.endMs - SHORTEST_MS),
})

/** Moves the end of the kept range; it stays after the start. */
export const withEnd = (trim: Trim, ms: number, durationMs: number): Trim => ({
  ...trim,
  endMs: clamp(ms, trim.startMs + SHORTEST_MS, durationMs),
})

/** Adds a cut and merges it with cuts that it touches. Ignores cuts shorter than SHORTEST_MS. */
export function withCut(trim: Trim, from: number, to: number, durationMs: number): Trim {
  let startMs = clamp(Math.min(from, to), 0, durationMs)
  let endMs = clamp(Math.max(from, to), 0, durationMs)
  if (endMs - startMs < SHORTEST_MS) return trim
  const apart = trim.cuts.filter((c) => c.endMs < startMs || c.startMs > endMs)
  for (const c of trim.cuts) {
    if (apart.includes(c)) continue
    startMs = Math.min(startMs, c.startMs)
    endMs = Math.max(endMs, c.endMs)
  }

  return { ...trim, cuts: [...apart, { startMs, endMs }].sort((a, b) => a.startMs - b.startMs) }
}

/** Moves the start or end of a cut, limited by its neighbors. */
export function withCutBound(
  trim: Trim,
  index: number,
  bound: 'startMs' | 'endMs',
  ms: number,
  durationMs: number,
): Trim {
  const cut = trim.cuts[index]
  if (!cut) return trim
  const low = bound === 'startMs' ? (trim.cuts[index - 1]?.endMs ?? 0) : cut.startMs + SHORTEST_MS
  const high = bound === 'startMs' ? cut.endMs - SHORTEST_MS : (trim.cuts[index + 1]?.startMs ?? durationMs)
  return { ...trim, cuts: trim.cuts.map((c, i) => (i === index ? { ...c, [bound]: clamp(ms, low, high) } : c)) }
}

export const withoutCut = (trim: Trim, index: number): Trim => ({
  ...trim,
  cuts: trim.cuts.filter((_, i) => i !== index),
})

/** Returns the cuts within the range, clipped to it. */
export const cutsInside = ({ startMs, endMs, cuts }: Trim): Span[] =>
  cuts
    .map((c) => ({ startMs: Math.max(c.startMs, startMs), endMs: Math.min(c.endMs, endMs) }))
    .filter((c) => c.endMs > c.startMs)

/** Returns the duration of the result, in milliseconds. */
export const durationOf = (trim: Trim): number =>
  trim.endMs - trim.startMs - cutsInside(trim).reduce((sum, c) => sum + c.endMs - c.startMs, 0)

/** Returns the next position at or after `ms` that the result contains, or null after its end. */
export function playableFrom(trim: Trim, ms: number): number | null {
  const from = Math.max(ms, trim.startMs)
  const cut = trim.cuts.find((c) => from >= c.startMs && from < c.endMs)
  const at = cut ? cut.endMs : from
  return at >= trim.endMs ? null : at
}

/** Returns the fields of the edit request. Bounds that equal the asset's bounds are left out. */
export function editOf(trim: Trim, durationMs: number): Pick<AssetEdit, 'start_ms' | 'end_ms' | 'cuts'> {
  const cuts = cutsInside(trim).map((c) => ({ start_ms: c.startMs, end_ms: c.endMs }))
  return {
    ...(trim.startMs > 0 ? { start_ms: trim.startMs } : {}),
    ...(trim.endMs < durationMs ? { end_ms: trim.endMs } : {}),
    ...(cuts.length > 0 ? { cuts } : {}),
  }
}

/** Reports whether the trim removes nothing. */
export const isWhole = (trim: Trim, durationMs: number): boolean => Object.keys(editOf(trim, durationMs)).length === 0
