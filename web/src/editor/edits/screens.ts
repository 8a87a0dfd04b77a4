// Recordings of a screen. Their analyses keep the silences while the video changes, unless a person switches that off.

import type { AnalysisSettings, CutOptions } from '../../api/analysis'
import type { Clip } from '../../api/clips'

export const showsScreen = (clips: readonly Pick<Clip, 'screen'>[]): boolean => clips.some((c) => c.screen === true)

/** The options that an analysis of a project uses. screen says whether a clip is a recording of a screen. */
export const usedOptions = ({ options, keepScreens = true }: AnalysisSettings, screen: boolean): CutOptions =>
  screen && keepScreens ? { ...options, keep_demonstrations: true } : options

/** Settings with other used options. Other projects do not inherit the demonstrations that a screen keeps. */
export const withUsedOptions = (settings: AnalysisSettings, used: CutOptions, screen: boolean): AnalysisSettings =>
  screen
    ? {
        ...settings,
        options: {
          ...used,
          keep_demonstrations: used.keep_demonstrations && settings.options.keep_demonstrations,
        },
        keepScreens: used.keep_demonstrations,
      }
    : { ...settings, options: used }

/** The settings of another analysis that does the same as a run. */
export const againSettings = (run: AnalysisSettings, screen: boolean): AnalysisSettings =>
  screen
    ? {
        ...run,
        options: { ...run.options, keep_demonstrations: false },
        keepScreens: run.options.keep_demonstrations,
      }
    : run
