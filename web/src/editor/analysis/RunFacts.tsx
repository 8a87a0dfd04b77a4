import { useQuery } from '@tanstack/react-query'
import { Pencil } from 'lucide-react'
import { settingsOf, type RunSummary } from '../../api/analysis'
import { presetsQuery } from '../../api/presets'
import { analysisText as text } from '../../text/editor/analysis'
import { againSettings, showsScreen } from '../edits/screens'
import { useProject } from '../state/contexts'
import { useEditorStore } from '../state/store'
import { presetName } from './FirstRow'
import { languageName } from './languages'

/** Language, preset and speech model of a run. A click opens the settings of another analysis. */
export function RunFacts({ run }: { run: RunSummary }) {
  const { language_doubt: doubt, model } = run
  const spoken = run.spoken_language === null ? null : languageName(run.spoken_language)
  const language = spoken === null ? null : text.spoken(spoken, doubt, model ?? '')
  const facts = [language, usePresetName(run), doubt === 'unsupported' ? null : modelName(model)]
  const line = facts.filter((fact) => fact !== null).join(' · ')
  const warns = doubt === 'unsure' || doubt === 'unsupported'
  return (
    <button
      type="button"
      className={`flex min-h-6 min-w-0 items-center gap-2 text-left hover:text-ink phone:min-h-10 ${warns ? 'text-ink' : 'text-faint'}`}
      onClick={() => useEditorStore.getState().set({ again: settingsOf(run) })}
    >
      <span className={`min-w-0 ${warns ? 'flex-1' : 'truncate'}`} title={line}>
        {line}
      </span>
      {!warns && <Pencil size={12} className="shrink-0" aria-hidden />}
      <span className={warns ? 'font-medium text-accent' : 'sr-only'}>{text.changeFacts}</span>
    </button>
  )
}

/** The preset of a run. The demonstrations that a screen keeps are not a choice of a person. */
function usePresetName(run: RunSummary): string {
  const { data: presets = [] } = useQuery(presetsQuery)
  const settings = settingsOf(run)
  const screen = showsScreen(useProject().clips)
  const names = [settings, againSettings(settings, screen)].map((s) => presetName(s, presets))
  return names.find((name) => name !== text.presetFact(text.customPreset)) ?? text.presetFact(text.customPreset)
}

const modelName = (model: string | null) =>
  model === null ? text.noModel : model === 'imported' ? text.importedTranscript : model
