import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ChevronRight, Sparkles } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import { costQuery, settingsOf, type AnalysisSettings } from '../../api/analysis'
import { describeModel, modelInUse, modelsQuery } from '../../api/models'
import { presetsQuery } from '../../api/presets'
import { analysisText as text } from '../../text/editor/analysis'
import { Button } from '../../ui/Button'
import { Notice } from '../../ui/Notice'
import { Slider } from '../../ui/Slider'
import { Switch } from '../../ui/Switch'
import { useLayout, useProject } from '../state/contexts'
import { changedOptions, DEFAULT_SETTINGS, falseStartMeaning, pacingMeaning } from './analysisSettings'
import { CutOptionFields } from './CutOptionFields'
import { ModelOffer } from './ModelOffer'
import { ProjectVocabulary } from './ProjectVocabulary'
import { useAnalyze } from './useAnalyze'

/** Starts the first analysis: settings, cost, and the speech model. */
export function AnalysisSetup() {
  const { project, clips } = useProject()
  const { ready } = useLayout()
  const [chosen, setChosen] = useState<AnalysisSettings | null>(null)
  const preset = useQuery(presetsQuery).data?.find((p) => p.is_default)
  const settings = useMemo(() => chosen ?? (preset ? settingsOf(preset) : DEFAULT_SETTINGS), [chosen, preset])
  const { start, busy } = useAnalyze()
  const processing = clips.some((c) => c.status === 'processing')
  const cost = useQuery({ ...costQuery(project.uuid), enabled: ready.length > 0 })
  const tooFewMinutes = cost.data?.sufficient === false
  const possible = !processing && ready.length > 0 && !tooFewMinutes
  const speech = useSpeechModel()
  const [queued, setQueued] = useState(false)
  useEffect(() => {
    if (!queued || speech === 'downloading') return
    // eslint-disable-next-line react-hooks/set-state-in-effect -- the download has ended or failed
    setQueued(false)
    if (speech === 'ready' && possible) start(settings)
  }, [queued, speech, possible, settings, start])
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
      <SettingControls settings={settings} onChange={setChosen} />
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
          disabled={busy || queued || !possible}
          onClick={() => (speech === 'downloading' ? setQueued(true) : start(settings))}
        >
          <Sparkles size={16} aria-hidden />{' '}
          {busy
            ? text.starting
            : queued
              ? text.waitForModel
              : speech === 'downloading'
                ? text.findWithModel
                : text.findCuts}
        </Button>
      </div>
      {speech === 'downloading' && possible && (
        <Button variant="quiet" className="-mt-2 self-center" disabled={busy} onClick={() => start(settings)}>
          {text.audioOnly}
        </Button>
      )}
      {(processing || ready.length === 0) && (
        <p className="-mt-2 text-center text-xs text-faint">{processing ? text.clipsProcessing : text.addRecording}</p>
      )}
    </div>
  )
}

// useSpeechModel reports whether a speech model is installed, is being downloaded, or is missing.
function useSpeechModel(): 'ready' | 'downloading' | 'missing' {
  const models = useQuery(modelsQuery).data ?? []
  if (modelInUse(models)) return 'ready'
  return models.some((m) => m.download?.status === 'loading') ? 'downloading' : 'missing'
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
      <Switch
        label={text.cutFillers}
        hint={text.cutFillersHint}
        checked={settings.cutFillers}
        onChange={(cutFillers) => onChange({ ...settings, cutFillers })}
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
