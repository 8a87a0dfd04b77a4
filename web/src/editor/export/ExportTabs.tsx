import { useQuery } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { captionLinesQuery } from '../../api/captions'
import { previewPresetsQuery } from '../../api/presets'
import { Choice } from '../../ui/Choice'
import { Notice } from '../../ui/Notice'
import { Select } from '../../ui/Select'
import { Slider } from '../../ui/Slider'
import { Switch } from '../../ui/Switch'
import { CAPTION_STYLES, defaultSize, highlightsWords } from '../captions/captionStyle'
import { applyPreset, frameSize, useExportOptions, type ExportOptions } from './exportOptions'
import { useProject } from '../state/contexts'

const ASPECTS = [
  { value: '16:9', label: <Shape w={16} h={9} text="16:9" />, hint: 'Landscape' },
  { value: '9:16', label: <Shape w={9} h={16} text="9:16" />, hint: 'Portrait' },
  { value: '1:1', label: <Shape w={12} h={12} text="1:1" />, hint: 'Square' },
] as const
const BACKGROUNDS = ['#000000', '#ffffff', '#1f2933', '#0b3d2e', '#3b1d4a'] as const
const CAPTION_COLOURS = ['#ffffff', '#ffd60a', '#3ddbb0', '#ff8080'] as const

/** The frame, and how the footage lies in it. */
export function VideoTab() {
  const { options, change } = useExportOptions()
  const presets = useQuery(previewPresetsQuery).data ?? []
  const [advanced] = useState(options.video_codec !== 'h264')
  return (
    <>
      {presets.length > 0 && (
        <Select
          label="Saved look"
          value=""
          options={[
            { value: '', label: 'Choose one to take it over' },
            ...presets.map((p) => ({ value: p.uuid, label: p.name })),
          ]}
          onChange={(e) => {
            const preset = presets.find((p) => p.uuid === e.target.value)
            if (preset) change(applyPreset(options, preset))
          }}
        />
      )}
      <div className="grid gap-4 sm:grid-cols-2 md:max-lg:grid-cols-1">
        <Choice
          label="Shape"
          value={options.aspect_ratio}
          onChange={(aspect_ratio: ExportOptions['aspect_ratio']) => change({ aspect_ratio })}
          options={ASPECTS}
        />
        <Choice
          label="Resolution"
          value={options.resolution}
          onChange={(resolution: ExportOptions['resolution']) => change({ resolution })}
          options={[
            { value: '720p', label: '720p' },
            { value: '1080p', label: '1080p' },
          ]}
        />
      </div>
      <Choice
        label="Footage of another shape"
        value={options.fit}
        onChange={(fit: ExportOptions['fit']) => change({ fit })}
        options={[
          { value: 'letterbox', label: 'Show all of it' },
          { value: 'crop', label: 'Fill the frame' },
        ]}
      />
      {options.fit === 'letterbox' && (
        <Colours
          label="Bars"
          one="Bars"
          value={options.letterbox_background}
          colours={BACKGROUNDS}
          onChange={(letterbox_background) => change({ letterbox_background })}
        />
      )}
      <div className="grid gap-4 sm:grid-cols-2">
        <Switch
          label="Mirror the footage"
          checked={options.video_flip_h}
          onChange={(video_flip_h) => change({ video_flip_h })}
        />
        <Switch
          label="Turn it upside down"
          checked={options.video_flip_v}
          onChange={(video_flip_v) => change({ video_flip_v })}
        />
      </div>
      <details className="border-t border-line pt-3" open={advanced}>
        <summary className="cursor-pointer text-sm font-medium text-muted hover:text-ink">Advanced</summary>
        <div className="pt-3">
          <Switch
            label="Keep HEVC as it was recorded"
            hint="Many phones record HEVC. It is then copied without loss where nothing is drawn on it and its size stays. Some browsers and older devices cannot play it: without this the video is H.264, which plays everywhere."
            checked={options.video_codec === 'source'}
            onChange={(keep) => change({ video_codec: keep ? 'source' : 'h264' })}
          />
        </div>
      </details>
    </>
  )
}

const LOUDNESS = [
  { value: '-14', label: '−14 LUFS: video platforms' },
  { value: '-16', label: '−16 LUFS: podcasts' },
  { value: '-19', label: '−19 LUFS: podcasts, quiet' },
  { value: '-23', label: '−23 LUFS: television' },
]

/** The bounds of how far noise is brought down, in decibels. */
const NOISE = { least: 5, most: 45 }

/** How the export sounds. */
export function AudioTab() {
  const { options, change } = useExportOptions()
  const { audio } = options
  const set = (to: Partial<ExportOptions['audio']>) => change({ audio: { ...audio, ...to } })
  const noise = Math.round((100 * (-audio.noise_floor - NOISE.least)) / (NOISE.most - NOISE.least))
  const known = LOUDNESS.some((l) => Number(l.value) === audio.target_lufs)
  return (
    <>
      <Switch
        label="Even out the loudness"
        hint="The whole video gets the loudness that its place asks for."
        checked={audio.normalize}
        onChange={(normalize) => set({ normalize })}
      />
      {audio.normalize && (
        <Select
          label="Loudness"
          value={String(audio.target_lufs)}
          options={
            known ? LOUDNESS : [...LOUDNESS, { value: String(audio.target_lufs), label: `${audio.target_lufs} LUFS` }]
          }
          onChange={(e) => set({ target_lufs: Number(e.target.value) })}
        />
      )}
      <Switch
        label="Reduce background noise"
        hint="Fans, hum and hiss. Heard in the export, not in the preview."
        checked={audio.noise_reduction}
        onChange={(noise_reduction) => set({ noise_reduction })}
      />
      {audio.noise_reduction && (
        <Slider
          label="How much"
          value={noise}
          meaning={`Noise is brought down by ${-audio.noise_floor} dB`}
          low="A little"
          high="As far as it goes"
          onChange={(v) => set({ noise_floor: -Math.round(NOISE.least + (v * (NOISE.most - NOISE.least)) / 100) })}
        />
      )}
      <Slider
        label="Volume of the footage"
        value={audio.main_volume_percent}
        meaning={
          audio.main_volume_percent === 0
            ? 'Only placed assets are heard'
            : audio.main_volume_percent === 100
              ? 'As recorded'
              : `${audio.main_volume_percent} % of what was recorded`
        }
        low="Silent"
        high="As recorded"
        onChange={(main_volume_percent) => set({ main_volume_percent })}
      />
    </>
  )
}

const STYLES = CAPTION_STYLES.map(({ name, label, description }) => ({ value: name, label, hint: description }))

/** Sizes that can be chosen, in pixels where the short side of the picture has 1080. */
const SIZES = { least: 24, most: 140 }

/** Captions that are drawn into the picture. */
export function CaptionsTab() {
  const { project } = useProject()
  const { options, change } = useExportOptions()
  const { captions } = options
  const set = (to: Partial<ExportOptions['captions']>) => change({ captions: { ...captions, ...to } })
  const lines = useQuery(captionLinesQuery(project.uuid, project.active_run_id)).data
  const size = Math.round(captions.font_size || defaultSize(captions.style, frameSize(options)))
  return (
    <>
      <Switch
        label="Draw captions into the picture"
        hint="The words that are said, as the caption lines have them."
        checked={captions.enabled}
        onChange={(enabled) => set({ enabled })}
      />
      {captions.enabled && !project.active_run_id && (
        <Notice title="There are no captions yet">
          They are written when the cuts are found. Find the cuts first; without that the video is exported without
          captions.
        </Notice>
      )}
      {captions.enabled && lines?.length === 0 && (
        <Notice title="Nothing to caption">No words were heard in this recording.</Notice>
      )}
      {captions.enabled && (
        <>
          <Choice
            label="Style"
            value={captions.style}
            onChange={(style: ExportOptions['captions']['style']) => set({ style })}
            options={STYLES}
          />
          <div className="grid gap-4 sm:grid-cols-2">
            <Choice
              label="Where"
              value={captions.position}
              onChange={(position: ExportOptions['captions']['position']) => set({ position })}
              options={[
                { value: 'top', label: 'Top' },
                { value: 'middle', label: 'Middle' },
                { value: 'bottom', label: 'Bottom' },
              ]}
            />
            <Colours
              label={highlightsWords(captions.style) ? 'Spoken word' : 'Colour'}
              one="Captions"
              value={captions.color}
              colours={CAPTION_COLOURS}
              onChange={(color) => set({ color })}
            />
          </div>
          <Slider
            label="Size"
            value={Math.round(
              (100 * (Math.min(Math.max(size, SIZES.least), SIZES.most) - SIZES.least)) / (SIZES.most - SIZES.least),
            )}
            meaning={captions.font_size ? `${size} pixels of 1080` : 'Suits the shape of the picture'}
            low="Small"
            high="Large"
            onChange={(v) => set({ font_size: Math.round(SIZES.least + (v * (SIZES.most - SIZES.least)) / 100) })}
          />
          {captions.font_size > 0 && (
            <button
              type="button"
              className="self-start text-xs font-medium text-accent hover:underline"
              onClick={() => set({ font_size: 0 })}
            >
              Take the size that suits
            </button>
          )}
        </>
      )}
    </>
  )
}

/** What becomes of words that not everybody wants to hear. */
export function ProfanityTab() {
  const { options, change } = useExportOptions()
  return (
    <>
      <Choice
        label="Swear words"
        value={options.audio_censorship}
        onChange={(audio_censorship: ExportOptions['audio_censorship']) => change({ audio_censorship })}
        options={[
          { value: 'none', label: 'Leave them' },
          { value: 'mute', label: 'Mute them' },
          { value: 'bleep', label: 'Bleep them' },
        ]}
      />
      <p className="text-xs text-muted">
        Found in the transcript by the list of the language that is spoken. Which words they are is kept in the settings
        under “Words”. Captions show them as they were said.
      </p>
    </>
  )
}

function Shape({ w, h, text }: { w: number; h: number; text: string }) {
  return (
    <>
      <span aria-hidden className="rounded-[2px] border-[1.5px] border-current" style={{ width: w, height: h }} />
      {text}
    </>
  )
}

interface ColoursProps {
  label: ReactNode
  /** What has the colour, for screen readers. */
  one: string
  value: string
  colours: readonly string[]
  onChange: (value: string) => void
}

function Colours({ label, one, value, colours, onChange }: ColoursProps) {
  return (
    <fieldset>
      <legend className="mb-1 text-sm font-medium">{label}</legend>
      <div className="flex items-center gap-2">
        {colours.map((color) => (
          <button
            key={color}
            type="button"
            aria-label={`${one} in ${color}`}
            aria-pressed={value === color}
            onClick={() => onChange(color)}
            className="size-8 rounded-md border border-strong aria-pressed:outline-2 aria-pressed:outline-offset-2 aria-pressed:outline-accent"
            style={{ background: color }}
          />
        ))}
        <input
          type="color"
          aria-label={`${one} in another colour`}
          value={value}
          onChange={(e) => onChange(e.target.value)}
          className="h-8 w-10 rounded-md border border-line bg-raised"
        />
      </div>
    </fieldset>
  )
}
