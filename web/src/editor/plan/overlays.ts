// Positions of placed assets in the frame of an export. Package media in Go computes the same positions;
// media/testdata/preview_vectors.json tests both.

import type { Placement } from '../../api/edits'
import type { Size } from './captionStyle'
import { frameAt, msAt, type Rate } from './renderPlan'
import { outputSpan, type TimeMap } from './timeMap'

/** The properties of an asset that decide how it appears; width and height are null for audio. */
export interface AssetMedia {
  width: number | null
  height: number | null
  kind: 'image' | 'video' | 'audio'
  /** Null for images. */
  durationMs: number | null
}

/** The options of a placement. */
export type PlacementOptions = Omit<
  Placement,
  'uuid' | 'run_uuid' | 'type' | 'active' | 'reason' | 'confidence' | 'created_at' | 'updated_at' | 'asset_file_id'
>

/** A placed asset on output frames [in, out); lengths are output pixels. */
export interface Overlay {
  in: number
  out: number
  /** First frame of the asset, at the frame rate of the plan. */
  first: number
  width: number
  height: number
  /** Position of the bounding box after rotation. */
  left: number
  top: number
  /** Size of the bounding box after rotation. */
  turned: readonly [width: number, height: number]
  rotation: number
}

/** Distance of positioned overlays from the edges, as a share of the short side. */
const MARGIN = 0.04
/** Largest size of an overlay relative to the frame. */
const EXCESS = 4

/** The output span of a placed asset; video and audio end at the end of their file. Null if all of it is cut. */
export function placementSpan(
  timeMap: TimeMap,
  p: PlacementOptions,
  asset: AssetMedia,
): { startMs: number; endMs: number } | null {
  const span = outputSpan(timeMap, { startMs: p.start_ms, endMs: p.end_ms })
  if (!span) return null
  if (asset.durationMs !== null && !p.loop)
    span.endMs = Math.min(span.endMs, span.startMs + asset.durationMs - p.asset_offset_ms)
  return span.endMs > span.startMs ? span : null
}

/** The overlay of a placed asset in a frame; null if nothing of it is visible. */
export function placeOverlay(timeMap: TimeMap, p: PlacementOptions, asset: AssetMedia, frame: Size): Overlay | null {
  const span = placementSpan(timeMap, p, asset)
  if (!span || !asset.width || !asset.height || p.overlay_opacity_percent <= 0 || p.visual_mode === 'none') return null
  const { rate, frames } = timeMap.plan
  const from = Math.max(0, frameAt(rate, span.startMs))
  const to = Math.min(frames, frameAt(rate, span.endMs))
  if (to <= from) return null
  const first = Math.max(0, frameAt(rate, p.asset_offset_ms + msAt(rate, from) - span.startMs))
  const place =
    p.visual_mode === 'cutaway'
      ? placeCutaway(asset.width, asset.height, frame)
      : placeInset(asset.width, asset.height, frame, p)

  return { in: from, out: to, first, ...place }
}

/** The share of its opacity that an overlay has at an output frame in its range. */
export function overlayShare(rate: Rate, p: PlacementOptions, overlay: Overlay, frame: number): number {
  const [fadeIn, fadeOut] = [frameAt(rate, p.fade_in_ms), frameAt(rate, p.fade_out_ms)]
  const [from, to] = [frame - overlay.in + 1, overlay.out - frame]
  return Math.min(1, from / (fadeIn + 1), to / (fadeOut + 1))
}

/** The share of its volume that a placed asset has at output time ms within its span. */
export function volumeShare(p: PlacementOptions, span: { startMs: number; endMs: number }, ms: number): number {
  const most = (span.endMs - span.startMs) / 2
  const rise = (passed: number, fade: number) =>
    passed < Math.min(fade, most) ? 0.5 - 0.5 * Math.cos((Math.PI * passed) / Math.min(fade, most)) : 1

  return rise(ms - span.startMs, p.fade_in_ms) * rise(span.endMs - ms, p.fade_out_ms)
}

type Place = Pick<Overlay, 'width' | 'height' | 'left' | 'top' | 'turned' | 'rotation'>

const nearestEven = (n: number) => Math.max(2, 2 * roundHalfAway(n / 2))
// roundHalfAway rounds halves away from zero, like the render.
const roundHalfAway = (n: number) => Math.sign(n) * Math.round(Math.abs(n))
// evenHalf is half of an even number, rounded down to an even number.
const evenHalf = (n: number) => 2 * Math.floor(Math.trunc(n / 2) / 2)

function placeCutaway(width: number, height: number, frame: Size): Place {
  const scale = Math.max(frame.width / width, frame.height / height)
  const size = (side: number, least: number) => Math.min(Math.max(nearestEven(side * scale), least), EXCESS * least)
  const [w, h] = [size(width, frame.width), size(height, frame.height)]
  return {
    width: w,
    height: h,
    left: 0 - evenHalf(w - frame.width),
    top: 0 - evenHalf(h - frame.height),
    turned: [w, h],
    rotation: 0,
  }
}

const COLUMNS = { left: 0, middle: 1, right: 2 }

function placeInset(width: number, height: number, frame: Size, p: PlacementOptions): Place {
  let w = (frame.width * p.overlay_size_percent) / 100
  let h = (w * height) / width
  const most = EXCESS * frame.height
  if (h > most) [w, h] = [(w * most) / h, most]
  ;[w, h] = [nearestEven(w), nearestEven(h)]
  let turned: readonly [number, number] = [w, h]
  if (p.overlay_rotation_deg !== 0) {
    const angle = (p.overlay_rotation_deg * Math.PI) / 180
    const [sin, cos] = [Math.abs(Math.sin(angle)), Math.abs(Math.cos(angle))]
    turned = [nearestEven(w * cos + h * sin) + 2, nearestEven(w * sin + h * cos) + 2]
  }

  const margin = roundHalfAway(MARGIN * Math.min(frame.width, frame.height))
  const at = (cell: number, side: number, box: number) => {
    const between = Math.trunc((side - box) / 2)
    const gap = Math.max(0, Math.min(margin, between))
    return [gap, between, side - box - gap][cell]!
  }

  const name = p.overlay_position
  const column = name.endsWith('left') ? COLUMNS.left : name.endsWith('right') ? COLUMNS.right : COLUMNS.middle
  const row = name.startsWith('top') ? 0 : name.startsWith('bottom') ? 2 : 1
  const custom = name === 'custom'
  return {
    width: w,
    height: h,
    turned,
    rotation: p.overlay_rotation_deg,
    left: custom ? roundHalfAway(p.overlay_x * frame.width - turned[0] / 2) : at(column, frame.width, turned[0]),
    top: custom ? roundHalfAway(p.overlay_y * frame.height - turned[1] / 2) : at(row, frame.height, turned[1]),
  }
}
