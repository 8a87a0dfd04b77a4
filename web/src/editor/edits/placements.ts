// Placed assets on the timeline: defaults, moving, trimming, splitting and rows.

import type { EditChange, Placement } from '../../api/edits'
import { localID, MIN_CUT_MS } from './cuts'
import type { EditAction } from './editAction'

/** The fields of an asset that placing it needs. */
export interface Placeable {
  asset_file_id: string
  kind: 'image' | 'video' | 'audio'
  /** Null for images. */
  duration_ms: number | null
  display_name: string
}

/** Initial duration of a placed image, in milliseconds. */
const IMAGE_MS = 5000

/** The shortest audio that is music, in milliseconds. Shorter audio is a sound effect. */
const MUSIC_MS = 30_000

const PLAIN = {
  audio_volume_percent: 100,
  audio_duck_under_voice: false,
  fade_in_ms: 0,
  fade_out_ms: 0,
  loop: false,
  until_end: false,
}

/** Music under speech: 18 dB quieter than its file, lower while someone speaks, to the end of the project. */
const MUSIC: typeof PLAIN = {
  audio_volume_percent: 13,
  audio_duck_under_voice: true,
  fade_in_ms: 1000,
  fade_out_ms: 3000,
  loop: true,
  until_end: true,
}

/** Whether a placement is music under speech, whatever its volume and fades. */
export const isMusic = (p: Placement) => p.until_end && p.audio_duck_under_voice

/** The change that makes a placement music under speech, or plays its file once as it is. */
export function changeToMusic(p: Placement, on: boolean, durationMs: number | null, totalMs: number): EditChange {
  if (on) return { ...MUSIC, audio_mode: 'mix', audio_duck_main: false, end_ms: totalMs }
  const end = durationMs === null ? totalMs : Math.min(p.start_ms + durationMs - p.asset_offset_ms, totalMs)
  return { ...PLAIN, end_ms: Math.max(end, p.start_ms + MIN_CUT_MS) }
}

/** A new placement at ms that fills the frame. It ends at the end of the project at the latest; null if too short. */
export function newPlacement(asset: Placeable, ms: number, totalMs: number): Placement | null {
  const start = Math.max(Math.round(ms), 0)
  const audio = asset.kind === 'audio'
  const music = audio && (asset.duration_ms ?? 0) >= MUSIC_MS
  const end = music ? totalMs : Math.min(start + (asset.duration_ms ?? IMAGE_MS), totalMs)
  if (end - start < MIN_CUT_MS) return null
  const now = new Date().toISOString()
  return {
    uuid: localID(),
    run_uuid: null,
    type: 'asset',
    start_ms: start,
    end_ms: end,
    active: true,
    reason: '',
    confidence: null,
    created_at: now,
    updated_at: now,
    asset_file_id: asset.asset_file_id,
    asset_offset_ms: 0,
    visual_mode: audio ? 'none' : 'cutaway',
    audio_mode: audio ? 'mix' : 'mute',
    overlay_position: 'center',
    overlay_x: 0.5,
    overlay_y: 0.5,
    overlay_size_percent: 50,
    overlay_opacity_percent: 100,
    overlay_flip_h: false,
    overlay_flip_v: false,
    overlay_rotation_deg: 0,
    audio_duck_main: false,
    ...(music ? MUSIC : PLAIN),
  }
}

/** The span of a placed asset and its start in the file. */
export type Place = Pick<Placement, 'start_ms' | 'end_ms' | 'asset_offset_ms'> & Partial<Pick<Placement, 'until_end'>>

/** The fields of a place, without the others of its placement. */
export const placeOf = ({ start_ms, end_ms, asset_offset_ms, until_end }: Place): Place => ({
  start_ms,
  end_ms,
  asset_offset_ms,
  ...(until_end !== undefined && { until_end }),
})

/** Moves a placement by ms within the project. One that lasts until the end keeps its end. */
export function movePlacement(p: Place, ms: number, totalMs: number): Place {
  const last = p.until_end ? p.end_ms - MIN_CUT_MS - p.start_ms : totalMs - p.end_ms
  const by = Math.min(Math.max(Math.round(ms), -p.start_ms), last)
  return placeOf({ ...p, start_ms: p.start_ms + by, end_ms: p.until_end ? p.end_ms : p.end_ms + by })
}

/**
 * Moves the start or end of a placement to ms. Video and audio stay in sync with the timeline, and within their file unless
 * they loop.
 */
export function resizePlacement(
  p: Place & Pick<Placement, 'loop'>,
  edge: 'start' | 'end',
  ms: number,
  durationMs: number | null,
  totalMs: number,
): Place {
  const { start_ms, end_ms, asset_offset_ms, loop } = p
  const limited = durationMs !== null && !loop
  if (edge === 'end') {
    const most = limited ? Math.min(start_ms + durationMs - asset_offset_ms, totalMs) : totalMs
    const end = Math.max(Math.min(Math.round(ms), most), start_ms + MIN_CUT_MS)
    return placeOf({ ...p, end_ms: end, ...(p.until_end && { until_end: end >= totalMs }) })
  }

  const least = limited ? Math.max(start_ms - asset_offset_ms, 0) : 0
  const start = Math.min(Math.max(Math.round(ms), least), end_ms - MIN_CUT_MS)
  const asset_offset = offsetAfter(asset_offset_ms, start - start_ms, durationMs, loop)
  return placeOf({ ...p, start_ms: start, asset_offset_ms: asset_offset })
}

// offsetAfter is the start in a file that keeps a placement in sync if it starts ms later.
function offsetAfter(offsetMs: number, ms: number, durationMs: number | null, loop: boolean): number {
  if (durationMs === null) return offsetMs
  const after = offsetMs + ms
  return loop ? ((after % durationMs) + durationMs) % durationMs : after
}

/**
 * Splits a placement at ms. The second half continues in the file of video and audio. Returns null if a half would be too
 * short.
 */
export function splitPlacement(
  p: Placement,
  ms: number,
  durationMs: number | null,
): { act: EditAction; second: string } | null {
  if (ms - p.start_ms < MIN_CUT_MS || p.end_ms - ms < MIN_CUT_MS) return null
  const second = {
    ...p,
    uuid: localID(),
    start_ms: ms,
    asset_offset_ms: offsetAfter(p.asset_offset_ms, ms - p.start_ms, durationMs, p.loop),
  }

  const to = { end_ms: ms, ...(p.until_end && { until_end: false }) }
  return { act: { change: [{ uuid: p.uuid, to }], create: [second] }, second: second.uuid }
}

/** The row of each placement: the first row without an overlap. */
export function laneRows(placements: readonly { start_ms: number; end_ms: number }[]): number[] {
  const ends: number[] = []
  const order = placements.map((_, i) => i).sort((a, b) => placements[a]!.start_ms - placements[b]!.start_ms)
  const rows = new Array<number>(placements.length).fill(0)
  for (const i of order) {
    const p = placements[i]!
    let row = ends.findIndex((end) => end <= p.start_ms)
    if (row < 0) row = ends.length
    ends[row] = p.end_ms
    rows[i] = row
  }

  return rows
}

/** Assets whose name or tags contain, for each word of q, a word that starts with it. */
export function matchingAssets<T extends { display_name: string; tags: readonly string[] }>(
  assets: readonly T[],
  q: string,
): readonly T[] {
  const wanted = q.toLowerCase().split(/\s+/).filter(Boolean)
  if (wanted.length === 0) return assets
  return assets.filter((a) => {
    const words = [a.display_name, ...a.tags]
      .join(' ')
      .toLowerCase()
      .split(/[^\p{L}\p{N}\p{M}]+/u)

    return wanted.every((w) => words.some((word) => word.startsWith(w)))
  })
}

/** The approximate center of an overlay at a named position. A custom position starts there. */
export const CENTERS: Record<Exclude<Placement['overlay_position'], 'custom'>, readonly [x: number, y: number]> = {
  top_left: [0.25, 0.25],
  top: [0.5, 0.25],
  top_right: [0.75, 0.25],
  left: [0.25, 0.5],
  center: [0.5, 0.5],
  right: [0.75, 0.5],
  bottom_left: [0.25, 0.75],
  bottom: [0.5, 0.75],
  bottom_right: [0.75, 0.75],
}
