import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { cutOptionsOf } from '../../api/analysis'
import {
  createPreset,
  deletePreset,
  MAX_PRESETS,
  presetsQuery,
  updatePreset,
  type NewPreset,
  type Preset,
} from '../../api/presets'
import { DEFAULT_SETTINGS, falseStartMeaning, pacingMeaning } from '../../editor/analysis/analysisSettings'
import { CutOptionFields } from '../../editor/analysis/CutOptionFields'
import { DEFAULT_OPTIONS, optionSummary } from '../../editor/analysis/cutOptions'
import { commonText } from '../../text/common'
import { analysisText } from '../../text/editor/analysis'
import { presetsText } from '../../text/presets'
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
import { languageName, languageOptions } from '../../editor/analysis/languages'
import { Loaded } from './Page'
import { PresetRow } from './PresetRow'
import { useServerChange } from './useServerChange'

const STALE = [presetsQuery.queryKey]

/** The list of analysis presets and their editor. */
export function AnalysisPresets() {
  const presets = useQuery(presetsQuery)
  const [edited, setEdited] = useState<Preset | 'new' | null>(null)
  const remove = useServerChange(deletePreset, STALE)
  const makeDefault = useServerChange((uuid: string) => updatePreset(uuid, { is_default: true }), STALE)
  const full = (presets.data?.length ?? 0) >= MAX_PRESETS
  return (
    <Section
      title={presetsText.analysis}
      description={presetsText.analysisHelp(MAX_PRESETS)}
      action={
        <Button
          disabled={presets.data === undefined || full}
          title={full ? presetsText.limitReached : undefined}
          onClick={() => setEdited('new')}
        >
          <Plus size={14} aria-hidden /> {presetsText.newPreset}
        </Button>
      }
    >
      <Loaded query={presets} what={presetsText.thePresets}>
        {(all) =>
          all.length === 0 ? (
            <p className="text-sm text-muted">{presetsText.noAnalysisPresets}</p>
          ) : (
            <ul aria-label={presetsText.analysisPresets} className="divide-y divide-line">
              {all.map((p) => (
                <PresetRow
                  key={p.uuid}
                  name={p.name}
                  summary={summary(p)}
                  badge={p.is_default && <Badge tone="accent">{presetsText.default}</Badge>}
                  action={
                    !p.is_default && (
                      <Button
                        size="sm"
                        variant="quiet"
                        aria-label={presetsText.makeDefaultNamed(p.name)}
                        disabled={makeDefault.isPending}
                        onClick={() => makeDefault.mutate(p.uuid)}
                      >
                        {presetsText.makeDefault}
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
  { value: 'none', label: presetsText.censorship.none },
  { value: 'mute', label: presetsText.censorship.mute },
  { value: 'bleep', label: presetsText.censorship.bleep },
] as const

function summary(p: Preset): string {
  const text = presetsText.summary
  const parts: string[] = [
    text.pacing(p.pacing_level),
    text.falseStarts(p.false_start_sensitivity),
    p.language ? languageName(p.language) : text.anyLanguage,
  ]
  if (p.cut_fillers) parts.push(text.cutFillers)
  parts.push(...optionSummary(p))
  if (p.audio_clean) parts.push(text.reducesNoise)
  if (p.censorship_mode !== 'none') parts.push(text.censorship[p.censorship_mode])
  if (p.director_notes) parts.push(text.directorNotes)
  return parts.join(' · ')
}

const BLANK: Required<NewPreset> = {
  name: '',
  pacing_level: DEFAULT_SETTINGS.pacing,
  false_start_sensitivity: DEFAULT_SETTINGS.falseStarts,
  cut_fillers: DEFAULT_SETTINGS.cutFillers,
  ...DEFAULT_OPTIONS,
  language: null,
  audio_clean: false,
  censorship_mode: 'none',
  director_notes: '',
  is_default: false,
}

function fieldsOf(preset: Preset): Required<NewPreset> {
  const { name, pacing_level, false_start_sensitivity, cut_fillers, language } = preset
  const { audio_clean, censorship_mode, director_notes, is_default } = preset
  return {
    name,
    pacing_level,
    false_start_sensitivity,
    cut_fillers,
    ...cutOptionsOf(preset),
    language,
    audio_clean,
    censorship_mode,
    director_notes,
    is_default,
  }
}

function Editor({ preset, onClose }: { preset: Preset | null; onClose: () => void }) {
  const [value, setValue] = useState(() => (preset ? fieldsOf(preset) : BLANK))
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
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={preset ? presetsText.editAnalysis : presetsText.newAnalysis}
    >
      <form onSubmit={form.onSubmit} className="flex flex-col gap-5">
        <Field
          label={commonText.name}
          name="name"
          value={value.name}
          onChange={(e) => set({ name: e.target.value })}
          required
          maxLength={100}
          autoFocus
          autoComplete="off"
          placeholder={presetsText.analysisNamePlaceholder}
          error={form.fields['name'] ?? form.message ?? undefined}
        />
        <Slider
          label={presetsText.pacing}
          value={value.pacing_level}
          meaning={pacingMeaning(value.pacing_level)}
          low={presetsText.pacingLow}
          high={presetsText.pacingHigh}
          onChange={(pacing_level) => set({ pacing_level })}
        />
        <Slider
          label={presetsText.falseStarts}
          value={value.false_start_sensitivity}
          meaning={falseStartMeaning(value.false_start_sensitivity)}
          low={presetsText.falseStartsLow}
          high={presetsText.falseStartsHigh}
          onChange={(false_start_sensitivity) => set({ false_start_sensitivity })}
        />
        <Switch
          label={analysisText.cutFillers}
          hint={analysisText.cutFillersHint}
          checked={value.cut_fillers}
          onChange={(cut_fillers) => set({ cut_fillers })}
        />
        <CutOptionFields value={value} onChange={(options) => set(cutOptionsOf(options))} />
        <Select
          label={presetsText.spokenLanguage}
          value={value.language ?? ''}
          options={languageOptions(value.language)}
          onChange={(e) => set({ language: e.target.value || null })}
        />
        <Choice
          label={presetsText.profanity}
          value={value.censorship_mode}
          options={CENSORSHIP}
          onChange={(censorship_mode) => set({ censorship_mode })}
        />
        <Switch
          label={presetsText.reduceNoise}
          hint={presetsText.reduceNoiseHelp}
          checked={value.audio_clean}
          onChange={(audio_clean) => set({ audio_clean })}
        />
        <TextArea
          label={presetsText.directorNotes}
          value={value.director_notes}
          maxLength={4000}
          rows={3}
          hint={presetsText.directorNotesHelp}
          onChange={(e) => set({ director_notes: e.target.value })}
        />
        <Switch
          label={presetsText.useAsDefault}
          hint={presetsText.useAsDefaultHelp}
          checked={value.is_default}
          onChange={(is_default) => set({ is_default })}
        />
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
