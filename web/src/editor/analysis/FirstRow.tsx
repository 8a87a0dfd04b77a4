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
  const choices = [
    { value: STANDARD, label: text.standardPreset, settings: DEFAULT_SETTINGS },
    ...presets.map((p) => ({ value: p.uuid, label: p.name, settings: settingsOf(p) })),
  ]

  const current = choices.findLast((c) => isSame(c.settings, settings))
  return (
    <div className="flex flex-col gap-3" role="group" aria-label={text.mainSettings}>
      <div className="grid grid-cols-2 gap-3">
        <Select
          label={text.preset}
          value={current?.value ?? CUSTOM}
          options={current ? choices : [...choices, { value: CUSTOM, label: text.customPreset }]}
          onChange={(e) => {
            const chosen = choices.find((c) => c.value === e.target.value)
            if (chosen) onChange(chosen.settings)
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

const isSame = (a: AnalysisSettings, b: AnalysisSettings): boolean =>
  (Object.keys(DEFAULT_SETTINGS) as (keyof AnalysisSettings)[]).every(
    (name) => JSON.stringify(a[name]) === JSON.stringify(b[name]),
  )
