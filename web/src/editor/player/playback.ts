// What to play and where: pure decisions, which player.ts carries out with video elements.

import { clipAt, type RenderPlan, type Span } from '../timeline/renderPlan'

/** A stretch of one clip that plays without a break. Clip times and the project time of its start are in milliseconds, unrounded. */
export interface PlaybackSegment {
  clip: number
  inMs: number
  outMs: number
  startMs: number
}

export const segmentEnd = (s: PlaybackSegment) => s.startMs + s.outMs - s.inMs

/** The stretches of an edited video: one for each segment of its plan, on the plan's frame borders. */
export function planSegments(plan: RenderPlan, layout: readonly Span[]): PlaybackSegment[] {
  const ms = (frame: number) => (frame * 1000 * plan.rate.den) / plan.rate.num
  return plan.segments.map((s) => {
    const span = layout[s.input]!
    const inMs = ms(s.in)
    // Rounding may put a clip's last frame border just past its end.
    return { clip: s.input, inMs, outMs: Math.min(ms(s.out), span.endMs - span.startMs), startMs: span.startMs + inMs }
  })
}

/** The stretches of the untouched recording: every clip whole. */
export const wholeSegments = (layout: readonly Span[]): PlaybackSegment[] =>
  layout.flatMap((span, clip) =>
    span.endMs > span.startMs ? [{ clip, inMs: 0, outMs: span.endMs - span.startMs, startMs: span.startMs }] : [],
  )

/** What of the stretches lies within a span of project time. */
export function segmentsWithin(stretches: readonly PlaybackSegment[], span: Span): PlaybackSegment[] {
  return stretches.flatMap((s) => {
    const start = Math.max(s.startMs, span.startMs)
    const end = Math.min(segmentEnd(s), span.endMs)
    return end > start
      ? [{ clip: s.clip, inMs: s.inMs + start - s.startMs, outMs: s.inMs + end - s.startMs, startMs: start }]
      : []
  })
}

/** Index of the stretch that plays at ms, or of the next one where ms is cut; stretches.length past the end. */
export function segmentIndexAt(stretches: readonly PlaybackSegment[], ms: number): number {
  let lo = 0
  let hi = stretches.length
  while (lo < hi) {
    const mid = (lo + hi) >> 1
    if (segmentEnd(stretches[mid]!) > ms) hi = mid
    else lo = mid + 1
  }
  return lo
}

/** Where project time ms is in the edited video; a place that is cut is where the cut is. */
export function editedTime(stretches: readonly PlaybackSegment[], ms: number): number {
  let out = 0
  for (const s of stretches) {
    if (s.startMs >= ms) break
    out += Math.min(segmentEnd(s), ms) - s.startMs
  }
  return out
}

/** Footage shown before and after a cut when it is auditioned, in milliseconds. */
const AUDITION_MS = 1500

/** The stretches that show one cut, as it was (before) or as it will be (after), with what surrounds it. */
export function auditionSegments(
  edited: readonly PlaybackSegment[],
  layout: readonly Span[],
  cut: Span,
  which: 'before' | 'after',
): PlaybackSegment[] {
  const span = { startMs: cut.startMs - AUDITION_MS, endMs: cut.endMs + AUDITION_MS }
  if (which === 'before') return segmentsWithin(wholeSegments(layout), span)
  const head = segmentsWithin(edited, { startMs: -Infinity, endMs: cut.startMs })
  const tail = segmentsWithin(edited, { startMs: cut.endMs, endMs: Infinity })
  return [...lastOf(head, AUDITION_MS), ...firstOf(tail, AUDITION_MS)]
}

function firstOf(stretches: readonly PlaybackSegment[], ms: number): PlaybackSegment[] {
  const out: PlaybackSegment[] = []
  for (const s of stretches) {
    if (ms <= 0) break
    out.push({ ...s, outMs: Math.min(s.outMs, s.inMs + ms) })
    ms -= s.outMs - s.inMs
  }
  return out
}

function lastOf(stretches: readonly PlaybackSegment[], ms: number): PlaybackSegment[] {
  const out: PlaybackSegment[] = []
  for (const s of [...stretches].reverse()) {
    if (ms <= 0) break
    const skip = Math.max(s.outMs - s.inMs - ms, 0)
    out.unshift({ ...s, inMs: s.inMs + skip, startMs: s.startMs + skip })
    ms -= s.outMs - s.inMs
  }
  return out
}

/** How far an unseen deck may play faster or slower than it should, so as to be on time. */
const HASTE = 2

/** How fast an unseen deck plays that is late by so many milliseconds of its clip, where the cut is left milliseconds away; early is negative. */
export function preRollRate(speed: number, late: number, left: number): number {
  if (Math.abs(late) < 2) return speed
  const rate = speed + late / Math.max(left, 40)
  return Math.round(Math.min(Math.max(rate, speed / HASTE), speed * HASTE) * 50) / 50
}

/** Forward speeds of the shuttle; backward ones mirror them. */
const SPEEDS = [1, 2, 4, 8]

/** The speed after another press of L (forward, 1) or J (backward, -1): again is faster, the other way starts slow. */
export function shuttle(speed: number, direction: 1 | -1): number {
  if (Math.sign(speed) !== direction) return direction
  return direction * (SPEEDS.find((s) => s > Math.abs(speed)) ?? SPEEDS.at(-1)!)
}

/** The project time `frames` frames from ms on, on the frame grid of the clip that ms is in; stays within the project. */
export function stepFrames(layout: readonly Span[], rates: readonly number[], ms: number, frames: number): number {
  const at = clipAt(layout, ms)
  if (!at) return 0
  const rate = rates[at.index] || 30
  const frame = Math.round((at.ms * rate) / 1000) + frames
  const total = layout.at(-1)!.endMs
  return Math.min(Math.max(layout[at.index]!.startMs + (frame * 1000) / rate, 0), total)
}
