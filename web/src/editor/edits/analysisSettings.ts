// The defaults and the meaning of the analysis settings, with the numbers of the detector, and the steps of an analysis.

import type { AnalysisSettings } from '../../api/analysis'
import { analysisText as text } from '../../text/editor/analysis'
import { DEFAULT_OPTIONS, defaultLevel, validOptions } from './cutOptions'

/** Settings of the first analysis of an account without a default preset. */
export const DEFAULT_SETTINGS: AnalysisSettings = {
  pacing: defaultLevel('pacing_level'),
  falseStarts: defaultLevel('false_start_sensitivity'),
  cutFillers: false,
  language: null,
  options: DEFAULT_OPTIONS,
}

/** Reads stored settings; missing and invalid ones get their defaults. A language is not taken from another project. */
export function lastSettings(stored: string | null): AnalysisSettings {
  let value: unknown = null
  try {
    value = JSON.parse(stored ?? 'null')
  } catch {
    // Not written by Roughcut.
  }

  const found = (typeof value === 'object' && value !== null ? value : {}) as Partial<
    Record<keyof AnalysisSettings, unknown>
  >

  const level = (value: unknown, standard: number) =>
    typeof value === 'number' && value >= 0 && value <= 100 ? Math.round(value) : standard

  return {
    pacing: level(found.pacing, DEFAULT_SETTINGS.pacing),
    falseStarts: level(found.falseStarts, DEFAULT_SETTINGS.falseStarts),
    cutFillers: found.cutFillers === true,
    language: null,
    options: validOptions(found.options),
  }
}

/** Cuts pauses longer than cutOverMs and leaves airMs on each side. */
export function pauseRule(pacing: number): { cutOverMs: number; airMs: number } {
  const between = (from: number, to: number) => from * (to / from) ** (pacing / 100)
  return { cutOverMs: between(2500, 150), airMs: between(400, 40) }
}

export function pacingMeaning(pacing: number): string {
  const { cutOverMs, airMs } = pauseRule(pacing)
  return text.pacingMeaning(cutOverMs, airMs)
}

export function falseStartMeaning(sensitivity: number): string {
  const { exact, clear, restarts, loose } = text.falseStartMeanings
  if (sensitivity === 0) return exact
  if (sensitivity < 40) return clear
  return sensitivity < 75 ? restarts : loose
}

/** Steps of an analysis, named as in the event stream, in order, with their labels. */
export const ANALYSIS_STEPS: readonly (readonly [name: string, label: string])[] = Object.entries(text.steps)

/** The position of a step in an analysis; -1 for an unknown step. */
export const stepNumber = (step: string | null | undefined) => ANALYSIS_STEPS.findIndex(([name]) => name === step)

/** A span of progress, such as one step: it was `from` percent at `since` and `progress` percent at `at`. */
export interface Pace {
  from: number
  progress: number
  /** Times in milliseconds. */
  since: number
  at: number
}

/**
 * Remaining time in milliseconds; null while an estimate would be unreliable. Between two reports the estimate counts down.
 * If the next one is late, the estimate is undefined, because it could only grow.
 */
export function timeLeft({ from, progress, since, at }: Pace, now: number): number | null {
  if (progress - from < 3 || at - since < 2000) return null
  const left = ((at - since) * (100 - progress)) / (progress - from) - (now - at)
  return left > 0 ? left : null
}
