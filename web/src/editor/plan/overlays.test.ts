import { describe, expect, it } from 'vitest'
import vectors from '../../../../media/testdata/preview_vectors.json'
import type { Placement } from '../../api/edits'
import { frameSize } from '../state/exportOptions'
import { layOutClips, makePlan } from './renderPlan'
import { newPlacement } from '../edits/placements'
import { overlayShare, placeOverlay, placementSpan, volumeShare, type PlacementOptions } from './overlays'
import { makeTimeMap } from './timeMap'

const cuts = vectors.cuts.map((c) => ({ startMs: c.start_ms, endMs: c.end_ms }))
const timeMap = makeTimeMap(makePlan(vectors.rate, vectors.clips_ms, cuts), layOutClips(vectors.clips_ms))
describe('overlays match the render', () => {
  for (const o of vectors.overlays) {
    it(o.name, () => {
      const p: PlacementOptions = {
        start_ms: 0,
        end_ms: 5000,
        asset_offset_ms: 0,
        visual_mode: 'overlay',
        audio_mode: 'mute',
        overlay_opacity_percent: 100,
        overlay_flip_h: false,
        overlay_flip_v: false,
        audio_volume_percent: 100,
        audio_duck_main: false,
        audio_duck_under_voice: false,
        fade_in_ms: 0,
        fade_out_ms: 0,
        loop: false,
        until_end: false,
        overlay_size_percent: o.place.overlay_size_percent,
        overlay_rotation_deg: o.place.overlay_rotation_deg,
        overlay_x: o.place.overlay_x,
        overlay_y: o.place.overlay_y,
        overlay_position: o.place.overlay_position as Placement['overlay_position'],
      }

      if (o.place.visual_mode === 'cutaway') p.visual_mode = 'cutaway'
      const size = frameSize({ resolution: '720p', aspect_ratio: o.aspect as '16:9' }, null)
      expect(
        placeOverlay(timeMap, p, { width: o.asset[0]!, height: o.asset[1]!, kind: 'image', durationMs: null }, size),
      ).toMatchObject(o.want)
    })
  }
})

describe('fades and loops', () => {
  const asset = { asset_file_id: 'f', kind: 'video' as const, duration_ms: 1000, display_name: 'v' }
  const placed = { ...newPlacement(asset, 0, 9000)!, end_ms: 4000, fade_in_ms: 1000, fade_out_ms: 500 }
  const media = { width: 640, height: 360, kind: 'video' as const, durationMs: 1000 }
  it('plays a looping asset for its whole span', () => {
    const long = placementSpan(timeMap, { ...placed, loop: true }, media)!
    expect(long.endMs).toBe(3400) // a cut removes 600 ms
    expect(placementSpan(timeMap, placed, media)!.endMs).toBe(1000)
  })

  it('fades pictures as the export does', () => {
    const overlay = placeOverlay(timeMap, { ...placed, loop: true }, media, { width: 1280, height: 720 })!
    const share = (frame: number) => overlayShare(vectors.rate, placed, overlay, frame)
    expect(share(overlay.in)).toBeCloseTo(1 / 31)
    expect(share(overlay.in + 14)).toBeCloseTo(15 / 31)
    expect(share(overlay.in + 40)).toBe(1)
    expect(share(overlay.out - 1)).toBeCloseTo(1 / 16)
  })

  it('fades audio with half a cosine', () => {
    const span = { startMs: 1000, endMs: 5000 }
    expect([1000, 1500, 2500, 4750, 5000].map((ms) => volumeShare(placed, span, ms))).toEqual([
      0,
      expect.closeTo(0.5),
      1,
      expect.closeTo(0.5),
      0,
    ])
  })
})
