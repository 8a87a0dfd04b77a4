// The initial settings of an analysis.

import { settingsOf, type AnalysisSettings } from '../../api/analysis'
import type { Preset } from '../../api/presets'
import { browserStorage } from '../../api/storage'
import { DEFAULT_SETTINGS, lastSettings } from '../edits/analysisSettings'

/** Local storage key of the settings of the last analysis. */
const LAST_KEY = 'roughcut.analysis'

/** Stores the settings for the next analysis. */
export function rememberSettings(settings: AnalysisSettings): void {
  browserStorage.setItem(LAST_KEY, JSON.stringify(settings))
}

/** The settings of a new analysis: the default preset's, otherwise the last ones. */
export function initialSettings(presets: readonly Preset[]): AnalysisSettings {
  const preset = presets.find((p) => p.is_default)
  if (preset) return settingsOf(preset)
  return lastSettings(browserStorage.getItem(LAST_KEY)) ?? DEFAULT_SETTINGS
}
