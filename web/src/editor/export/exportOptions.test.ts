import { describe, expect, it } from 'vitest'
import {
  applyPlatform,
  applyPreset,
  DEFAULT_OPTIONS,
  estimateBytes,
  frameSize,
  matchesPlatform,
  parseOptions,
  PLATFORMS,
  toExportSettings,
} from './exportOptions'

describe('export options', () => {
  it('replace invalid stored values by defaults', () => {
    expect(parseOptions(null)).toEqual(DEFAULT_OPTIONS)
    expect(parseOptions('{')).toEqual(DEFAULT_OPTIONS)
    expect(
      parseOptions(
        '{"fit":"crop","resolution":"8k","letterbox_background":"red","audio":{"normalize":1},"captions":{"style":"bold","font_size":"x"}}',
      ),
    ).toEqual({ ...DEFAULT_OPTIONS, fit: 'crop', captions: { ...DEFAULT_OPTIONS.captions, style: 'bold' } })
  })

  it('omit values that are left to the server', () => {
    expect(toExportSettings(DEFAULT_OPTIONS).captions).not.toHaveProperty('font_size')
    expect(
      toExportSettings({ ...DEFAULT_OPTIONS, captions: { ...DEFAULT_OPTIONS.captions, font_size: 60 } }).captions,
    ).toHaveProperty('font_size', 60)
  })

  it('match a platform once it is applied', () => {
    for (const p of PLATFORMS) expect(matchesPlatform(applyPlatform(DEFAULT_OPTIONS, p), p)).toBe(true)
    expect(PLATFORMS.filter((p) => matchesPlatform(DEFAULT_OPTIONS, p))).toEqual([])
  })

  it('apply a preview preset', () => {
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

  it('estimate the file size from the last export of the same frame size', () => {
    const size = frameSize(DEFAULT_OPTIONS)
    expect(
      estimateBytes(10_000, size, 30, [{ width: 1920, height: 1080, duration_ms: 5_000, size_bytes: 1_000 }]),
    ).toBe(2_000)
    expect(estimateBytes(10_000, size, 30, [])).toBeGreaterThan(1_000_000)
  })
})
