import { describe, expect, it } from 'vitest'
import type { ExportSettings } from '../../api/exports'
import {
  applyPlatform,
  applyPreset,
  defaultFormat,
  DEFAULT_OPTIONS,
  distinctName,
  frameSize,
  matchesPlatform,
  optionsForNew,
  optionsOfNewShort,
  optionsOfShort,
  type ExportOptions,
  otherFormat,
  parseOptions,
  PLATFORMS,
  RECORDED,
  resolutionsFor,
  settingsOfShort,
  toExportSettings,
  useExportOptions,
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
    for (const p of [RECORDED, ...PLATFORMS]) expect(matchesPlatform(applyPlatform(DEFAULT_OPTIONS, p), p)).toBe(true)
    expect(matchesPlatform(DEFAULT_OPTIONS, RECORDED)).toBe(true)
    expect(PLATFORMS.filter((p) => matchesPlatform(DEFAULT_OPTIONS, p))).toEqual([])
  })

  it('of a new project have the format of its recording', () => {
    for (const p of PLATFORMS)
      expect(matchesPlatform(optionsForNew(applyPlatform(DEFAULT_OPTIONS, p)), RECORDED)).toBe(true)
  })

  it('apply a preview preset', () => {
    const preset = {
      uuid: '',
      name: '',
      format: '1:1',
      file_type: 'mkv',
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
      format: 'mkv',
      aspect_ratio: '1:1',
      video_flip_h: true,
      captions: { style: 'bold', font_size: 70, enabled: false },
    })
  })

  it('have the frame of the recording by default', () => {
    const portrait = { width: 1080, height: 1920 }
    expect(frameSize(DEFAULT_OPTIONS, portrait)).toEqual(portrait)
    expect(frameSize({ resolution: '720p', aspect_ratio: 'source' }, portrait)).toEqual({ width: 720, height: 1280 })
    expect(frameSize({ resolution: 'source', aspect_ratio: '16:9' }, portrait)).toEqual({ width: 1920, height: 1080 })
    expect(frameSize({ resolution: '2160p', aspect_ratio: '1:1' }, portrait)).toEqual({ width: 2160, height: 2160 })
    expect(frameSize({ resolution: 'source', aspect_ratio: 'source' }, { width: 640, height: 361 })).toEqual({
      width: 640,
      height: 362,
    })

    expect(frameSize(DEFAULT_OPTIONS, null)).toEqual({ width: 1920, height: 1080 })
  })

  it('offer 1440p and 2160p only to recordings that have them', () => {
    expect(resolutionsFor({ width: 1920, height: 1080 }, 'source')).toEqual(['source', '720p', '1080p'])
    expect(resolutionsFor({ width: 1440, height: 2560 }, 'source')).toContain('1440p')
    expect(resolutionsFor({ width: 3840, height: 2160 }, 'source')).toContain('2160p')
    expect(resolutionsFor(null, '2160p')).toContain('2160p')
  })

  it('replace the stored defaults of earlier versions, not choices made since', () => {
    const stored = { resolution: '1080p', aspect_ratio: '16:9' }
    expect(parseOptions(JSON.stringify(stored))).toEqual(DEFAULT_OPTIONS)
    expect(parseOptions(JSON.stringify({ ...stored, aspect_ratio: '1:1' })).aspect_ratio).toBe('1:1')
    expect(parseOptions(JSON.stringify({ ...stored, version: 2 })).resolution).toBe('1080p')
  })

  it('find the clip that differs from the first', () => {
    const clip = (name: string, width: number, frame_rate: number) => ({ name, width, height: 720, frame_rate })
    expect(otherFormat([clip('a', 1280, 30), clip('b', 1280, 30)])).toBeNull()
    expect(otherFormat([clip('a', 1280, 30), clip('b', 1280, 25)])?.name).toBe('b')
    expect(otherFormat([{ ...clip('a', 0, 0), width: null }, clip('b', 1280, 25)])).toBeNull()
    expect(otherFormat([])).toBeNull()
  })

  it('propose distinct names', () => {
    expect(distinctName('Talk', [])).toBe('Talk')
    expect(distinctName('Talk', ['Talk', 'Talk 2'])).toBe('Talk 3')
  })
})

it('options of a new project have the file format and loudness of the last ones, and nothing that one sees', () => {
  const kept = { format: 'mkv', audio_censorship: 'bleep', keep_location: true, drop_other_tracks: true } as const
  const audio = { ...DEFAULT_OPTIONS.audio, noise_reduction: true, normalize: true, target_lufs: -23 }
  const last: ExportOptions = {
    ...kept,
    resolution: '720p',
    aspect_ratio: '9:16',
    fit: 'crop',
    letterbox_background: '#ff0000',
    video_flip_h: true,
    video_flip_v: true,
    video_codec: 'h264',
    audio: { ...audio, main_volume_percent: 200, both_ears: true, keep_channels: true },
    punch_in: { ...DEFAULT_OPTIONS.punch_in, scale_percent: 120, ease: true },
    audio_clips: { waveform: false, color: '#ff0000', cover_asset_file_id: 'x' },
    crop_keyframes: [{ clip_uuid: 'a', at_ms: 0, x: 0, y: 0 }],
    captions: { ...DEFAULT_OPTIONS.captions, enabled: true, color: '#ff0000' },
  }

  expect(optionsForNew(last)).toEqual({ ...DEFAULT_OPTIONS, ...kept, audio })
  expect(optionsForNew(optionsForNew(last))).toEqual(optionsForNew(last))
})

describe('the file type of a project without options', () => {
  it('is the one of the first recording if none has video', () => {
    const audio = (content_type: string) => ({ width: null, content_type })
    const types = ['audio/mp4', 'audio/mpeg', 'audio/wav', 'audio/flac', 'audio/ogg', 'audio/aac', 'video/mp4']
    expect(types.map((type) => defaultFormat([audio(type), audio('audio/wav')], 'mp4'))).toEqual([
      ...['m4a', 'mp3', 'wav', 'flac', 'opus', 'm4a', 'm4a'],
    ])

    const video = { width: 1280, content_type: 'video/mp4' }
    expect(defaultFormat([audio('audio/wav'), video], 'mkv')).toBe('mkv')
    expect(defaultFormat([video], 'flac')).toBe('mp4')
  })
})

describe('a short', () => {
  const crop_keyframes = [{ clip_uuid: 'a', at_ms: 0, x: 0.5, y: 0 }]
  const project: ExportOptions = { ...DEFAULT_OPTIONS, format: 'mkv', video_flip_h: true, crop_keyframes }

  it('has the options of its project that it does not set, with its crop and its punch-in', () => {
    expect(optionsOfShort(project, { export_settings: {} })).toEqual(project)
    const export_settings: ExportSettings = { aspect_ratio: '9:16', audio: { normalize: true }, crop_keyframes: [] }
    expect(optionsOfShort(project, { export_settings })).toEqual({
      ...project,
      aspect_ratio: '9:16',
      audio: { ...project.audio, normalize: true },
    })
  })

  it('stores what gives its options again', () => {
    const options = optionsOfNewShort(project, false)
    expect(options).toMatchObject({ aspect_ratio: '9:16', fit: 'crop', format: 'mkv', captions: { enabled: true } })
    expect(optionsOfShort(project, { export_settings: settingsOfShort(options) })).toEqual(options)
    expect(optionsOfNewShort(project, true)).toEqual(project)
  })

  it('leaves the options of its project alone while it is shown, except the crop', () => {
    useExportOptions.setState({ options: project, project, ofShort: false, changed: false })
    const { showShort, change } = useExportOptions.getState()
    showShort({ export_settings: { aspect_ratio: '9:16' } })
    change({ aspect_ratio: '1:1' })
    expect(useExportOptions.getState()).toMatchObject({ options: { aspect_ratio: '1:1' }, project, changed: false })
    change({ crop_keyframes: [] })
    const changed = { ...project, crop_keyframes: [] }
    expect(useExportOptions.getState()).toMatchObject({
      project: changed,
      changed: true,
      options: { aspect_ratio: '1:1' },
    })

    showShort(null)
    expect(useExportOptions.getState().options).toEqual(changed)
  })
})
