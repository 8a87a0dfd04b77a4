import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import {
  createPreset,
  deletePreset,
  MAX_PRESETS,
  presetsQuery,
  updatePreset,
  type NewPreset,
  type Preset,
} from '../../api/presets'
import { falseStartMeaning, pacingMeaning } from '../../editor/knobs'
import { Badge } from '../../ui/Badge'
import { Button } from '../../ui/Button'
import { Choice } from '../../ui/Choice'
import { Dialog } from '../../ui/Dialog'
import { Field } from '../../ui/Field'
import { Section } from '../../ui/Section'
import { Select } from '../../ui/Select'
import { Slider } from '../../ui/Slider'
import { Switch } from '../../ui/Switch'
import { TextArea } from '../../ui/TextArea'
import { useSubmit } from '../useSubmit'
import { languageName, languageOptions } from './languages'
import { Loaded } from './Page'
import { PresetRow } from './PresetRow'
import { useServerChange } from './useServerChange'

const STALE = [presetsQuery.queryKey]

/** Settings of analyses; yesterday's are there today. */
export function AnalysisPresets() {
  const presets = useQuery(presetsQuery)
  const [edited, setEdited] = useState<Preset | 'new' | null>(null)
  const remove = useServerChange(deletePreset, STALE)
  const makeDefault = useServerChange((uuid: string) => updatePreset(uuid, { is_default: true }), STALE)
  const full = (presets.data?.length ?? 0) >= MAX_PRESETS
  return (
    <Section
      title="Analysis"
      description={`How closely to cut, and what to listen for. Up to ${MAX_PRESETS}; the default is taken where nothing else is chosen.`}
      action={
        <Button
          disabled={presets.data === undefined || full}
          title={full ? 'There are as many as there can be; delete one first' : undefined}
          onClick={() => setEdited('new')}
        >
          <Plus size={14} aria-hidden /> New preset
        </Button>
      }
    >
      <Loaded query={presets} what="Your presets">
        {(list) =>
          list.length === 0 ? (
            <p className="text-sm text-muted">
              You have none yet. Make one for each kind of recording: a tight one for short videos, a calm one for
              lessons.
            </p>
          ) : (
            <ul aria-label="Analysis presets" className="divide-y divide-line">
              {list.map((p) => (
                <PresetRow
                  key={p.uuid}
                  name={p.name}
                  says={summary(p)}
                  badge={p.is_default && <Badge tone="accent">Default</Badge>}
                  action={
                    !p.is_default && (
                      <Button
                        size="sm"
                        variant="quiet"
                        aria-label={`Make ${p.name} the default`}
                        disabled={makeDefault.isPending}
                        onClick={() => makeDefault.mutate(p.uuid)}
                      >
                        Make default
                      </Button>
                    )
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

const CENSORSHIP = [
  { value: 'none', label: 'Leave them' },
  { value: 'mute', label: 'Mute them' },
  { value: 'bleep', label: 'Bleep them' },
] as const

function summary(p: Preset): string {
  const parts = [
    `Pacing ${p.pacing_level}`,
    `false starts ${p.false_start_sensitivity}`,
    p.language ? languageName(p.language) : 'any language',
  ]
  if (p.audio_clean) parts.push('cleans the sound')
  if (p.censorship_mode !== 'none') parts.push(`${p.censorship_mode}s profanities`)
  if (p.director_notes) parts.push('notes for the Director')
  return parts.join(' · ')
}

function blank(preset: Preset | null): Required<NewPreset> {
  if (!preset)
    return {
      name: '',
      pacing_level: 50,
      false_start_sensitivity: 50,
      language: null,
      audio_clean: false,
      censorship_mode: 'none',
      director_notes: '',
      is_default: false,
    }
  const {
    name,
    pacing_level,
    false_start_sensitivity,
    language,
    audio_clean,
    censorship_mode,
    director_notes,
    is_default,
  } = preset
  return {
    name,
    pacing_level,
    false_start_sensitivity,
    language,
    audio_clean,
    censorship_mode,
    director_notes,
    is_default,
  }
}

function Editor({ preset, onClose }: { preset: Preset | null; onClose: () => void }) {
  const [value, setValue] = useState(() => blank(preset))
  const set = (change: Partial<NewPreset>) => setValue((v) => ({ ...v, ...change }))
  const save = useServerChange(
    (body: NewPreset) => (preset ? updatePreset(preset.uuid, body) : createPreset(body)),
    STALE,
    onClose,
    true,
  )
  const form = useSubmit(async () => {
    await save.mutateAsync({ ...value, name: value.name.trim() })
  })
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={preset ? 'Edit the preset' : 'New analysis preset'}>
      <form onSubmit={form.onSubmit} className="flex flex-col gap-5">
        <Field
          label="Name"
          name="name"
          value={value.name}
          onChange={(e) => set({ name: e.target.value })}
          required
          maxLength={100}
          autoFocus
          autoComplete="off"
          placeholder="Short videos"
          error={form.fields['name'] ?? form.message ?? undefined}
        />
        <Slider
          label="Pacing"
          value={value.pacing_level}
          meaning={pacingMeaning(value.pacing_level)}
          low="Relaxed"
          high="Tight"
          onChange={(pacing_level) => set({ pacing_level })}
        />
        <Slider
          label="False starts"
          value={value.false_start_sensitivity}
          meaning={falseStartMeaning(value.false_start_sensitivity)}
          low="Only clear ones"
          high="Also likely ones"
          onChange={(false_start_sensitivity) => set({ false_start_sensitivity })}
        />
        <Select
          label="Language spoken"
          value={value.language ?? ''}
          options={languageOptions(value.language)}
          onChange={(e) => set({ language: e.target.value || null })}
        />
        <Choice
          label="Profanities in the export"
          value={value.censorship_mode}
          options={CENSORSHIP}
          onChange={(censorship_mode) => set({ censorship_mode })}
        />
        <Switch
          label="Clean the sound"
          hint="Takes background noise out of the export."
          checked={value.audio_clean}
          onChange={(audio_clean) => set({ audio_clean })}
        />
        <TextArea
          label="Notes for the Director"
          value={value.director_notes}
          maxLength={4000}
          rows={3}
          hint="Wishes for the placing of assets, such as: only where nobody is speaking."
          onChange={(e) => set({ director_notes: e.target.value })}
        />
        <Switch
          label="Take it by default"
          hint="Where nothing else is chosen."
          checked={value.is_default}
          onChange={(is_default) => set({ is_default })}
        />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" disabled={form.busy}>
            {preset ? 'Save' : 'Make the preset'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
