import { useId } from 'react'
import {
  previewPresetRequests,
  previewPresetsQuery,
  type PreviewPreset,
  type PreviewPresetFields,
} from '../../api/presets'
import { designOf, drawnColor, withStyle, type CaptionOptions, type CaptionStyle } from '../../editor/plan/captionStyle'
import { CaptionStylePicker } from '../../editor/player/CaptionStylePicker'
import { formatOf, FORMATS as EXPORT_FORMATS } from '../../editor/state/exportOptions'
import { exportText } from '../../text/editor/export'
import { presetsText } from '../../text/presets'
import { Choice } from '../../ui/Choice'
import { Field } from '../../ui/Field'
import { Select } from '../../ui/Select'
import { Switch } from '../../ui/Switch'
import { CaptionPreview } from './CaptionPreview'
import { PresetSection, type PresetForm } from './PresetSection'

const FORMATS = [
  { value: 'source', label: presetsText.asRecorded, hint: presetsText.asRecordedHint },
  { value: '16:9', label: '16:9' },
  { value: '9:16', label: '9:16' },
  { value: '1:1', label: '1:1' },
] as const

const FILE_TYPES = EXPORT_FORMATS.map(({ name, label, description }) => ({
  value: name,
  label: exportText.formatName(label, description),
}))

const POSITIONS = [
  { value: 'top', label: presetsText.positions.top },
  { value: 'middle', label: presetsText.positions.middle },
  { value: 'bottom', label: presetsText.positions.bottom },
] as const

const LENGTHS = [
  { value: 'short', label: presetsText.lineLengths.short, hint: presetsText.wordsPerLine(4) },
  { value: 'medium', label: presetsText.lineLengths.medium, hint: presetsText.wordsPerLine(7) },
  { value: 'long', label: presetsText.lineLengths.long, hint: presetsText.wordsPerLine(10) },
] as const

const BLANK_SIZE = 48

const BLANK: PreviewPresetFields = {
  name: '',
  format: 'source',
  file_type: 'mp4',
  background: '#000000',
  caption_style: 'classic',
  caption_size: BLANK_SIZE,
  caption_position: 'bottom',
  caption_color: '#ffffff',
  caption_length: 'medium',
  video_flip_h: false,
  video_flip_v: false,
}

// usualSize returns the caption size that a new preset with a style has.
const usualSize = (style: CaptionStyle) => Math.round(BLANK_SIZE * designOf(style).scale)

/** The list of preview presets, which set the video format and caption style, and their editor. */
export function PreviewPresets() {
  return (
    <PresetSection
      query={previewPresetsQuery}
      requests={previewPresetRequests}
      text={presetsText.preview}
      help={presetsText.previewHelp}
      blank={BLANK}
      row={(p) => ({
        summary: summary(p),
        before: (
          <span className="flex w-20 shrink-0 justify-center">
            <CaptionPreview design={p} height={44} />
          </span>
        ),
      })}
      wide
      form={(form) => <Fields {...form} />}
    />
  )
}

const summary = (p: PreviewPreset): string =>
  presetsText.previewSummary(
    formatOf({ format: p.file_type }).label,
    p.format === 'source' ? presetsText.asRecorded : p.format,
    designOf(p.caption_style).label.toLowerCase(),
    p.caption_size,
    presetsText.positions[p.caption_position],
    presetsText.lineLengths[p.caption_length],
  )

function Fields({ value, set, name, errors }: PresetForm<PreviewPresetFields>) {
  return (
    <div className="grid gap-6 md:grid-cols-[1fr_304px]">
      <div className="flex flex-col gap-4">
        {name}
        <Choice
          label={presetsText.format}
          value={value.format}
          options={FORMATS}
          onChange={(format) => set({ format })}
        />
        <Select
          label={exportText.fileFormat}
          value={value.file_type}
          options={FILE_TYPES}
          onChange={(e) => set({ file_type: e.currentTarget.value as PreviewPresetFields['file_type'] })}
        />
        <div className="grid grid-cols-2 gap-4">
          <ColorInput
            label={presetsText.background}
            value={value.background}
            onChange={(background) => set({ background })}
          />
          <ColorInput
            label={presetsText.captionColor}
            value={drawnColor({ style: value.caption_style, color: value.caption_color })}
            onChange={(caption_color) => set({ caption_color })}
          />
        </div>
        <CaptionFields value={value} onChange={set} sizeError={errors['caption_size']} />
      </div>
      <div className="flex flex-col gap-4">
        <div className="flex h-72 items-center justify-center rounded-lg bg-film p-3">
          <CaptionPreview design={value} height={264} />
        </div>
        <Switch
          label={presetsText.mirror}
          checked={value.video_flip_h}
          onChange={(video_flip_h) => set({ video_flip_h })}
        />
        <Switch
          label={presetsText.flip}
          checked={value.video_flip_v}
          onChange={(video_flip_v) => set({ video_flip_v })}
        />
      </div>
    </div>
  )
}

function CaptionFields({
  value,
  onChange,
  sizeError,
}: {
  value: PreviewPresetFields
  onChange: (change: Partial<PreviewPresetFields>) => void
  sizeError: string | undefined
}) {
  const options: CaptionOptions = {
    style: value.caption_style,
    font_size: value.caption_size,
    position: value.caption_position,
    color: value.caption_color,
    font: '',
  }

  return (
    <>
      <div className="grid grid-cols-[1fr_112px] gap-4">
        <CaptionStylePicker
          label={presetsText.captionStyle}
          options={options}
          onChange={(style) => {
            if (!style) return
            const { position } = withStyle(options, style)
            const follows = value.caption_size === usualSize(value.caption_style)
            const size = follows ? { caption_size: usualSize(style) } : {}
            onChange({ caption_style: style, caption_position: position, ...size })
          }}
        />
        <Field
          label={presetsText.captionSize}
          type="number"
          min={8}
          max={200}
          required
          title={presetsText.captionSizeRange}
          value={Number.isNaN(value.caption_size) ? '' : value.caption_size}
          onChange={(e) => onChange({ caption_size: e.target.valueAsNumber })}
          error={sizeError}
        />
      </div>
      <Choice
        label={presetsText.position}
        value={value.caption_position}
        options={POSITIONS}
        onChange={(caption_position) => onChange({ caption_position })}
      />
      <Choice
        label={presetsText.lineLength}
        value={value.caption_length}
        options={LENGTHS}
        onChange={(caption_length) => onChange({ caption_length })}
      />
    </>
  )
}

function ColorInput({ label, value, onChange }: { label: string; value: string; onChange: (value: string) => void }) {
  const id = useId()
  return (
    <div>
      <label htmlFor={id} className="mb-1 block text-sm font-medium">
        {label}
      </label>
      <div className="flex h-10 items-center gap-2 rounded-md border border-line bg-raised px-2 hover:border-strong">
        <input
          id={id}
          type="color"
          value={value}
          onChange={(e) => onChange(e.target.value)}
          className="h-6 w-8 shrink-0 rounded-sm border-0 bg-transparent p-0"
        />
        <span className="text-sm text-muted">{value}</span>
      </div>
    </div>
  )
}
