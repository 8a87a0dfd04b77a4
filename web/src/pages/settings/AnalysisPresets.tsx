import { cutOptionsOf } from '../../api/analysis'
import { MAX_PRESETS, presetRequests, presetsQuery, type Preset, type PresetFields } from '../../api/presets'
import { DEFAULT_SETTINGS } from '../../editor/edits/analysisSettings'
import { CutOptionFields } from '../../editor/analysis/CutOptionFields'
import { DEFAULT_OPTIONS, optionSummary } from '../../editor/edits/cutOptions'
import { languageName, languageOptions } from '../../editor/analysis/languages'
import { LevelSliders } from '../../editor/analysis/LevelSliders'
import { analysisText } from '../../text/editor/analysis'
import { presetsText } from '../../text/presets'
import { Badge } from '../../ui/Badge'
import { Button } from '../../ui/Button'
import { Choice } from '../../ui/Choice'
import { Select } from '../../ui/Select'
import { Switch } from '../../ui/Switch'
import { TextArea } from '../../ui/TextArea'
import { PresetSection, type PresetForm } from './PresetSection'
import { useServerChange } from './useServerChange'

/** The list of analysis presets and their editor. */
export function AnalysisPresets() {
  const makeDefault = useServerChange(
    (uuid: string) => presetRequests.update(uuid, { is_default: true }),
    [presetsQuery.queryKey],
  )

  return (
    <PresetSection
      query={presetsQuery}
      requests={presetRequests}
      text={presetsText.analysis}
      help={presetsText.analysisHelp(MAX_PRESETS)}
      most={MAX_PRESETS}
      blank={BLANK}
      row={(p) => ({
        summary: summary(p),
        badge: p.is_default && <Badge tone="accent">{presetsText.default}</Badge>,
        action: !p.is_default && (
          <Button
            size="sm"
            variant="quiet"
            aria-label={presetsText.makeDefaultNamed(p.name)}
            disabled={makeDefault.isPending}
            onClick={() => makeDefault.mutate(p.uuid)}
          >
            {presetsText.makeDefault}
          </Button>
        ),
      })}
      form={(form) => <Fields {...form} />}
    />
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

const BLANK: PresetFields = {
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

function Fields({ value, set, name }: PresetForm<PresetFields>) {
  return (
    <>
      {name}
      <LevelSliders
        value={{ pacing: value.pacing_level, falseStarts: value.false_start_sensitivity }}
        onChange={({ pacing = value.pacing_level, falseStarts = value.false_start_sensitivity }) =>
          set({ pacing_level: pacing, false_start_sensitivity: falseStarts })
        }
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
    </>
  )
}
