import { describe, expect, it } from 'vitest'
import vectors from '../../../../media/testdata/preview_vectors.json'
import type { Placement } from '../../api/edits'
import { frameSize } from '../export/exportOptions'
import { layOutClips, makePlan } from '../timeline/renderPlan'
import { placeOverlay, type PlacementOptions } from './overlays'
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
