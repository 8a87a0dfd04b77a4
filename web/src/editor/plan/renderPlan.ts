// The render plan of the edited video. Package media in Go computes the same plan; media/testdata/timeline_vectors.json
// tests both, so that the preview shows what an export contains. Times are integers in milliseconds. Frame numbers count
// frames of a constant, rational frame rate.

/** Frames per second as an exact fraction. */
export interface Rate {
  num: number
  den: number
}

/** A time span [startMs, endMs). */
export interface Span {
  startMs: number
  endMs: number
}

/** A segment of the edited video: frames [in, out) of clip `input`, which start at output frame `start`. */
export interface Segment {
  input: number
  in: number
  out: number
  start: number
}

/** The edited video in integer frames. */
export interface RenderPlan {
  rate: Rate
  segments: Segment[]
  frames: number
  durationMs: number
}

/** Samples per second of every proxy and export. */
export const SAMPLE_RATE = 48000

const STANDARD_RATES: readonly Rate[] = [
  { num: 24000, den: 1001 },
  { num: 24, den: 1 },
  { num: 25, den: 1 },
  { num: 30000, den: 1001 },
  { num: 30, den: 1 },
  { num: 48, den: 1 },
  { num: 50, den: 1 },
  { num: 60000, den: 1001 },
  { num: 60, den: 1 },
  { num: 100, den: 1 },
  { num: 120000, den: 1001 },
  { num: 120, den: 1 },
  { num: 200, den: 1 },
  { num: 240000, den: 1001 },
  { num: 240, den: 1 },
]

const MAX_RATE: Rate = { num: 240, den: 1 }
const DEFAULT_RATE: Rate = { num: 30, den: 1 }

const perSecond = (rate: Rate) => rate.num / rate.den

/** The standard rate within 0.1 % of num/den, otherwise the exact rate up to 240; 30 if num/den is unknown. */
export function snapRate(num: number, den: number): Rate {
  if (!(num > 0) || !(den > 0)) return DEFAULT_RATE
  const value = num / den
  let best = DEFAULT_RATE
  let distance = Infinity
  for (const rate of STANDARD_RATES) {
    const d = Math.abs(perSecond(rate) - value) / value
    if (d < distance) [best, distance] = [rate, d]
  }

  if (distance < 0.001) return best
  if (value > perSecond(MAX_RATE)) return MAX_RATE
  const g = gcd(num, den)
  return { num: num / g, den: den / g }
}

function gcd(a: number, b: number): number {
  while (b !== 0) [a, b] = [b, a % b]
  return a
}

// divRound divides and rounds halves up; b > 0. Products stay below 2^53 for the longest recording that the server accepts.
const divRound = (a: number, b: number) => Math.floor((2 * a + b) / (2 * b))

/** The frame boundary nearest to ms. */
export const frameAt = (rate: Rate, ms: number) => divRound(ms * rate.num, 1000 * rate.den)

/** The time of a frame boundary, to the nearest millisecond. */
export const msAt = (rate: Rate, frame: number) => divRound(frame * 1000 * rate.den, rate.num)

/** The position of a frame boundary in samples. */
export const sampleAt = (rate: Rate, frame: number, hz = SAMPLE_RATE) => divRound(frame * hz * rate.den, rate.num)

/** The union of spans: sorted and disjoint, without empty spans; adjacent spans are joined. */
export function mergeSpans(spans: readonly Span[]): Span[] {
  const out: Span[] = []
  for (const s of [...spans].sort((a, b) => a.startMs - b.startMs)) {
    if (s.endMs <= s.startMs) continue
    const last = out.at(-1)
    if (last && s.startMs <= last.endMs) last.endMs = Math.max(last.endMs, s.endMs)
    else out.push({ startMs: s.startMs, endMs: s.endMs })
  }

  return out
}

/** The spans of [0, totalMs) that stay when cuts are removed. */
export function keptSpans(totalMs: number, cuts: readonly Span[]): Span[] {
  const out: Span[] = []
  let at = 0
  for (const c of mergeSpans(cuts)) {
    if (c.startMs >= totalMs) break
    if (c.startMs > at) out.push({ startMs: at, endMs: c.startMs })
    at = Math.max(at, c.endMs)
  }

  if (at < totalMs) out.push({ startMs: at, endMs: totalMs })
  return out
}

/** The render plan of clips without the cuts. Clips are given by their lengths in display order, cuts in project time. */
export function makePlan(rate: Rate, clipsMs: readonly number[], cuts: readonly Span[]): RenderPlan {
  const spans = keptSpans(
    clipsMs.reduce((a, b) => a + b, 0),
    cuts,
  )

  const segments: Segment[] = []
  let base = 0
  let frames = 0
  let next = 0 // index of the first span that ends after the start of the clip
  clipsMs.forEach((length, input) => {
    const end = base + length
    while (next < spans.length && spans[next]!.endMs <= base) next++
    for (let i = next; i < spans.length && spans[i]!.startMs < end; i++) {
      const from = frameAt(rate, Math.max(spans[i]!.startMs, base) - base)
      const to = frameAt(rate, Math.min(spans[i]!.endMs, end) - base)
      if (to <= from) continue
      const last = segments.at(-1)
      if (last && last.input === input && last.out === from) last.out = to
      else segments.push({ input, in: from, out: to, start: frames })
      frames += to - from
    }

    base = end
  })

  return { rate, segments, frames, durationMs: msAt(rate, frames) }
}

/** The samples of a segment: `n` samples from sample `from` of its clip, at output sample `at`. */
export function samplesOf(plan: RenderPlan, s: Segment): { from: number; at: number; n: number } {
  const at = sampleAt(plan.rate, s.start)
  return { from: sampleAt(plan.rate, s.in), at, n: sampleAt(plan.rate, s.start + s.out - s.in) - at }
}

/** The spans of consecutive clips in project time. */
export function layOutClips(clipsMs: readonly number[]): Span[] {
  let at = 0
  return clipsMs.map((length) => ({ startMs: at, endMs: (at += length) }))
}

/** The clip at project time ms and the time within it; null without clips. The end of the project belongs to the last clip. */
export function clipAt(layout: readonly Span[], ms: number): { index: number; ms: number } | null {
  if (layout.length === 0) return null
  let lo = 0
  let hi = layout.length - 1
  while (lo < hi) {
    const mid = (lo + hi + 1) >> 1
    if (layout[mid]!.startMs <= ms) lo = mid
    else hi = mid - 1
  }

  const span = layout[lo]!
  return { index: lo, ms: Math.min(Math.max(ms - span.startMs, 0), span.endMs - span.startMs) }
}
