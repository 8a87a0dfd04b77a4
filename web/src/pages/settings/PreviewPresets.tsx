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

const STYLES = [
  { value: 'classic', label: 'Classic' },
  { value: 'boxed', label: 'Boxed' },
  { value: 'bold', label: 'Bold' },
  { value: 'karaoke', label: 'Karaoke: the spoken word lights up' },
  { value: 'minimal', label: 'Minimal' },
]

const FORMATS = [
  { value: '16:9', label: '16:9' },
  { value: '9:16', label: '9:16' },
  { value: '1:1', label: '1:1' },
] as const
const POSITIONS = [
  { value: 'top', label: 'Top' },
  { value: 'middle', label: 'Middle' },
  { value: 'bottom', label: 'Bottom' },
] as const
const LENGTHS = [
  { value: 'short', label: 'Short', hint: '4 words in a line' },
  { value: 'medium', label: 'Medium', hint: '7 words in a line' },
  { value: 'long', label: 'Long', hint: '10 words in a line' },
] as const

/** Looks of the preview: the frame and the captions in it. */
export function PreviewPresets() {
  const presets = useQuery(previewPresetsQuery)
  const [edited, setEdited] = useState<PreviewPreset | 'new' | null>(null)
  const remove = useServerChange(deletePreviewPreset, STALE)
  return (
    <Section
      title="Preview"
      description="The shape of the picture and the look of the captions, for each place where your videos go."
      action={
        <Button onClick={() => setEdited('new')}>
          <Plus size={14} aria-hidden /> New look
        </Button>
      }
    >
      <Loaded query={presets} what="Your looks">
        {(list) =>
          list.length === 0 ? (
            <p className="text-sm text-muted">
              You have none yet. Make one for upright videos with large captions, and one for the wide screen.
            </p>
          ) : (
            <ul aria-label="Preview presets" className="divide-y divide-line">
              {list.map((p) => (
                <PresetRow
                  key={p.uuid}
                  name={p.name}
                  says={`${p.format} · ${p.caption_style} captions, size ${p.caption_size}, ${p.caption_position}, ${p.caption_length} lines`}
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

// The font is not asked for: the program comes with one family, and each style has its weight of it.
type PresetFields = Omit<Required<NewPreviewPreset>, 'caption_font'>

function blank(preset: PreviewPreset | null): PresetFields {
  if (!preset) {
    return {
      name: '',
      format: '16:9',
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
      title={preset ? 'Edit the look' : 'New look of the preview'}
    >
      <form onSubmit={form.onSubmit} className="flex flex-col gap-6">
        <div className="grid gap-6 md:grid-cols-[1fr_304px]">
          <div className="flex flex-col gap-4">
            <Field
              label="Name"
              name="name"
              value={value.name}
              onChange={(e) => set({ name: e.target.value })}
              required
              maxLength={100}
              autoFocus
              autoComplete="off"
              placeholder="Upright with large captions"
              error={form.fields['name'] ?? form.message ?? undefined}
            />
            <Choice label="Shape" value={value.format} options={FORMATS} onChange={(format) => set({ format })} />
            <div className="grid grid-cols-2 gap-4">
              <Colour label="Bars" value={value.background} onChange={(background) => set({ background })} />
              <Colour
                label="Captions"
                value={value.caption_color}
                onChange={(caption_color) => set({ caption_color })}
              />
            </div>
            <div className="grid grid-cols-[1fr_112px] gap-4">
              <Select
                label="Style of the captions"
                value={value.caption_style}
                options={STYLES}
                onChange={(e) => set({ caption_style: e.target.value as PresetFields['caption_style'] })}
              />
              <Field
                label="Caption size"
                type="number"
                min={8}
                max={200}
                required
                title="From 8 to 200"
                value={Number.isNaN(value.caption_size) ? '' : value.caption_size}
                onChange={(e) => set({ caption_size: e.target.valueAsNumber })}
                error={form.fields['caption_size']}
              />
            </div>
            <Choice
              label="Where"
              value={value.caption_position}
              options={POSITIONS}
              onChange={(caption_position) => set({ caption_position })}
            />
            <Choice
              label="Length of a line"
              value={value.caption_length}
              options={LENGTHS}
              onChange={(caption_length) => set({ caption_length })}
            />
          </div>
          <div className="flex flex-col gap-4">
            <div className="flex h-72 items-center justify-center rounded-lg bg-film p-3">
              <CaptionPreview design={value} height={264} />
            </div>
            <Switch
              label="Mirror the picture"
              checked={value.video_flip_h}
              onChange={(video_flip_h) => set({ video_flip_h })}
            />
            <Switch
              label="Turn it upside down"
              checked={value.video_flip_v}
              onChange={(video_flip_v) => set({ video_flip_v })}
            />
          </div>
        </div>
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" disabled={form.busy}>
            {preset ? 'Save' : 'Make the look'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function Colour({ label, value, onChange }: { label: string; value: string; onChange: (value: string) => void }) {
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
