// The options of the next export, stored with the project. The preview uses the same options.

import { create } from 'zustand'
import exportFormats from '../../../../media/exportformats.json'
import type { ExportSettings } from '../../api/exports'
import type { PreviewPreset } from '../../api/presets'
import { changeSetting, onSetting, setting } from '../../api/settings'
import type { Short } from '../../api/shorts'
import type { exportText } from '../../text/editor/export'
import { CAPTION_STYLES, DEFAULT_CAPTION_STYLE, type CaptionOptions, type Size } from '../plan/captionStyle'
import type { CropKeyframe } from '../plan/cropKeyframes'
import type { Join } from '../plan/joins'
import type { PunchIn } from '../plan/views'

/** A file format of exports. */
export type ExportFormat = (typeof exportFormats)[number] & { name: NonNullable<ExportSettings['format']> }

/** All file formats; the first one is the default. */
export const FORMATS = exportFormats as ExportFormat[]

/** The file format of some options. */
export const formatOf = ({ format }: Pick<ExportOptions, 'format'>) => FORMATS.find((f) => f.name === format)!

/** What the frame shows during clips without video. */
export interface AudioClips {
  waveform: boolean
  color: string
  /** The file of an image of the library, or empty. */
  cover_asset_file_id: string
}

/** The options of an export; unlike ExportSettings, all are present. */
export interface ExportOptions {
  format: ExportFormat['name']
  /** The short side of the frame; `source` means the first clip's. */
  resolution: 'source' | '720p' | '1080p' | '1440p' | '2160p'
  /** `source` means the first clip's. */
  aspect_ratio: 'source' | '16:9' | '9:16' | '1:1'
  fit: 'letterbox' | 'crop'
  letterbox_background: string
  video_flip_h: boolean
  video_flip_v: boolean
  audio: Required<NonNullable<ExportSettings['audio']>>
  audio_censorship: 'none' | 'mute' | 'bleep'
  video_codec: 'h264' | 'source'
  keep_location: boolean
  drop_other_tracks: boolean
  /** The joins of other projects have no effect. */
  punch_in: PunchIn & { joins: readonly Join[] }
  /** What the frame shows during clips without video. */
  audio_clips: AudioClips
  /** With the fit `crop`; keyframes of other projects have no effect. */
  crop_keyframes: readonly CropKeyframe[]
  captions: CaptionOptions & { enabled: boolean }
}

export const DEFAULT_OPTIONS: ExportOptions = {
  format: 'mp4',
  resolution: 'source',
  aspect_ratio: 'source',
  fit: 'letterbox',
  letterbox_background: '#000000',
  video_flip_h: false,
  video_flip_v: false,
  audio: {
    main_volume_percent: 100,
    noise_reduction: false,
    noise_floor: -25,
    normalize: false,
    target_lufs: -14,
    both_ears: false,
    keep_channels: false,
  },
  audio_censorship: 'none',
  video_codec: 'source',
  keep_location: false,
  drop_other_tracks: false,
  punch_in: { scale_percent: 100, ease: false, center: 'face', x: 0.5, y: 0.4, joins: [] },
  audio_clips: { waveform: true, color: '#3ddbb0', cover_asset_file_id: '' },
  crop_keyframes: [],
  captions: {
    enabled: false,
    style: DEFAULT_CAPTION_STYLE,
    font_size: 0,
    position: 'bottom',
    color: '#ffffff',
    font: '',
  },
}

type Frame = Pick<ExportOptions, 'resolution' | 'aspect_ratio' | 'fit' | 'video_codec'>

/** A set of options to start from: a platform, or the format of the recording. */
export interface Platform {
  name: keyof typeof exportText.platforms
  frame: Frame
  /** Target loudness in LUFS; null keeps the loudness of the recording. */
  loudness: number | null
}

const h264 = { video_codec: 'h264' } as const

/** The format of the first clip, so that most of the video is copied. */
export const RECORDED: Platform = {
  name: 'recorded',
  frame: { resolution: 'source', aspect_ratio: 'source', fit: 'letterbox', video_codec: 'source' },
  loudness: null,
}

export const PLATFORMS: readonly Platform[] = [
  { name: 'youtube', frame: { resolution: '1080p', aspect_ratio: '16:9', fit: 'letterbox', ...h264 }, loudness: -14 },
  { name: 'shorts', frame: { resolution: '1080p', aspect_ratio: '9:16', fit: 'crop', ...h264 }, loudness: -14 },
  { name: 'square', frame: { resolution: '1080p', aspect_ratio: '1:1', fit: 'crop', ...h264 }, loudness: -14 },
  { name: 'small', frame: { resolution: '720p', aspect_ratio: 'source', fit: 'letterbox', ...h264 }, loudness: -16 },
]

/** The options with a platform's options applied. */
export function applyPlatform(options: ExportOptions, { frame, loudness }: Platform): ExportOptions {
  const audio =
    loudness === null
      ? { ...options.audio, normalize: false }
      : { ...options.audio, normalize: true, target_lufs: loudness }

  return { ...options, ...frame, audio }
}

/**
 * The options of a new project: of the last ones only those about files and loudness. What a video looks like never goes from
 * project to project, nor what repairs one recording, such as its volume.
 */
export function optionsForNew(last: ExportOptions): ExportOptions {
  const { format, audio_censorship, keep_location, drop_other_tracks } = last
  const { noise_reduction, noise_floor, normalize, target_lufs } = last.audio
  // The loudness of a platform does not outlast its frame.
  const loudness = PLATFORMS.some((p) => matchesPlatform(last, p)) ? {} : { normalize, target_lufs }
  return {
    ...DEFAULT_OPTIONS,
    format,
    audio_censorship,
    keep_location,
    drop_other_tracks,
    audio: { ...DEFAULT_OPTIONS.audio, noise_reduction, noise_floor, ...loudness },
  }
}

/** Whether the export takes a part of its format from the first clip. */
export const usesRecordedFormat = (o: ExportOptions) => o.resolution === 'source' || o.aspect_ratio === 'source'

/** Whether options equal a platform's options. */
export function matchesPlatform(options: ExportOptions, platform: Platform): boolean {
  return JSON.stringify(applyPlatform(options, platform)) === JSON.stringify(options)
}

/** The options with a preview preset applied. */
export function applyPreset(options: ExportOptions, p: PreviewPreset): ExportOptions {
  return {
    ...options,
    format: p.file_type,
    aspect_ratio: p.format,
    letterbox_background: p.background,
    video_flip_h: p.video_flip_h,
    video_flip_v: p.video_flip_v,
    captions: {
      ...options.captions,
      style: p.caption_style,
      font: p.caption_font,
      font_size: p.caption_size,
      position: p.caption_position,
      color: p.caption_color,
    },
  }
}

/**
 * The options as the API expects them, without those that are left to the server. A range belongs to one export, not
 * to the project.
 */
export function toExportSettings(options: ExportOptions, range: ExportSettings['range'] | null = null): ExportSettings {
  const { font, font_size, ...captions } = options.captions
  const { cover_asset_file_id, ...audio_clips } = options.audio_clips
  return {
    ...options,
    crop_keyframes: [...options.crop_keyframes],
    punch_in: { ...options.punch_in, joins: [...options.punch_in.joins] },
    audio_clips: { ...audio_clips, ...(cover_asset_file_id ? { cover_asset_file_id } : {}) },
    captions: { ...captions, ...(font ? { font } : {}), ...(font_size ? { font_size } : {}) },
    ...(range ? { range } : {}),
  }
}

/** Whether a project has clips and none of them has video. */
export const isAudioOnly = (ready: readonly { width: number | null }[]) =>
  ready.length > 0 && ready.every((c) => c.width === null)

/**
 * The file format of a project without options: the first recording's if no clip has video, M4A if that is not a format
 * of exports. Audio alone is never the default for video.
 */
export function defaultFormat(
  ready: readonly { width: number | null; content_type: string }[],
  last: ExportFormat['name'],
): ExportFormat['name'] {
  if (!isAudioOnly(ready)) return formatOf({ format: last }).audio_only ? DEFAULT_OPTIONS.format : last
  const type = ready[0]!.content_type
  return FORMATS.find((f) => f.audio_only && f.content_type === type)?.name ?? 'm4a'
}

/** The facts about a clip that the format of an export depends on. */
export interface RecordedFormat {
  name: string
  width: number | null
  height: number | null
  frame_rate: number | null
}

/** The frame size of the first clip with video, or null. */
export function recordedSize(clips: readonly RecordedFormat[]): Size | null {
  for (const { width, height } of clips) if (width && height) return { width, height }
  return null
}

/** The first clip whose frame size or frame rate differs from the first one with video; null if all are alike. */
export function otherFormat<T extends RecordedFormat>(clips: readonly T[]): T | null {
  const [first, ...others] = clips.filter((c) => c.width && c.height)
  return (
    others.find((c) => c.width !== first!.width || c.height !== first!.height || c.frame_rate !== first!.frame_rate) ??
    null
  )
}

const RESOLUTIONS = ['source', '720p', '1080p', '1440p', '2160p'] as const

/** The resolutions to choose from: above 1080p only those that the recording has, and the current one. */
export function resolutionsFor(recorded: Size | null, current: ExportOptions['resolution']) {
  const side = recorded ? Math.min(recorded.width, recorded.height) : 0
  return RESOLUTIONS.filter((r) => r === current || r === 'source' || parseInt(r) <= 1080 || parseInt(r) <= side)
}

const evenSize = (n: number) => Math.max(2, 2 * Math.ceil(Math.floor(n + 0.5) / 2))

/** Frame size of the export in pixels, for the frame size of the recording. Package media in Go computes the same. */
export function frameSize(
  { resolution, aspect_ratio }: Pick<ExportOptions, 'resolution' | 'aspect_ratio'>,
  recorded: Size | null,
): Size {
  const recordedSide = recorded && Math.min(recorded.width, recorded.height)
  const side = resolution === 'source' ? (recordedSide ?? 1080) : parseInt(resolution)
  if (aspect_ratio === 'source' && recorded && recordedSide)
    return {
      width: evenSize((side * recorded.width) / recordedSide),
      height: evenSize((side * recorded.height) / recordedSide),
    }
  const long = aspect_ratio === '1:1' ? side : (side * 16) / 9
  return aspect_ratio === '9:16'
    ? { width: evenSize(side), height: evenSize(long) }
    : { width: evenSize(long), height: evenSize(side) }
}

/** Whether frames of one size need bars or a crop to fill the other. Sizes are even, so they differ by up to two pixels. */
export const differentShape = (a: Size, b: Size) =>
  Math.abs(a.width * b.height - a.height * b.width) > 2 * Math.max(a.width, a.height, b.width, b.height)

/** A name that no earlier export has: the given one, with a number from the second export on. */
export function distinctName(name: string, taken: readonly string[]): string {
  if (!taken.includes(name)) return name
  let n = 2
  while (taken.includes(`${name} ${n}`)) n++
  return `${name} ${n}`
}

/** The version of stored options. Before version 2, the default frame was 1080p and 16:9. */
const VERSION = 2

/** Reads stored options; missing and invalid ones get their defaults. */
export function parseOptions(stored: string | null): ExportOptions {
  try {
    const value = JSON.parse(stored ?? '{}') as { version?: number; punch_in?: { center?: unknown } } | null
    const options = withCenter(validated(DEFAULT_OPTIONS, value), value)
    const old = value?.version !== VERSION && options.resolution === '1080p' && options.aspect_ratio === '16:9'
    return old ? { ...options, ...RECORDED.frame } : options
  } catch {
    return DEFAULT_OPTIONS
  }
}

// withCenter keeps a point that was set before the face could take its place.
function withCenter(options: ExportOptions, stored: { punch_in?: { center?: unknown } } | null): ExportOptions {
  const { x, y } = options.punch_in
  const standard = DEFAULT_OPTIONS.punch_in
  if (stored?.punch_in?.center || (x === standard.x && y === standard.y)) return options
  return { ...options, punch_in: { ...options.punch_in, center: 'point' } }
}

const CHOICES: Record<string, readonly string[]> = {
  format: FORMATS.map((f) => f.name),
  resolution: RESOLUTIONS,
  aspect_ratio: ['source', '16:9', '9:16', '1:1'],
  fit: ['letterbox', 'crop'],
  audio_censorship: ['none', 'mute', 'bleep'],
  video_codec: ['h264', 'source'],
  style: CAPTION_STYLES.map((style) => style.name),
  position: ['top', 'middle', 'bottom'],
  center: ['face', 'point'],
}

const COLOR = /^#[0-9a-f]{6}$/i

const isFraction = (n: unknown) => typeof n === 'number' && n >= 0 && n <= 1

function isKeyframe(value: unknown): value is CropKeyframe {
  const k = (value ?? {}) as Partial<Record<keyof CropKeyframe, unknown>>
  return typeof k.clip_uuid === 'string' && Number.isInteger(k.at_ms) && isFraction(k.x) && isFraction(k.y)
}

const isChoice = (value: unknown, choices: readonly unknown[]) => choices.includes(value)

function isJoin(value: unknown): value is Join {
  const j = (value ?? {}) as Partial<Record<keyof Join, unknown>>
  return (
    typeof j.clip_uuid === 'string' &&
    Number.isInteger(j.at_ms) &&
    isChoice(j.size, [undefined, 'in', 'out']) &&
    isChoice(j.change, [undefined, 'hard', 'eased'])
  )
}

/** Whether an item of a stored list is valid. */
const ITEMS: Record<string, (item: unknown) => boolean> = { crop_keyframes: isKeyframe, joins: isJoin }

// validated takes the fields of a value that have the type of their default and are one of its choices.
function validated<T extends object>(defaults: T, value: unknown): T {
  const from = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>
  const out: Record<string, unknown> = {}
  for (const [key, standard] of Object.entries(defaults)) {
    const found = from[key]
    if (Array.isArray(standard)) out[key] = Array.isArray(found) && ITEMS[key] ? found.filter(ITEMS[key]) : standard
    else if (typeof standard === 'object') out[key] = validated(standard as object, found)
    else if (
      typeof found !== typeof standard ||
      (CHOICES[key] && !CHOICES[key].includes(found as string)) ||
      (typeof standard === 'string' && standard.startsWith('#') && !COLOR.test(found as string))
    )
      out[key] = standard
    else out[key] = found
  }

  return out as T
}

/** The options that a short has of its project. */
const OF_PROJECT = ['crop_keyframes', 'punch_in'] as const

/** The options of a short's export, from the options of its project. */
export function optionsOfShort(project: ExportOptions, { export_settings }: Pick<Short, 'export_settings'>) {
  const { crop_keyframes, punch_in } = project
  const audio = { ...project.audio, ...export_settings.audio }
  const merged = { version: VERSION, ...toExportSettings(project), ...export_settings, audio }
  return { ...parseOptions(JSON.stringify(merged)), crop_keyframes, punch_in }
}

/** The settings that a short stores for the options of its export. */
export function settingsOfShort(options: ExportOptions): ExportSettings {
  const settings = toExportSettings(options)
  for (const name of OF_PROJECT) delete settings[name]
  return settings
}

/** The options of the first short of a project: upright, with captions. */
export function optionsOfNewShort(project: ExportOptions, audioOnly: boolean): ExportOptions {
  if (audioOnly) return project
  const shorts = PLATFORMS.find((p) => p.name === 'shorts')!
  return { ...applyPlatform(project, shorts), captions: { ...project.captions, enabled: true } }
}

interface OptionsStore {
  /** The options that the page shows and changes: of a short, otherwise of the project. */
  options: ExportOptions
  /** The options of the project. */
  project: ExportOptions
  /** Whether the options are a short's. */
  ofShort: boolean
  /** Whether the short does not have these options yet. */
  restyled: boolean
  /** Whether the project does not have these options yet. */
  changed: boolean
  /** Whether the options were chosen for this project. */
  own: boolean
  /** Takes the options of a project, or null if it has no options. */
  open: (stored: ExportSettings | null) => void
  change: (change: Partial<ExportOptions>) => void
  /** Shows the options of a short, whose changes do not reach the project; null shows the project's again. */
  showShort: (short: Pick<Short, 'export_settings'> | null) => void
  /** Sets the file format of a project that has no options yet. */
  follow: (format: ExportFormat['name']) => void
}

const settingNames = (options: ExportOptions) =>
  (Object.keys(options) as (keyof ExportOptions)[]).filter((name) => !OF_PROJECT.some((other) => other === name))

const storedForNew = () => optionsForNew(parseOptions(setting('export')))

/** The state that shows the options of a project. */
const showing = (project: ExportOptions) => ({ options: project, project, ofShort: false, restyled: false })

/** The options of the next export of the open project. A new project starts with optionsForNew. */
export const useExportOptions = create<OptionsStore>()((set, get) => ({
  ...showing(storedForNew()),
  changed: false,
  own: false,
  open: (stored) => {
    const options = stored ? parseOptions(JSON.stringify({ version: VERSION, ...stored })) : storedForNew()

    set({ ...showing(options), changed: false, own: stored !== null })
  },
  showShort: (short) => {
    const { project } = get()
    set(short ? { options: optionsOfShort(project, short), ofShort: true, restyled: false } : showing(project))
  },
  follow: (format) => set(({ project }) => showing({ ...project, format })),
  change: (change) => {
    const options = { ...get().options, ...change }
    if (!get().ofShort) {
      set({ ...showing(options), changed: true, own: true })
      return changeSetting('export', JSON.stringify({ version: VERSION, ...optionsForNew(options) }))
    }

    const { project, options: before, restyled } = get()
    const { crop_keyframes, punch_in } = options
    const other = (name: keyof ExportOptions) => options[name] !== before[name]
    set({ options, restyled: restyled || settingNames(options).some(other) })
    if (OF_PROJECT.some((name) => options[name] !== project[name]))
      set({ project: { ...project, crop_keyframes, punch_in }, changed: true, own: true })
  },
}))

onSetting('export', () => {
  const { own, ofShort } = useExportOptions.getState()
  if (!own && !ofShort) useExportOptions.setState(showing(storedForNew()))
})
