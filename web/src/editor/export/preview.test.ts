import { describe, expect, it } from 'vitest'
import vectors from '../../../../media/testdata/preview_vectors.json'
import type { Placement } from '../../api/edits'
import { captionAt, timeCaptions } from '../captions/captionTiming'
import { textBox, resolveStyle, fitCaption, breakRows, type CaptionOptions } from '../captions/captionStyle'
import {
  estimateBytes,
  applyPlatform,
  applyPreset,
  matchesPlatform,
  parseOptions,
  PLATFORMS,
  toExportSettings,
  frameSize,
  DEFAULT_OPTIONS,
} from './exportOptions'
import { renderNotes, retentionNote } from './exportSummary'
import { mainGain } from '../player/ducking'
import { makeTimeMap } from '../player/timeMap'
import { placeOverlay, type PlacementOptions } from '../player/overlays'
import { layOutClips, makePlan } from '../timeline/renderPlan'

const cuts = vectors.cuts.map((c) => ({ startMs: c.start_ms, endMs: c.end_ms }))
const outline = makeTimeMap(makePlan(vectors.rate, vectors.clips_ms, cuts), layOutClips(vectors.clips_ms))
const shown = (t: { text: string; start_ms: number; end_ms: number }) => ({
  text: t.text,
  startMs: t.start_ms,
  endMs: t.end_ms,
})

describe('the vectors that the export answers too', () => {
  it('captions follow the cuts', () => {
    expect(timeCaptions(outline, vectors.lines, vectors.words)).toEqual(
      vectors.captions.map((c) => ({ ...shown(c), words: c.words.map(shown) })),
    )
  })

  for (const o of vectors.overlays) {
    it(`a placed asset lies where it will: ${o.name}`, () => {
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
      const size = frameSize({ resolution: '720p', aspect_ratio: o.aspect as '16:9' })
      expect(
        placeOverlay(outline, p, { width: o.asset[0]!, height: o.asset[1]!, kind: 'image', durationMs: null }, size),
      ).toMatchObject(o.want)
    })
  }
})

describe('captions', () => {
  const captions = timeCaptions(outline, vectors.lines, vectors.words)

  it('are shown from their start to before their end, and light up the word that is being said', () => {
    expect(captionAt(captions, 999)).toBeNull()
    expect(captionAt(captions, 1000)).toMatchObject({ caption: { text: 'one three' }, word: 0 })
    expect(captionAt(captions, 1499)?.word).toBe(0)
    expect(captionAt(captions, 1500)?.word).toBe(1)
    expect(captionAt(captions, 2000)).toBeNull()
  })

  const each = (text: string) => [...text].length * 10
  const rows = (text: string, width: number) => breakRows(text, width, each).map((r) => text.slice(r.from, r.to))

  it('break into rows that are alike, and where a person broke them', () => {
    expect(rows('aaaa bbbb cccc dd', 160)).toEqual(['aaaa bbbb', 'cccc dd'])
    expect(rows('aaaa bbbb\ncc', 1000)).toEqual(['aaaa bbbb', 'cc'])
    expect(rows('unbreakable', 20)).toEqual(['unbreakable'])
  })

  const choice: CaptionOptions = { style: 'classic', font_size: 0, position: 'bottom', color: '#ffffff', font: '' }
  const frame = { width: 1280, height: 720 }

  it('never leave the picture: words that are too wide are broken, rows that are too many made smaller', () => {
    const style = resolveStyle({ ...choice, font_size: 120 }, frame)
    const measure = (t: string) => [...t].length * style.size * 0.6
    const fitted = fitCaption('w'.repeat(490), style, frame, measure)
    expect(fitted.style.size).toBeLessThan(style.size)
    expect(fitted.text.replaceAll('\n', '')).toBe('w'.repeat(490))
    const box = textBox(fitted, frame)
    expect(box.top).toBeGreaterThanOrEqual(0)
    expect(box.left).toBeGreaterThanOrEqual(style.side - 1)
  })

  it('stay clear of what phones lay over the foot of an upright video', () => {
    expect(resolveStyle(choice, { width: 720, height: 1280 }).edgeDistance).toBe(204)
    expect(resolveStyle(choice, frame).edgeDistance).toBe(50)
  })
})

describe('the look of an export', () => {
  it('is kept, and what is broken in what was kept is as usual', () => {
    expect(parseOptions(null)).toEqual(DEFAULT_OPTIONS)
    expect(parseOptions('{')).toEqual(DEFAULT_OPTIONS)
    expect(
      parseOptions(
        '{"fit":"crop","resolution":"8k","letterbox_background":"red","audio":{"normalize":1},"captions":{"style":"bold","font_size":"x"}}',
      ),
    ).toEqual({ ...DEFAULT_OPTIONS, fit: 'crop', captions: { ...DEFAULT_OPTIONS.captions, style: 'bold' } })
  })

  it('leaves out what is left open', () => {
    expect(toExportSettings(DEFAULT_OPTIONS).captions).not.toHaveProperty('font_size')
    expect(
      toExportSettings({ ...DEFAULT_OPTIONS, captions: { ...DEFAULT_OPTIONS.captions, font_size: 60 } }).captions,
    ).toHaveProperty('font_size', 60)
  })

  it('is that of a platform once it is chosen, and captions stay', () => {
    for (const p of PLATFORMS) expect(matchesPlatform(applyPlatform(DEFAULT_OPTIONS, p), p)).toBe(true)
    expect(PLATFORMS.filter((p) => matchesPlatform(DEFAULT_OPTIONS, p))).toEqual([])
  })

  it('takes over a saved look', () => {
    const preset = {
      uuid: '',
      name: '',
      format: '1:1',
      background: '#ff0000',
      caption_style: 'bold',
      caption_font: '',
      caption_size: 70,
      caption_position: 'top',
      caption_color: '#00ff00',
      caption_length: 'short',
      video_flip_h: true,
      video_flip_v: false,
      created_at: '',
      updated_at: '',
    } as const
    expect(applyPreset(DEFAULT_OPTIONS, preset)).toMatchObject({
      aspect_ratio: '1:1',
      video_flip_h: true,
      captions: { style: 'bold', font_size: 70, enabled: false },
    })
  })

  it('has a size that the last export of the same picture tells', () => {
    const size = frameSize(DEFAULT_OPTIONS)
    expect(
      estimateBytes(10_000, size, 30, [{ width: 1920, height: 1080, duration_ms: 5_000, size_bytes: 1_000 }]),
    ).toBe(2_000)
    expect(estimateBytes(10_000, size, 30, [])).toBeGreaterThan(1_000_000)
  })
})

it('the main sound makes way for an asset, and comes back', () => {
  const heard = [{ startMs: 1000, endMs: 2000, replace: false, duck: true }]
  expect(mainGain(500, heard)).toBe(1)
  expect(mainGain(1500, heard)).toBeCloseTo(0.251, 3)
  expect(mainGain(2200, heard)).toBeCloseTo(0.501, 3)
  expect(mainGain(1500, [{ ...heard[0]!, replace: true }])).toBe(0)
})

it('a finished export says how it was made', () => {
  const made = {
    copied_frames: 90,
    encoded_frames: 10,
    kept_frames: 0,
    encoded_because: null,
    verified_parts: 1,
    repeated_because: null,
    video_codec: 'h264' as const,
    h264_because: null,
  }
  expect(renderNotes(made)).toEqual([
    '90 % of the picture is copied from your recording without loss.',
    '1 part of the finished file was compared with your recording.',
  ])
  expect(renderNotes({ ...made, verified_parts: 0, video_codec: 'hevc' })).toContain(
    'The picture is HEVC, as it was recorded.',
  )
  expect(renderNotes({ ...made, h264_because: 'its size is another' })).toContain(
    'It could not stay HEVC and became H.264: its size is another',
  )
  expect(retentionNote('2026-01-11T00:00:00Z', Date.parse('2026-01-01T12:00:00Z'))).toBe(
    'The file is kept for 10 more days.',
  )
})
