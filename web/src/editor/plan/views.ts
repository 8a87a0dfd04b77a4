// The part of the footage that each frame of an export shows. Package media in Go computes the same;
// media/testdata/view_vectors.json tests both.

import type { Size } from './captionStyle'
import { frameAt, msAt, type RenderPlan, type Segment } from './renderPlan'

/** Enlarges every other segment of a recording; the point x, y of the frame keeps its place. */
export interface PunchIn {
  /** Enlarges nothing at 100. */
  scale_percent: number
  /** Whether the size changes gradually after a join. */
  ease: boolean
  /** Whether the face in a segment takes the place of the point, if one was found. */
  center: 'face' | 'point'
  x: number
  y: number
}

/** A choice for the join at a time of a recording, which has an effect while the cuts remove that time. */
export interface JoinChoice {
  atMs: number
  /** Whether the segment after the join is enlarged; undefined alternates. */
  size?: 'in' | 'out'
  /** How the size changes; undefined is the choice of the punch-in. */
  change?: 'hard' | 'eased'
}

/** The facts about a recording that a punch-in depends on. */
export interface PunchedRecording {
  video: boolean
  /** In order of time. */
  joins: readonly JoinChoice[]
}

/** Which segments of a plan a punch-in enlarges. */
export interface PunchPlan {
  /** The enlargement, at least 1. */
  scale: number
  enlarged: readonly boolean[]
  /** The choice for the join at the start of each segment. */
  joins: readonly (JoinChoice | undefined)[]
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
  /** The size of each recording, null without video, and where its face is; without a face, the list is empty. */
  faces: readonly { size: Size | null; center: readonly CropPoint[] }[]
  /** The size of the frame, in the unit of the sizes of the recordings or another one. */
  frame: Size
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
/** The enlargement after a single join if the others have none, in percent. */
export const DEFAULT_PUNCH_IN = 115

const sameInput = (a: Segment | undefined, b: Segment) => a?.input === b.input

/** Plans the punch-in of a video. Without a scale, only joins with the size `in` enlarge. */
export function planPunchIn(
  { rate, segments }: RenderPlan,
  { scale_percent }: PunchIn,
  recordings: readonly PunchedRecording[],
): PunchPlan {
  const single = scale_percent === 100
  const scale = (single && recordings.some((r) => r.joins.length > 0) ? DEFAULT_PUNCH_IN : scale_percent) / 100
  const enlarged: boolean[] = []
  const joins = segments.map((s, i) => {
    const last = segments[i - 1]
    const join = last && sameInput(last, s) ? joinBetween(rate, recordings[s.input]?.joins ?? [], last, s) : undefined
    const can = scale > 1 && sameInput(last, s) && recordings[s.input]?.video === true
    enlarged.push(can && (join?.size ? join.size === 'in' : !single && !enlarged[i - 1]))
    return join
  })

  return { scale, enlarged, joins }
}

// joinBetween is the last choice in the footage that is cut between two segments.
function joinBetween(rate: RenderPlan['rate'], joins: readonly JoinChoice[], last: Segment, next: Segment) {
  const [from, to] = [msAt(rate, last.out), msAt(rate, next.in)]
  return joins.filter((j) => j.atMs >= from && j.atMs <= to).at(-1)
}

/** The view of an output frame. */
export function viewAt(plan: RenderPlan, punched: PunchPlan, options: ViewOptions, frame: number): View {
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
  const crop = flipPoint(options, [x, y])
  const face = punchIn.center === 'face' ? options.faces[segment.input] : undefined
  const middle = (Math.floor((segment.in + segment.out) / 2) * 1000 * plan.rate.den) / plan.rate.num
  return {
    crop,
    scale: scaleAt(plan, punched, punchIn.ease, lo, n),
    point:
      face?.size && face.center.length > 0
        ? placeInFrame(flipPoint(options, cropAt(face.center, middle)), crop, face.size, options)
        : [punchIn.x, punchIn.y],
  }
}

const flipPoint = ({ flipH, flipV }: ViewOptions, [x, y]: readonly [number, number]) =>
  [flipH ? 1 - x : x, flipV ? 1 - y : y] as const

// placeInFrame is where the frame shows a point of the footage without a punch-in, as fractions of its sides.
function placeInFrame(
  point: readonly [number, number],
  center: readonly [number, number],
  footage: Size,
  { crop, frame }: ViewOptions,
): readonly [number, number] {
  const ratios = [frame.width / footage.width, frame.height / footage.height] as const
  const scale = crop ? Math.max(...ratios) : Math.min(...ratios)
  const place = (at: number, middle: number, all: number, part: number) => {
    const free = all * scale - part
    const left = free > 0 ? Math.min(Math.max(middle * all * scale - part / 2, 0), free) : free / 2
    return Math.min(Math.max((at * all * scale - left) / part, 0), 1)
  }

  return [
    place(point[0], center[0], footage.width, frame.width),
    place(point[1], center[1], footage.height, frame.height),
  ]
}

function scaleAt(plan: RenderPlan, punched: PunchPlan, ease: boolean, index: number, n: number): number {
  const segment = plan.segments[index]!
  const scale = punched.enlarged[index] ? punched.scale : 1
  const last = punched.enlarged[index - 1] && sameInput(plan.segments[index - 1], segment) ? punched.scale : 1
  const change = punched.joins[index]?.change ?? (ease ? 'eased' : 'hard')
  const frames = change === 'eased' ? Math.min(frameAt(plan.rate, EASE_MS), segment.out - segment.in) : 0
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
