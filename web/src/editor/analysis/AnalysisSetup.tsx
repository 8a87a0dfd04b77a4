import { useQuery } from '@tanstack/react-query'
import { Sparkles } from 'lucide-react'
import { useMemo, useState } from 'react'
import { costQuery, type AnalysisSettings } from '../../api/analysis'
import { presetsQuery, type Preset } from '../../api/presets'
import { analysisText as text } from '../../text/editor/analysis'
import { Button } from '../../ui/Button'
import { Notice } from '../../ui/Notice'
import { useLayout, useProject } from '../state/contexts'
import { useProjectUploads } from '../state/uploads'
import { useSpeechModel } from '../state/analysisQueue'
import { initialSettings } from '../state/initialSettings'
import { ActiveModel, AnalysisFields } from './AnalysisFields'
import { ModelOffer } from './ModelOffer'
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
      <AnalysisFields settings={settings} presets={presets} onChange={setChosen} />
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
