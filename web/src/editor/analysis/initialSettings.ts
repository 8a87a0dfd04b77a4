// The settings with which an analysis starts.

import { settingsOf, type AnalysisSettings } from '../../api/analysis'
import type { Preset } from '../../api/presets'
import { DEFAULT_SETTINGS, lastSettings } from './analysisSettings'

/** Local storage key of the settings of the last analysis. */
const LAST_KEY = 'roughcut.analysis'

/** Stores the settings for the next analysis. */
export function rememberSettings(settings: AnalysisSettings): void {
  try {
    localStorage.setItem(LAST_KEY, JSON.stringify(settings))
  } catch {
    // Storage is blocked: the next analysis starts with the default settings.
  }
}

/** The settings of a new analysis: those of the default preset, otherwise the last ones. */
export function initialSettings(presets: readonly Preset[]): AnalysisSettings {
  const preset = presets.find((p) => p.is_default)
  if (preset) return settingsOf(preset)
  return lastSettings(readStored()) ?? DEFAULT_SETTINGS
}

function readStored(): string | null {
  try {
    return localStorage.getItem(LAST_KEY)
  } catch {
    return null
  }
}
