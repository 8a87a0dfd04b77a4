import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ChevronRight, Sparkles } from 'lucide-react'
import { useMemo, useState } from 'react'
import { costQuery, type AnalysisSettings } from '../../api/analysis'
import { describeModel, modelInUse, modelsQuery } from '../../api/models'
import { presetsQuery, type Preset } from '../../api/presets'
import { analysisText as text } from '../../text/editor/analysis'
import { Button } from '../../ui/Button'
import { Notice } from '../../ui/Notice'
import { Slider } from '../../ui/Slider'
import { useLayout, useProject } from '../state/contexts'
import { useProjectUploads } from '../state/uploads'
import { useSpeechModel } from '../state/analysisQueue'
import { falseStartMeaning, pacingMeaning } from '../edits/analysisSettings'
import { initialSettings } from '../state/initialSettings'
import { CutOptionFields } from './CutOptionFields'
import { changedOptions } from '../edits/cutOptions'
import { DirectorSwitch } from './DirectorSwitch'
import { FirstRow } from './FirstRow'
import { ModelOffer } from './ModelOffer'
import { ProjectVocabulary } from './ProjectVocabulary'
import { useAnalyze } from './useAnalyze'

const NO_PRESETS: Preset[] = []

/** Starts the first analysis: settings, cost, and the speech model. */
export function AnalysisSetup() {
  const { project, clips } = useProject()
  const { ready } = useLayout()
  const [chosen, setChosen] = useState<AnalysisSettings | null>(null)
  const { data: presets = NO_PRESETS, isPending: presetsPending } = useQuery(presetsQuery)
  const settings = useMemo(() => chosen ?? initialSettings(presets), [chosen, presets])
  const { start, busy } = useAnalyze()
  const uploads = useProjectUploads(project.uuid)
  const reading = clips.some((c) => c.status === 'processing') || uploads.some((u) => u.status !== 'failed')
  const cost = useQuery({ ...costQuery(project.uuid), enabled: ready.length > 0 })
  const tooFewMinutes = cost.data?.sufficient === false
  const possible = (reading || ready.length > 0) && !tooFewMinutes
  const speech = useSpeechModel()
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto p-4">
      {project.status === 'failed' && (
        <Notice tone="danger" title={text.failed}>
          {text.failedDetail(project.error)}
        </Notice>
      )}
      <div>
        <h2 className="text-base font-semibold">{text.findCuts}</h2>
        <p className="text-sm text-muted">{text.intro}</p>
        <ActiveModel />
      </div>
      <ModelOffer />
      <FirstRow settings={settings} presets={presets} onChange={setChosen} />
      <SettingControls settings={settings} onChange={setChosen} />
      <DirectorSwitch />
      <ProjectVocabulary />
      {tooFewMinutes && (
        <Notice tone="danger" title={text.tooFewMinutes}>
          {text.tooFewMinutesDetail(cost.data?.estimated_minutes ?? 0, cost.data?.balance ?? 0)}
        </Notice>
      )}
      <div className="sticky -bottom-4 z-10 -mx-4 -my-2 flex flex-col bg-surface px-4 py-2">
        <Button
          variant="primary"
          size="lg"
          disabled={busy || !possible || presetsPending}
          onClick={() => start(settings)}
        >
          <Sparkles size={16} aria-hidden />{' '}
          {busy
            ? speech === 'downloading'
              ? text.waitForModel
              : text.starting
            : speech === 'downloading'
              ? text.findWithModel
              : text.findCuts}
        </Button>
      </div>
      {speech === 'downloading' && possible && (
        <Button variant="quiet" className="-mt-2 self-center" onClick={() => start(settings, true)}>
          {text.audioOnly}
        </Button>
      )}
      {(reading || ready.length === 0) && (
        <p className="-mt-2 text-center text-xs text-faint">{reading ? text.clipsProcessing : text.addRecording}</p>
      )}
    </div>
  )
}

// ActiveModel names the speech model and links to the page that changes it.
function ActiveModel() {
  const inUse = modelInUse(useQuery(modelsQuery).data ?? [])
  if (!inUse) return null
  return (
    <p className="mt-1 text-xs text-muted">
      {text.model(describeModel(inUse.name).title)} ({inUse.multilingual ? text.multilingual : text.english}).{' '}
      <Link
        to="/settings/models"
        className="whitespace-nowrap text-accent underline underline-offset-2 hover:no-underline"
      >
        {text.models}
      </Link>
    </p>
  )
}

interface SettingControlsProps {
  settings: AnalysisSettings
  onChange: (settings: AnalysisSettings) => void
}

function SettingControls({ settings, onChange }: SettingControlsProps) {
  return (
    <div className="flex flex-col gap-4">
      <Slider
        label={text.pacing}
        value={settings.pacing}
        meaning={pacingMeaning(settings.pacing)}
        low={text.pacingLow}
        high={text.pacingHigh}
        onChange={(pacing) => onChange({ ...settings, pacing })}
      />
      <Slider
        label={text.falseStarts}
        value={settings.falseStarts}
        meaning={falseStartMeaning(settings.falseStarts)}
        low={text.falseStartsLow}
        high={text.falseStartsHigh}
        onChange={(falseStarts) => onChange({ ...settings, falseStarts })}
      />
      <details className="group">
        <summary className="flex cursor-pointer items-center gap-1.5 text-sm font-medium text-muted hover:text-ink [&::-webkit-details-marker]:hidden">
          <ChevronRight size={14} className="transition-transform group-open:rotate-90" aria-hidden />
          {text.moreChoices(changedOptions(settings.options))}
        </summary>
        <div className="mt-4">
          <CutOptionFields value={settings.options} onChange={(options) => onChange({ ...settings, options })} />
        </div>
      </details>
    </div>
  )
}
