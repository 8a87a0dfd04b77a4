// What the next export is to be like. The preview shows the same choices; they are kept in this browser.

import { create } from 'zustand'
import type { ExportSettings } from '../../api/exports'
import type { PreviewPreset } from '../../api/presets'
import { CAPTION_STYLES, DEFAULT_CAPTION_STYLE, type CaptionOptions, type Size } from '../captions/captionStyle'

/** The settings of an export, all of them said. */
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

/** A place that videos are made for, and what it asks for. */
export interface Platform {
  name: string
  detail: string
  options: Partial<Omit<ExportOptions, 'audio' | 'captions'>> & { loudness: number }
}

export const PLATFORMS: readonly Platform[] = [
  {
    name: 'YouTube',
    detail: '1080p, 16:9',
    options: { resolution: '1080p', aspect_ratio: '16:9', fit: 'letterbox', loudness: -14 },
  },
  {
    name: 'Shorts, Reels',
    detail: '1080×1920',
    options: { resolution: '1080p', aspect_ratio: '9:16', fit: 'crop', loudness: -14 },
  },
  {
    name: 'Square',
    detail: '1080×1080',
    options: { resolution: '1080p', aspect_ratio: '1:1', fit: 'crop', loudness: -14 },
  },
  {
    name: 'Small file',
    detail: '720p, 16:9',
    options: { resolution: '720p', aspect_ratio: '16:9', fit: 'letterbox', loudness: -16 },
  },
]

/** The options with what a platform asks for. */
export function applyPlatform(options: ExportOptions, { options: wanted }: Platform): ExportOptions {
  const { loudness, ...picture } = wanted
  return { ...options, ...picture, audio: { ...options.audio, normalize: true, target_lufs: loudness } }
}

/** Whether a options is what a platform asks for. */
export function matchesPlatform(options: ExportOptions, platform: Platform): boolean {
  return JSON.stringify(applyPlatform(options, platform)) === JSON.stringify(options)
}

/** The options with what a saved options of the preview says. */
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

/** A options as the server takes it: what is left open is left out. */
export function toExportSettings(options: ExportOptions): ExportSettings {
  const { font, font_size, ...captions } = options.captions
  return { ...options, captions: { ...captions, ...(font ? { font } : {}), ...(font_size ? { font_size } : {}) } }
}

/** Pixels of the exported picture. */
export function frameSize({ resolution, aspect_ratio }: Pick<ExportOptions, 'resolution' | 'aspect_ratio'>): Size {
  const side = resolution === '720p' ? 720 : 1080
  const long = (side * 16) / 9
  return { width: aspect_ratio === '16:9' ? long : side, height: aspect_ratio === '9:16' ? long : side }
}

/** Bits that a pixel takes where nothing is known of the picture, and those of a second of sound. */
const BITS_PER_PIXEL = 0.05
const SOUND_BITS = 192_000

/** Something that was exported before. */
interface Earlier {
  width: number | null
  height: number | null
  duration_ms: number | null
  size_bytes: number | null
}

/** About how many bytes an export has: as many a second as the last one of the same size had, else as a calm picture usually has. */
export function estimateBytes(
  durationMs: number,
  size: Size,
  framesPerSecond: number,
  earlier: readonly Earlier[],
): number {
  const seconds = durationMs / 1000
  const same = earlier.find((e) => e.width === size.width && e.height === size.height && e.duration_ms && e.size_bytes)
  if (same) return (same.size_bytes! * durationMs) / same.duration_ms!
  return (seconds * (size.width * size.height * framesPerSecond * BITS_PER_PIXEL + SOUND_BITS)) / 8
}

const KEPT = 'roughcut.export'

/** The options that was kept; what is not as it should be is as usual. */
export function parseOptions(kept: string | null): ExportOptions {
  try {
    return fitting(DEFAULT_OPTIONS, JSON.parse(kept ?? '{}') as unknown)
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
const COLOUR = /^#[0-9a-f]{6}$/i

// fitting takes from a value what has the type of the usual one and is one of its choices.
function fitting<T extends object>(usual: T, value: unknown): T {
  const from = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>
  const out: Record<string, unknown> = {}
  for (const [key, standard] of Object.entries(usual)) {
    const found = from[key]
    if (typeof standard === 'object') out[key] = fitting(standard as object, found)
    else if (
      typeof found !== typeof standard ||
      (CHOICES[key] && !CHOICES[key].includes(found as string)) ||
      (typeof standard === 'string' && standard.startsWith('#') && !COLOUR.test(found as string))
    )
      out[key] = standard
    else out[key] = found
  }
  return out as T
}

interface LookStore {
  options: ExportOptions
  change: (change: Partial<ExportOptions>) => void
}

/** What was chosen last, in any project. */
export const useExportOptions = create<LookStore>()((set, get) => ({
  options: parseOptions(readKept()),
  change: (change) => {
    const options = { ...get().options, ...change }
    set({ options })
    try {
      localStorage.setItem(KEPT, JSON.stringify(options))
    } catch {
      // Storage is blocked: the choices hold until the page is closed.
    }
  },
}))

function readKept(): string | null {
  try {
    return localStorage.getItem(KEPT)
  } catch {
    return null
  }
}
