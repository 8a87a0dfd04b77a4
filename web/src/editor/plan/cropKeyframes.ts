// Keyframes of the crop, as the options of the export hold them.

import type { CropPoint } from './views'

/** Where the crop of a clip is centered at a time of the clip, as fractions of the sides of the footage. */
export interface CropKeyframe {
  clip_uuid: string
  at_ms: number
  x: number
  y: number
}

/** The most keyframes that an export accepts. */
const MOST = 1000
/** Keyframes that are nearer than this count as one, in milliseconds. */
const SAME_MS = 40

/** The keyframes of a clip in order of time. */
export const keyframesOf = (all: readonly CropKeyframe[], clip: string): CropPoint[] =>
  all
    .filter((k) => k.clip_uuid === clip)
    .map((k) => ({ atMs: k.at_ms, x: k.x, y: k.y }))
    .sort((a, b) => a.atMs - b.atMs)

/** The keyframe of a clip at a time; undefined if none is there. */
export const keyframeAt = (all: readonly CropKeyframe[], clip: string, ms: number) =>
  all.find((k) => k.clip_uuid === clip && Math.abs(k.at_ms - ms) < SAME_MS)

/** Sets the keyframe of a clip at a time. The oldest give way to new ones. */
export function setKeyframe(all: readonly CropKeyframe[], to: CropKeyframe): CropKeyframe[] {
  const there = keyframeAt(all, to.clip_uuid, to.at_ms)
  return [...all.filter((k) => k !== there), { ...to, at_ms: there?.at_ms ?? Math.max(Math.round(to.at_ms), 0) }].slice(
    -MOST,
  )
}

/** Removes the keyframe of a clip at a time. */
export function removeKeyframe(all: readonly CropKeyframe[], clip: string, ms: number): CropKeyframe[] {
  const there = keyframeAt(all, clip, ms)
  return all.filter((k) => k !== there)
}
