import { settingsOf, type AnalysisSettings } from '../../api/analysis'
import type { Preset } from '../../api/presets'
import { languageOptions } from './languages'
import { analysisText as text } from '../../text/editor/analysis'
import { Select } from '../../ui/Select'
import { Switch } from '../../ui/Switch'
import { DEFAULT_SETTINGS } from '../edits/analysisSettings'

interface FirstRowProps {
  settings: AnalysisSettings
  presets: readonly Preset[]
  onChange: (settings: AnalysisSettings) => void
}

const CUSTOM = 'custom'
const STANDARD = 'standard'

/** The settings that most people choose: preset, language and fillers. */
export function FirstRow({ settings, presets, onChange }: FirstRowProps) {
  const choices = choicesOf(presets)
  const current = chosen(choices, settings)
  return (
    <div className="flex flex-col gap-3" role="group" aria-label={text.mainSettings}>
      <div className="grid grid-cols-2 gap-3">
        <Select
          label={text.preset}
          value={current?.value ?? CUSTOM}
          options={current ? choices : [...choices, { value: CUSTOM, label: text.customPreset }]}
          onChange={(e) => {
            const preset = choices.find((c) => c.value === e.target.value)
            if (preset) onChange(preset.settings)
          }}
        />
        <Select
          label={text.language}
          value={settings.language ?? ''}
          options={languageOptions(settings.language)}
          onChange={(e) => onChange({ ...settings, language: e.target.value || null })}
        />
      </div>
      <Switch
        label={text.cutFillers}
        hint={text.cutFillersHint}
        checked={settings.cutFillers}
        onChange={(cutFillers) => onChange({ ...settings, cutFillers })}
      />
    </div>
  )
}

const choicesOf = (presets: readonly Preset[]) => [
  { value: STANDARD, label: text.standardPreset, settings: DEFAULT_SETTINGS },
  ...presets.map((p) => ({ value: p.uuid, label: p.name, settings: settingsOf(p) })),
]

const chosen = (choices: ReturnType<typeof choicesOf>, settings: AnalysisSettings) =>
  choices.findLast((c) => isSame(c.settings, settings))

/** The name of the preset that has these settings. The language is not compared: it is often changed for one recording. */
export const presetName = (settings: AnalysisSettings, presets: readonly Preset[]): string => {
  const anyLanguage = choicesOf(presets).map((c) => ({
    ...c,
    settings: { ...c.settings, language: settings.language },
  }))

  return text.presetFact(chosen(anyLanguage, settings)?.label ?? text.customPreset)
}

const isSame = (a: AnalysisSettings, b: AnalysisSettings): boolean =>
  (Object.keys(DEFAULT_SETTINGS) as (keyof AnalysisSettings)[]).every(
    (name) => JSON.stringify(a[name]) === JSON.stringify(b[name]),
  )
