import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useId, useState } from 'react'
import {
  createPreviewPreset,
  deletePreviewPreset,
  previewPresetsQuery,
  updatePreviewPreset,
  type NewPreviewPreset,
  type PreviewPreset,
} from '../../api/presets'
import { CAPTION_STYLES } from '../../editor/captions/captionStyle'
import { formatOf, FORMATS as EXPORT_FORMATS } from '../../editor/export/exportOptions'
import { commonText } from '../../text/common'
import { exportText } from '../../text/editor/export'
import { presetsText } from '../../text/presets'
import { Button } from '../../ui/Button'
import { Choice } from '../../ui/Choice'
import { Dialog } from '../../ui/Dialog'
import { Field } from '../../ui/Field'
import { Section } from '../../ui/Section'
import { Select } from '../../ui/Select'
import { Switch } from '../../ui/Switch'
import { useSubmit } from '../useSubmit'
import { CaptionPreview } from './CaptionPreview'
import { Loaded } from './Page'
import { PresetRow } from './PresetRow'
import { useServerChange } from './useServerChange'

const STALE = [previewPresetsQuery.queryKey]

const STYLES = CAPTION_STYLES.map(({ name, label }) => ({ value: name, label }))

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

/** The list of preview presets, which set the video format and caption style, and their editor. */
export function PreviewPresets() {
  const presets = useQuery(previewPresetsQuery)
  const [edited, setEdited] = useState<PreviewPreset | 'new' | null>(null)
  const remove = useServerChange(deletePreviewPreset, STALE)
  return (
    <Section
      title={presetsText.preview}
      description={presetsText.previewHelp}
      action={
        <Button onClick={() => setEdited('new')}>
          <Plus size={14} aria-hidden /> {presetsText.newPreset}
        </Button>
      }
    >
      <Loaded query={presets} what={presetsText.thePresets}>
        {(list) =>
          list.length === 0 ? (
            <p className="text-sm text-muted">{presetsText.noPreviewPresets}</p>
          ) : (
            <ul aria-label={presetsText.previewPresets} className="divide-y divide-line">
              {list.map((p) => (
                <PresetRow
                  key={p.uuid}
                  name={p.name}
                  summary={presetsText.previewSummary(
                    formatOf({ format: p.file_type }).label,
                    p.format === 'source' ? presetsText.asRecorded : p.format,
                    p.caption_style,
                    p.caption_size,
                    presetsText.positions[p.caption_position],
                    presetsText.lineLengths[p.caption_length],
                  )}
                  before={
                    <span className="flex w-20 shrink-0 justify-center">
                      <CaptionPreview design={p} height={44} />
                    </span>
                  }
                  onEdit={() => setEdited(p)}
                  onDelete={() => remove.mutate(p.uuid)}
                />
              ))}
            </ul>
          )
        }
      </Loaded>
      {edited && <Editor preset={edited === 'new' ? null : edited} onClose={() => setEdited(null)} />}
    </Section>
  )
}

// The UI has no font choice, because Roughcut bundles one font family and each style sets its weight.
type PresetFields = Omit<Required<NewPreviewPreset>, 'caption_font'>

function blank(preset: PreviewPreset | null): PresetFields {
  if (!preset) {
    return {
      name: '',
      format: 'source',
      file_type: 'mp4',
      background: '#000000',
      caption_style: 'classic',
      caption_size: 48,
      caption_position: 'bottom',
      caption_color: '#ffffff',
      caption_length: 'medium',
      video_flip_h: false,
      video_flip_v: false,
    }
  }
  const {
    name,
    format,
    file_type,
    background,
    caption_style,
    caption_size,
    caption_position,
    caption_color,
    caption_length,
    video_flip_h,
    video_flip_v,
  } = preset
  return {
    name,
    format,
    file_type,
    background,
    caption_style,
    caption_size,
    caption_position,
    caption_color,
    caption_length,
    video_flip_h,
    video_flip_v,
  }
}

function Editor({ preset, onClose }: { preset: PreviewPreset | null; onClose: () => void }) {
  const [value, setValue] = useState(() => blank(preset))
  const set = (change: Partial<PresetFields>) => setValue((v) => ({ ...v, ...change }))
  const save = useServerChange(
    (body: PresetFields) =>
      preset ? updatePreviewPreset(preset.uuid, body) : createPreviewPreset({ ...body, caption_font: '' }),
    STALE,
    onClose,
    true,
  )
  const form = useSubmit(async () => {
    await save.mutateAsync({ ...value, name: value.name.trim() })
  })
  return (
    <Dialog
      wide
      open
      onOpenChange={(open) => !open && onClose()}
      title={preset ? presetsText.editPreview : presetsText.newPreview}
    >
      <form onSubmit={form.onSubmit} className="flex flex-col gap-6">
        <div className="grid gap-6 md:grid-cols-[1fr_304px]">
          <div className="flex flex-col gap-4">
            <Field
              label={commonText.name}
              name="name"
              value={value.name}
              onChange={(e) => set({ name: e.target.value })}
              required
              maxLength={100}
              autoFocus
              autoComplete="off"
              placeholder={presetsText.previewNamePlaceholder}
              error={form.fields['name'] ?? form.message ?? undefined}
            />
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
              onChange={(e) => set({ file_type: e.currentTarget.value as PresetFields['file_type'] })}
            />
            <div className="grid grid-cols-2 gap-4">
              <ColorInput
                label={presetsText.background}
                value={value.background}
                onChange={(background) => set({ background })}
              />
              <ColorInput
                label={presetsText.captionColor}
                value={value.caption_color}
                onChange={(caption_color) => set({ caption_color })}
              />
            </div>
            <CaptionFields value={value} onChange={set} sizeError={form.fields['caption_size']} />
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
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{commonText.cancel}</Button>
          <Button variant="primary" type="submit" disabled={form.busy}>
            {preset ? commonText.save : presetsText.create}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function CaptionFields({
  value,
  onChange,
  sizeError,
}: {
  value: PresetFields
  onChange: (change: Partial<PresetFields>) => void
  sizeError: string | undefined
}) {
  return (
    <>
      <div className="grid grid-cols-[1fr_112px] gap-4">
        <Select
          label={presetsText.captionStyle}
          value={value.caption_style}
          options={STYLES}
          onChange={(e) => onChange({ caption_style: e.target.value as PresetFields['caption_style'] })}
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
