// The options of the next export, stored in this browser. The preview uses the same options.

import { create } from 'zustand'
import type { ExportSettings } from '../../api/exports'
import type { PreviewPreset } from '../../api/presets'
import type { exportText } from '../../text/editor/export'
import { CAPTION_STYLES, DEFAULT_CAPTION_STYLE, type CaptionOptions, type Size } from '../captions/captionStyle'

/** The options of an export; unlike ExportSettings, all are present. */
export interface ExportOptions {
  resolution: '720p' | '1080p'
  aspect_ratio: '16:9' | '9:16' | '1:1'
  fit: 'letterbox' | 'crop'
  letterbox_background: string
  video_flip_h: boolean
  video_flip_v: boolean
  audio: Required<NonNullable<ExportSettings['audio']>>
  audio_censorship: 'none' | 'mute' | 'bleep'
  video_codec: 'h264' | 'source'
  captions: CaptionOptions & { enabled: boolean }
}

export const DEFAULT_OPTIONS: ExportOptions = {
  resolution: '1080p',
  aspect_ratio: '16:9',
  fit: 'letterbox',
  letterbox_background: '#000000',
  video_flip_h: false,
  video_flip_v: false,
  audio: { main_volume_percent: 100, noise_reduction: false, noise_floor: -25, normalize: false, target_lufs: -14 },
  audio_censorship: 'none',
  video_codec: 'h264',
  captions: {
    enabled: false,
    style: DEFAULT_CAPTION_STYLE,
    font_size: 0,
    position: 'bottom',
    color: '#ffffff',
    font: '',
  },
}

/** A platform with the options that suit it. */
export interface Platform {
  name: keyof typeof exportText.platforms
  /** `loudness` is the target in LUFS. */
  options: Partial<Omit<ExportOptions, 'audio' | 'captions'>> & { loudness: number }
}

export const PLATFORMS: readonly Platform[] = [
  { name: 'youtube', options: { resolution: '1080p', aspect_ratio: '16:9', fit: 'letterbox', loudness: -14 } },
  { name: 'shorts', options: { resolution: '1080p', aspect_ratio: '9:16', fit: 'crop', loudness: -14 } },
  { name: 'square', options: { resolution: '1080p', aspect_ratio: '1:1', fit: 'crop', loudness: -14 } },
  { name: 'small', options: { resolution: '720p', aspect_ratio: '16:9', fit: 'letterbox', loudness: -16 } },
]

/** The options with those of a platform applied. */
export function applyPlatform(options: ExportOptions, { options: wanted }: Platform): ExportOptions {
  const { loudness, ...frame } = wanted
  return { ...options, ...frame, audio: { ...options.audio, normalize: true, target_lufs: loudness } }
}

/** Whether options equal those of a platform. */
export function matchesPlatform(options: ExportOptions, platform: Platform): boolean {
  return JSON.stringify(applyPlatform(options, platform)) === JSON.stringify(options)
}

/** The options with a preview preset applied. */
export function applyPreset(options: ExportOptions, p: PreviewPreset): ExportOptions {
  return {
    ...options,
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

/** The options as the API expects them, without those that are left to the server. */
export function toExportSettings(options: ExportOptions): ExportSettings {
  const { font, font_size, ...captions } = options.captions
  return { ...options, captions: { ...captions, ...(font ? { font } : {}), ...(font_size ? { font_size } : {}) } }
}

/** Frame size of the export in pixels. */
export function frameSize({ resolution, aspect_ratio }: Pick<ExportOptions, 'resolution' | 'aspect_ratio'>): Size {
  const side = resolution === '720p' ? 720 : 1080
  const long = (side * 16) / 9
  return { width: aspect_ratio === '16:9' ? long : side, height: aspect_ratio === '9:16' ? long : side }
}

/** Estimated bits per pixel of encoded video, and bits per second of audio. */
const BITS_PER_PIXEL = 0.05
const AUDIO_BITS = 192_000

/** The size of an earlier export. */
interface EarlierExport {
  width: number | null
  height: number | null
  duration_ms: number | null
  size_bytes: number | null
}

/** Estimated size of an export in bytes: the bit rate of the last export with the same frame size, or a typical bit rate. */
export function estimateBytes(
  durationMs: number,
  size: Size,
  framesPerSecond: number,
  earlier: readonly EarlierExport[],
): number {
  const seconds = durationMs / 1000
  const same = earlier.find((e) => e.width === size.width && e.height === size.height && e.duration_ms && e.size_bytes)
  if (same) return (same.size_bytes! * durationMs) / same.duration_ms!
  return (seconds * (size.width * size.height * framesPerSecond * BITS_PER_PIXEL + AUDIO_BITS)) / 8
}

/** Local storage key of the options. */
const STORAGE_KEY = 'roughcut.export'

/** Reads stored options; missing and invalid ones get their defaults. */
export function parseOptions(stored: string | null): ExportOptions {
  try {
    return validated(DEFAULT_OPTIONS, JSON.parse(stored ?? '{}') as unknown)
  } catch {
    return DEFAULT_OPTIONS
  }
}

const CHOICES: Record<string, readonly string[]> = {
  resolution: ['720p', '1080p'],
  aspect_ratio: ['16:9', '9:16', '1:1'],
  fit: ['letterbox', 'crop'],
  audio_censorship: ['none', 'mute', 'bleep'],
  video_codec: ['h264', 'source'],
  style: CAPTION_STYLES.map((style) => style.name),
  position: ['top', 'middle', 'bottom'],
}
const COLOR = /^#[0-9a-f]{6}$/i

// validated takes the fields of a value that have the type of their default and are one of its choices.
function validated<T extends object>(defaults: T, value: unknown): T {
  const from = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>
  const out: Record<string, unknown> = {}
  for (const [key, standard] of Object.entries(defaults)) {
    const found = from[key]
    if (typeof standard === 'object') out[key] = validated(standard as object, found)
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

interface OptionsStore {
  options: ExportOptions
  change: (change: Partial<ExportOptions>) => void
}

/** The options of the next export, shared by all projects. */
export const useExportOptions = create<OptionsStore>()((set, get) => ({
  options: parseOptions(readStored()),
  change: (change) => {
    const options = { ...get().options, ...change }
    set({ options })
    try {
      localStorage.setItem(STORAGE_KEY, JSON.stringify(options))
    } catch {
      // Storage is blocked: the options last until the page is closed.
    }
  },
}))

function readStored(): string | null {
  try {
    return localStorage.getItem(STORAGE_KEY)
  } catch {
    return null
  }
}
