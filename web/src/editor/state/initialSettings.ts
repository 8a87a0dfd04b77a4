// The initial settings of an analysis.

import { settingsOf, type AnalysisSettings } from '../../api/analysis'
import type { Preset } from '../../api/presets'
import { changeSetting, setting } from '../../api/settings'
import { lastSettings } from '../edits/analysisSettings'

/** Stores the settings for the next analysis, without the language, which belongs to the recording. */
export function rememberSettings(settings: AnalysisSettings): void {
  changeSetting('analysis', JSON.stringify({ ...settings, language: null }))
}

/** The settings of a new analysis: the default preset's, otherwise the last ones. The language is the preset's or detected. */
export function initialSettings(presets: readonly Preset[]): AnalysisSettings {
  const preset = presets.find((p) => p.is_default)
  return preset ? settingsOf(preset) : lastSettings(setting('analysis'))
}
