import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import type { AnalysisSettings, CutOptions } from '../../api/analysis'
import { describeModel, modelInUse, modelsQuery } from '../../api/models'
import type { Preset } from '../../api/presets'
import { sessionQuery } from '../../api/session'
import { analysisText as text } from '../../text/editor/analysis'
import { changedOptions } from '../edits/cutOptions'
import { showsScreen, usedOptions, withUsedOptions } from '../edits/screens'
import { useProject } from '../state/contexts'
import { CutOptionFields } from './CutOptionFields'
import { DirectorSwitch } from './DirectorSwitch'
import { FirstRow } from './FirstRow'
import { LevelSliders } from './LevelSliders'
import { ProjectVocabulary } from './ProjectVocabulary'
import { ScreenNote } from './ScreenNote'

interface AnalysisFieldsProps {
  settings: AnalysisSettings
  presets: readonly Preset[]
  onChange: (settings: AnalysisSettings) => void
}

/** All choices for an analysis. */
export function AnalysisFields({ settings, presets, onChange }: AnalysisFieldsProps) {
  return (
    <>
      <FirstRow settings={settings} presets={presets} onChange={onChange} />
      <SettingControls settings={settings} onChange={onChange} />
      <DirectorSwitch />
      <ProjectVocabulary />
    </>
  )
}

/** Names the speech model, and shows admins the way to the page that changes it. */
export function ActiveModel() {
  const admin = useQuery(sessionQuery).data?.is_admin === true
  const inUse = modelInUse(useQuery(modelsQuery).data ?? [])
  if (!inUse) return null
  return (
    <p className="mt-1 text-xs text-muted">
      {text.model(describeModel(inUse.name).title)} ({inUse.multilingual ? text.multilingual : text.english}).{' '}
      {admin && (
        <Link
          to="/settings/models"
          className="whitespace-nowrap text-accent underline underline-offset-2 hover:no-underline"
        >
          {text.models}
        </Link>
      )}
    </p>
  )
}

interface SettingControlsProps {
  settings: AnalysisSettings
  onChange: (settings: AnalysisSettings) => void
}

function SettingControls({ settings, onChange }: SettingControlsProps) {
  const screen = showsScreen(useProject().clips)
  const options = usedOptions(settings, screen)
  const change = (next: CutOptions) => onChange(withUsedOptions(settings, next, screen))
  return (
    <div className="flex flex-col gap-4">
      <LevelSliders value={settings} onChange={(change) => onChange({ ...settings, ...change })} />
      {screen && options.keep_demonstrations && (
        <ScreenNote onSwitchOff={() => change({ ...options, keep_demonstrations: false })} />
      )}
      <details className="group">
        <summary className="flex cursor-pointer items-center gap-1.5 text-sm font-medium text-muted hover:text-ink [&::-webkit-details-marker]:hidden">
          <ChevronRight size={14} className="transition-transform group-open:rotate-90" aria-hidden />
          {text.moreChoices(changedOptions(options))}
        </summary>
        <div className="mt-4">
          <CutOptionFields value={options} onChange={change} />
        </div>
      </details>
    </div>
  )
}
