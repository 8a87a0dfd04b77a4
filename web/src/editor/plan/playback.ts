// What plays and where, as pure functions; player.ts plays it with video elements.

import { clipAt, type RenderPlan, type Span } from './renderPlan'

/** A segment of a clip that plays without a break. Clip times and the project time of its start are unrounded milliseconds. */
export interface PlaybackSegment {
  clip: number
  inMs: number
  outMs: number
  startMs: number
}

export const segmentEnd = (s: PlaybackSegment) => s.startMs + s.outMs - s.inMs

/** The segments of a render plan in milliseconds, on the frame boundaries of the plan. */
export function planSegments(plan: RenderPlan, layout: readonly Span[]): PlaybackSegment[] {
  const ms = (frame: number) => (frame * 1000 * plan.rate.den) / plan.rate.num
  return plan.segments.map((s) => {
    const span = layout[s.input]!
    const inMs = ms(s.in)
    // Rounding may put the last frame boundary of a clip just past its end.
    return { clip: s.input, inMs, outMs: Math.min(ms(s.out), span.endMs - span.startMs), startMs: span.startMs + inMs }
  })
}

/** The segments of the uncut recording: every clip whole. */
export const wholeSegments = (layout: readonly Span[]): PlaybackSegment[] =>
  layout.flatMap((span, clip) =>
    span.endMs > span.startMs ? [{ clip, inMs: 0, outMs: span.endMs - span.startMs, startMs: span.startMs }] : [],
  )

/** The parts of segments within a span of project time. */
export function segmentsWithin(segments: readonly PlaybackSegment[], span: Span): PlaybackSegment[] {
  return segments.flatMap((s) => {
    const start = Math.max(s.startMs, span.startMs)
    const end = Math.min(segmentEnd(s), span.endMs)
    return end > start
      ? [{ clip: s.clip, inMs: s.inMs + start - s.startMs, outMs: s.inMs + end - s.startMs, startMs: start }]
      : []
  })
}

/** The index of the segment at ms, or of the next one if ms is cut; segments.length past the end. */
export function segmentIndexAt(segments: readonly PlaybackSegment[], ms: number): number {
  let lo = 0
  let hi = segments.length
  while (lo < hi) {
    const mid = (lo + hi) >> 1
    if (segmentEnd(segments[mid]!) > ms) hi = mid
    else lo = mid + 1
  }

  return lo
}

/** The time in the edited video of project time ms; a time inside a cut gives the time of the cut. */
export function editedTime(segments: readonly PlaybackSegment[], ms: number): number {
  let out = 0
  for (const s of segments) {
    if (s.startMs >= ms) break
    out += Math.min(segmentEnd(s), ms) - s.startMs
  }

  return out
}

/** Duration of the footage that an audition plays before and after a cut, in milliseconds. */
const AUDITION_MS = 1500

/** The segments that audition a cut, as recorded (before) or removed (after), with the footage around it. */
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

function firstOf(segments: readonly PlaybackSegment[], ms: number): PlaybackSegment[] {
  const out: PlaybackSegment[] = []
  for (const s of segments) {
    if (ms <= 0) break
    out.push({ ...s, outMs: Math.min(s.outMs, s.inMs + ms) })
    ms -= s.outMs - s.inMs
  }

  return out
}

function lastOf(segments: readonly PlaybackSegment[], ms: number): PlaybackSegment[] {
  const out: PlaybackSegment[] = []
  for (const s of [...segments].reverse()) {
    if (ms <= 0) break
    const skip = Math.max(s.outMs - s.inMs - ms, 0)
    out.unshift({ ...s, inMs: s.inMs + skip, startMs: s.startMs + skip })
    ms -= s.outMs - s.inMs
  }

  return out
}

/** Largest change of speed of a hidden deck that catches up or waits, as a factor. */
const MAX_CORRECTION = 2

/**
 * The playback rate of a hidden deck that is `late` milliseconds of clip time behind (negative if it is ahead), `left`
 * milliseconds before the cut.
 */
export function preRollRate(speed: number, late: number, left: number): number {
  if (Math.abs(late) < 2) return speed
  const rate = speed + late / Math.max(left, 40)
  return Math.round(Math.min(Math.max(rate, speed / MAX_CORRECTION), speed * MAX_CORRECTION) * 50) / 50
}

/** A change of the playback rate that a person can hear, as a share of the speed. */
const AUDIBLE_CHANGE = 0.05

/** The rate that a deck gets which plays at `rate` and should play at `wanted`. Corrections that no one hears are left out. */
export function nextRate(rate: number, wanted: number, speed: number): number {
  if (wanted === speed) return speed
  return Math.abs(wanted - rate) < AUDIBLE_CHANGE * speed ? rate : wanted
}

/** Forward speeds of the shuttle; backward speeds mirror them. */
const SPEEDS = [1, 2, 4, 8]

/** The speed after another press of L (forward, 1) or J (backward, -1). Each press is faster; a turn starts at 1. */
export function shuttle(speed: number, direction: 1 | -1): number {
  if (Math.sign(speed) !== direction) return direction
  return direction * (SPEEDS.find((s) => s > Math.abs(speed)) ?? SPEEDS.at(-1)!)
}

/** The project time of the first frame of a clip at or after ms. Captions that start at ms are drawn from this frame on. */
export function firstFrame(layout: readonly Span[], rates: readonly number[], ms: number): number {
  const at = clipAt(layout, ms)
  if (!at) return 0
  const rate = rates[at.index] || 30
  const { startMs, endMs } = layout[at.index]!
  return Math.min(startMs + (Math.ceil((at.ms * rate) / 1000 - 0.001) * 1000) / rate, endMs)
}

/** Project time ms moved by whole frames, on the frame grid of the clip at ms and within the project. */
export function stepFrames(layout: readonly Span[], rates: readonly number[], ms: number, frames: number): number {
  const at = clipAt(layout, ms)
  if (!at) return 0
  const rate = rates[at.index] || 30
  const frame = Math.round((at.ms * rate) / 1000) + frames
  const total = layout.at(-1)!.endMs
  return Math.min(Math.max(layout[at.index]!.startMs + (frame * 1000) / rate, 0), total)
}
