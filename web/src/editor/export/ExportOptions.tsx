import { useQuery } from '@tanstack/react-query'
import { ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { captionLinesQuery } from '../../api/captions'
import type { Clip } from '../../api/clips'
import { previewPresetsQuery } from '../../api/presets'
import { exportText as text } from '../../text/editor/export'
import { Choice } from '../../ui/Choice'
import { Select } from '../../ui/Select'
import { Slider } from '../../ui/Slider'
import { Switch } from '../../ui/Switch'
import { captionColors, defaultSize, drawnColor, highlightsWords, withStyle } from '../plan/captionStyle'
import { CaptionStylePicker } from '../player/CaptionStylePicker'
import { useAssetFiles, useLayout, useProject } from '../state/contexts'
import {
  applyPreset,
  differentShape,
  formatOf,
  isAudioOnly,
  resolutionsFor,
  useExportOptions,
  type ExportOptions,
} from '../state/exportOptions'
import { useFrameSize, useRecordedSize } from '../state/useFrameSize'

const ASPECTS = [
  { value: 'source', label: text.video.asRecorded, hint: text.video.asRecordedHint },
  { value: '16:9', label: <RatioIcon w={16} h={9} text="16:9" />, hint: text.video.landscape },
  { value: '9:16', label: <RatioIcon w={9} h={16} text="9:16" />, hint: text.video.portrait },
  { value: '1:1', label: <RatioIcon w={12} h={12} text="1:1" />, hint: text.video.square },
] as const

const BACKGROUNDS = ['#000000', '#ffffff', '#1f2933', '#0b3d2e', '#3b1d4a'] as const

/** The short side of the frame. */
export function Resolution() {
  const { options, change } = useExportOptions()
  const recorded = useRecordedSize()
  return (
    <Select
      label={text.video.resolution}
      value={options.resolution}
      options={resolutionsFor(recorded, options.resolution).map((value) => ({
        value,
        label: value === 'source' ? text.video.asRecorded : value,
      }))}
      onChange={(e) => change({ resolution: e.target.value as ExportOptions['resolution'] })}
    />
  )
}

/** The options that most exports leave as they are. They open below the others. */
export function MoreOptions({ audioOnly }: { audioOnly: boolean }) {
  const { options } = useExportOptions()
  return (
    <details className="group">
      <summary className="flex h-8 cursor-pointer items-center gap-1.5 self-start text-sm font-medium text-muted hover:text-ink [&::-webkit-details-marker]:hidden">
        <ChevronRight size={14} className="transition-transform group-open:rotate-90" aria-hidden />
        {text.more}
      </summary>
      <div className="flex flex-col gap-6 pt-3">
        {!audioOnly && (
          <Group title={text.groups.video}>
            <FrameOptions />
          </Group>
        )}
        {!audioOnly && options.captions.enabled && (
          <Group title={text.groups.captions}>
            <CaptionOptions />
          </Group>
        )}
        <Group title={text.groups.audio}>
          <AudioOptions />
          <Profanity />
        </Group>
      </div>
    </details>
  )
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="flex flex-col gap-4 border-t border-line pt-3">
      <h3 className="text-sm font-semibold">{title}</h3>
      {children}
    </section>
  )
}

// FrameOptions choose the frame format, and how the footage fits into it.
function FrameOptions() {
  const { options, change } = useExportOptions()
  const presets = useQuery(previewPresetsQuery).data ?? []
  const { ready } = useLayout()
  const frame = useFrameSize()
  const differs = ready.some((c) => c.width && c.height && differentShape({ width: c.width, height: c.height }, frame))
  return (
    <>
      {presets.length > 0 && (
        <Select
          label={text.video.preset}
          value=""
          options={[
            { value: '', label: text.video.choosePreset },
            ...presets.map((p) => ({ value: p.uuid, label: p.name })),
          ]}
          onChange={(e) => {
            const preset = presets.find((p) => p.uuid === e.target.value)
            if (preset) change(applyPreset(options, preset))
          }}
        />
      )}
      <Choice
        label={text.video.aspectRatio}
        value={options.aspect_ratio}
        onChange={(aspect_ratio: ExportOptions['aspect_ratio']) => change({ aspect_ratio })}
        options={ASPECTS}
      />
      {differs && (
        <Choice
          label={text.video.fit}
          value={options.fit}
          onChange={(fit: ExportOptions['fit']) => change({ fit })}
          options={[
            { value: 'letterbox', label: text.video.letterbox },
            { value: 'crop', label: text.video.crop },
          ]}
        />
      )}
      {differs && options.fit === 'letterbox' && (
        <Colors
          label={text.video.bars}
          value={options.letterbox_background}
          colors={BACKGROUNDS}
          onChange={(letterbox_background) => change({ letterbox_background })}
        />
      )}
      <div className="grid gap-4 sm:grid-cols-2">
        <Switch
          label={text.video.flipH}
          checked={options.video_flip_h}
          onChange={(video_flip_h) => change({ video_flip_h })}
        />
        <Switch
          label={text.video.flipV}
          checked={options.video_flip_v}
          onChange={(video_flip_v) => change({ video_flip_v })}
        />
      </div>
      <AudioClipOptions />
      <Switch
        label={text.video.keepLocation}
        hint={text.video.keepLocationHint}
        checked={options.keep_location}
        onChange={(keep_location) => change({ keep_location })}
      />
      <Switch
        label={text.video.keepCodec}
        hint={text.video.keepCodecHint}
        checked={options.video_codec === 'source'}
        onChange={(keep) => change({ video_codec: keep ? 'source' : 'h264' })}
      />
    </>
  )
}

const WAVEFORM_COLORS = ['#3ddbb0', '#ffffff', '#ffd60a', '#5b8cff'] as const

// AudioClipOptions choose what the frame shows during clips without video; nothing if all clips have video.
function AudioClipOptions() {
  const { ready } = useLayout()
  const { options, change } = useExportOptions()
  const how = options.audio_clips
  const images = [...useAssetFiles().values()].filter((a) => a.kind === 'image' && a.status === 'uploaded')
  if (ready.every((c) => c.width !== null)) return null
  const set = (to: Partial<ExportOptions['audio_clips']>) => change({ audio_clips: { ...how, ...to } })
  return (
    <fieldset className="flex flex-col gap-4 border-t border-line pt-3">
      <legend className="sr-only">{text.video.audioClips}</legend>
      <p className="text-sm font-medium text-muted" aria-hidden>
        {text.video.audioClips}
      </p>
      <Switch label={text.video.waveform} checked={how.waveform} onChange={(waveform) => set({ waveform })} />
      {how.waveform && (
        <Colors
          label={text.video.waveformColor}
          value={how.color}
          colors={WAVEFORM_COLORS}
          onChange={(color) => set({ color })}
        />
      )}
      <Select
        label={text.video.cover}
        hint={text.video.coverHint}
        value={images.some((a) => a.asset_file_id === how.cover_asset_file_id) ? how.cover_asset_file_id : ''}
        options={[
          { value: '', label: text.video.noCover },
          ...images.map((a) => ({ value: a.asset_file_id, label: a.display_name })),
        ]}
        onChange={(e) => set({ cover_asset_file_id: e.target.value })}
      />
    </fieldset>
  )
}

/** Loudness targets to choose from, in LUFS. */
const LOUDNESS = Object.entries(text.audio.targets).map(([value, label]) => ({ value, label }))

/** The loudness that podcast directories ask for, in LUFS. */
const PODCAST_LUFS = -16

/** Bounds of the noise reduction, in decibels. */
const NOISE = { min: 5, max: 45 }

// hasOtherTracks reports whether a clip has an audio track that is not heard and can be decoded.
const hasOtherTracks = (clip: Clip) => (clip.tracks ?? []).some((t) => t.decodable && !t.heard)

/** The loudness of the export: as recorded, or a target in LUFS. */
export function Loudness() {
  const { options, change } = useExportOptions()
  const { audio } = options
  const target = String(audio.target_lufs)
  const known = LOUDNESS.some((l) => l.value === target)
  const { ready } = useLayout()
  const proposed = isAudioOnly(ready) && !(audio.normalize && audio.target_lufs === PODCAST_LUFS)
  const normalizeTo = (target_lufs: number) => change({ audio: { ...audio, normalize: true, target_lufs } })
  return (
    <div>
      <Select
        label={text.audio.loudness}
        value={audio.normalize ? target : ''}
        options={[
          { value: '', label: text.audio.asRecorded },
          ...LOUDNESS,
          ...(known ? [] : [{ value: target, label: text.audio.customTarget(audio.target_lufs) }]),
        ]}
        onChange={({ target: { value } }) => {
          if (value) normalizeTo(Number(value))
          else change({ audio: { ...audio, normalize: false } })
        }}
      />
      {proposed && (
        <p className="mt-1 text-xs text-muted">
          {text.audio.podcasts}{' '}
          <button
            type="button"
            className="font-medium text-accent hover:underline phone:py-3"
            onClick={() => normalizeTo(PODCAST_LUFS)}
          >
            {text.audio.usePodcasts}
          </button>
        </p>
      )}
    </div>
  )
}

// AudioOptions are the audio options besides the loudness.
function AudioOptions() {
  const { options, change } = useExportOptions()
  const { audio } = options
  const { ready } = useLayout()
  const opposite = ready.find((c) => c.opposite_channels)
  const oneSided = ready.find((c) => c.voice_channel)
  const set = (to: Partial<ExportOptions['audio']>) => change({ audio: { ...audio, ...to } })
  const noise = Math.round((100 * (-audio.noise_floor - NOISE.min)) / (NOISE.max - NOISE.min))
  return (
    <>
      <Switch
        label={text.audio.noise}
        hint={text.audio.noiseHint}
        checked={audio.noise_reduction}
        onChange={(noise_reduction) => set({ noise_reduction })}
      />
      {audio.noise_reduction && (
        <Slider
          label={text.audio.noiseAmount}
          value={noise}
          meaning={text.audio.noiseMeaning(-audio.noise_floor)}
          low={text.audio.noiseLow}
          high={text.audio.noiseHigh}
          onChange={(v) => set({ noise_floor: -Math.round(NOISE.min + (v * (NOISE.max - NOISE.min)) / 100) })}
        />
      )}
      {(opposite ?? oneSided ?? audio.both_ears) && (
        <Switch
          label={text.audio.bothEars}
          hint={
            opposite
              ? text.audio.opposite(opposite.name)
              : oneSided
                ? text.audio.oneSided(oneSided.name, oneSided.voice_channel!)
                : text.audio.bothEarsHint
          }
          checked={audio.both_ears}
          onChange={(both_ears) => set({ both_ears })}
        />
      )}
      {(audio.keep_channels || ready.some((c) => (c.audio_channels ?? 0) > 2)) && (
        <Switch
          label={text.audio.keepChannels}
          hint={text.audio.keepChannelsHint}
          checked={audio.keep_channels}
          onChange={(keep_channels) => set({ keep_channels })}
        />
      )}
      {formatOf(options).audio_tracks && ready.some(hasOtherTracks) && (
        <Switch
          label={text.audio.otherTracks}
          hint={text.audio.otherTracksHint}
          checked={!options.drop_other_tracks}
          onChange={(keep) => change({ drop_other_tracks: !keep })}
        />
      )}
      <Slider
        label={text.audio.volume}
        value={audio.main_volume_percent}
        meaning={
          audio.main_volume_percent === 0
            ? text.audio.volumeSilent
            : audio.main_volume_percent === 100
              ? text.audio.volumeOriginal
              : text.audio.volumePercent(audio.main_volume_percent)
        }
        low={text.audio.volumeLow}
        high={text.audio.volumeHigh}
        onChange={(main_volume_percent) => set({ main_volume_percent })}
      />
    </>
  )
}

/** Bounds of the caption size, in pixels of a frame whose short side is 1080. */
const SIZES = { min: 24, max: 140 }

/** Whether captions are burned into the video, and in which style. */
export function BurnedCaptions() {
  const { project } = useProject()
  const { options, change } = useExportOptions()
  const { captions } = options
  const lines = useQuery(captionLinesQuery(project.uuid, project.active_run_id)).data
  const missing = !project.active_run_id
    ? text.captions.noneDetail
    : lines?.length === 0
      ? text.captions.noSpeechDetail
      : undefined

  return (
    <CaptionStylePicker
      label={text.captions.burnIn}
      none={text.captions.off}
      off={!captions.enabled}
      options={captions}
      words={firstWords(lines?.[0]?.text)}
      hint={captions.enabled && missing}
      onChange={(style) =>
        change({
          captions: style ? { ...withStyle(captions, style), enabled: true } : { ...captions, enabled: false },
        })
      }
    />
  )
}

// firstWords returns the first words of a caption, as many as a swatch shows.
const firstWords = (line: string | undefined): string[] | undefined => line?.match(/^\S+(\s+\S+)?/)?.[0].split(/(?<= )/)

// CaptionOptions choose how burned-in captions look, besides their style.
function CaptionOptions() {
  const { options, change } = useExportOptions()
  const { captions } = options
  const set = (to: Partial<ExportOptions['captions']>) => change({ captions: { ...captions, ...to } })
  const frame = useFrameSize()
  const size = Math.round(captions.font_size || defaultSize(captions.style, frame))
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <Choice
          label={text.captions.position}
          value={captions.position}
          onChange={(position: ExportOptions['captions']['position']) => set({ position })}
          options={[
            { value: 'top', label: text.captions.top },
            { value: 'middle', label: text.captions.middle },
            { value: 'bottom', label: text.captions.bottom },
          ]}
        />
        <Colors
          label={highlightsWords(captions.style) ? text.captions.highlightColor : text.captions.color}
          value={drawnColor(captions)}
          colors={captionColors(captions.style)}
          onChange={(color) => set({ color })}
        />
      </div>
      <Slider
        label={text.captions.size}
        value={Math.round(
          (100 * (Math.min(Math.max(size, SIZES.min), SIZES.max) - SIZES.min)) / (SIZES.max - SIZES.min),
        )}
        meaning={captions.font_size ? text.captions.sizePixels(size) : text.captions.sizeAutomatic}
        low={text.captions.sizeLow}
        high={text.captions.sizeHigh}
        onChange={(v) => set({ font_size: Math.round(SIZES.min + (v * (SIZES.max - SIZES.min)) / 100) })}
      />
      {captions.font_size > 0 && (
        <button
          type="button"
          className="self-start text-xs font-medium text-accent hover:underline"
          onClick={() => set({ font_size: 0 })}
        >
          {text.captions.resetSize}
        </button>
      )}
    </>
  )
}

// Profanity chooses the treatment of profanity.
function Profanity() {
  const { options, change } = useExportOptions()
  return (
    <>
      <Choice
        label={text.profanity.title}
        value={options.audio_censorship}
        onChange={(audio_censorship: ExportOptions['audio_censorship']) => change({ audio_censorship })}
        options={[
          { value: 'none', label: text.profanity.keep },
          { value: 'mute', label: text.profanity.mute },
          { value: 'bleep', label: text.profanity.bleep },
        ]}
      />
      <p className="text-xs text-muted">{text.profanity.hint}</p>
    </>
  )
}

function RatioIcon({ w, h, text }: { w: number; h: number; text: string }) {
  return (
    <>
      <span aria-hidden className="rounded-[2px] border-[1.5px] border-current" style={{ width: w, height: h }} />
      {text}
    </>
  )
}

interface ColorsProps {
  label: string
  value: string
  colors: readonly string[]
  onChange: (value: string) => void
}

function Colors({ label, value, colors, onChange }: ColorsProps) {
  return (
    <fieldset>
      <legend className="mb-1 text-sm font-medium">{label}</legend>
      <div className="flex items-center gap-2">
        {colors.map((color) => (
          <button
            key={color}
            type="button"
            aria-label={text.swatch(label, color)}
            aria-pressed={value === color}
            onClick={() => onChange(color)}
            className="size-8 rounded-md border border-strong forced-color-adjust-none aria-pressed:outline-2 aria-pressed:outline-offset-2 aria-pressed:outline-accent"
            style={{ background: color }}
          />
        ))}
        <input
          type="color"
          aria-label={text.customColor(label)}
          value={value}
          onChange={(e) => onChange(e.target.value)}
          className="h-8 w-10 rounded-md border border-line bg-raised"
        />
      </div>
    </fieldset>
  )
}
