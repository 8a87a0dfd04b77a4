// The part of the footage that each frame of an export shows. Package media in Go computes the same;
// media/testdata/view_vectors.json tests both.

import type { Size } from '../captions/captionStyle'
import { frameAt, type RenderPlan, type Segment } from '../timeline/renderPlan'

/** Enlarges every other segment of a recording; the point x, y of the frame keeps its place. */
export interface PunchIn {
  /** Enlarges nothing at 100. */
  scale_percent: number
  /** Whether the size changes gradually after a join. */
  ease: boolean
  x: number
  y: number
}

/** Where the crop of a recording is centered at a time of the recording, as fractions of the sides of the footage. */
export interface CropPoint {
  atMs: number
  x: number
  y: number
}

/** The options that decide the views of a video. */
export interface ViewOptions {
  punchIn: PunchIn
  flipH: boolean
  flipV: boolean
  /** The keyframes of each recording in order of time; null if the fit does not crop. */
  crop: readonly (readonly CropPoint[])[] | null
}

/** The visible part of the footage. */
export interface View {
  /** Center of the crop, as a fraction of the footage after flips. */
  crop: readonly [x: number, y: number]
  /** Enlargement of the crop. */
  scale: number
  /** The point of the crop that keeps its place. */
  point: readonly [x: number, y: number]
}

const EASE_MS = 400

const follows = (a: Segment | undefined, b: Segment) => a?.input === b.input

/** Whether a punch-in enlarges each segment. */
export function punchedSegments({ segments }: RenderPlan, { scale_percent }: PunchIn): readonly boolean[] {
  const punched: boolean[] = []
  segments.forEach((s, i) => punched.push(scale_percent > 100 && follows(segments[i - 1], s) && !punched[i - 1]))
  return punched
}

/** The view of an output frame. */
export function viewAt(plan: RenderPlan, punched: readonly boolean[], options: ViewOptions, frame: number): View {
  let lo = 0
  let hi = plan.segments.length - 1
  while (lo < hi) {
    const mid = (lo + hi + 1) >> 1
    if (plan.segments[mid]!.start <= frame) lo = mid
    else hi = mid - 1
  }
  const { punchIn } = options
  const segment = plan.segments[lo]
  if (!segment) return { crop: [0.5, 0.5], scale: 1, point: [punchIn.x, punchIn.y] }
  const n = frame - segment.start
  const ms = ((segment.in + n) * 1000 * plan.rate.den) / plan.rate.num
  const [x, y] = cropAt(options.crop?.[segment.input] ?? [], ms)
  return {
    crop: [options.flipH ? 1 - x : x, options.flipV ? 1 - y : y],
    scale: scaleAt(plan, punched, punchIn, lo, n),
    point: [punchIn.x, punchIn.y],
  }
}

function scaleAt(plan: RenderPlan, punched: readonly boolean[], punchIn: PunchIn, index: number, n: number): number {
  const segment = plan.segments[index]!
  const enlarged = punchIn.scale_percent / 100
  const scale = punched[index] ? enlarged : 1
  const last = punched[index - 1] && follows(plan.segments[index - 1], segment) ? enlarged : 1
  const frames = punchIn.ease ? Math.min(frameAt(plan.rate, EASE_MS), segment.out - segment.in) : 0
  if (n >= frames || last === scale) return scale
  const u = n / frames
  return last + (scale - last) * u * u * (3 - 2 * u)
}

/** The center of the crop of a recording at a time of it. */
export function cropAt(keys: readonly CropPoint[], ms: number): readonly [x: number, y: number] {
  const next = keys.findIndex((k) => k.atMs > ms)
  const before = next < 0 ? keys.at(-1) : keys[next - 1]
  const after = next < 0 ? before : keys[next]
  if (!before || !after) return after ? [after.x, after.y] : [0.5, 0.5]
  const u = after === before ? 0 : (ms - before.atMs) / (after.atMs - before.atMs)
  return [before.x + u * (after.x - before.x), before.y + u * (after.y - before.y)]
}

/** The rectangle of footage of a size that fills a frame, in pixels of the footage: left, top, width, height. */
export function windowOf(view: View, footage: Size, frame: Size): readonly [number, number, number, number] {
  const side = (center: number, point: number, all: number, part: number) => {
    const at = Math.min(Math.max(center * all - part / 2, 0), all - part)
    const length = part / view.scale
    return [at + point * (part - length), length] as const
  }
  const [left, width] = side(view.crop[0], view.point[0], footage.width, frame.width)
  const [top, height] = side(view.crop[1], view.point[1], footage.height, frame.height)
  return [left, top, width, height]
}

/** The object-position that centers the crop of footage of a size in a frame: percentages from the left and the top. */
export function cropPosition(center: readonly [number, number], footage: Size, frame: Size): string {
  const scale = Math.max(frame.width / footage.width, frame.height / footage.height)
  const percent = (at: number, all: number, part: number) => {
    const free = all * scale - part
    return free < 0.5 ? 50 : Math.min(Math.max(((at * all * scale - part / 2) / free) * 100, 0), 100)
  }
  return `${percent(center[0], footage.width, frame.width)}% ${percent(center[1], footage.height, frame.height)}%`
}
