import { Check, Loader } from 'lucide-react'
import { useEffect, useState } from 'react'
import { analysisText as text } from '../../text/editor/analysis'
import { Button } from '../../ui/Button'
import { Progress } from '../../ui/Progress'
import { useEdits } from '../state/contexts'
import { useLive } from '../state/store'
import { ANALYSIS_STEPS, stepNumber, timeLeft } from '../edits/analysisSettings'
import { useCancelRun, useOpenRun } from './useOpenRun'
import { WhenDone } from './WhenDone'

// The steps as shown: reading the clips comes before the analysis.
const STEPS = [['read_clips', text.readClips] as const, ...ANALYSIS_STEPS.slice(0, 5)]

/** Progress of the running analysis. */
export function AnalysisProgress() {
  const { provisional, edits } = useEdits()
  const live = useLive((s) => s.analysis)
  const now = useNow()
  const run = useOpenRun()
  const cancel = useCancelRun()
  const waits = run?.waits_for_clips === true
  const at = waits ? 0 : stepNumber(live?.step) + 1
  const left = live ? timeLeft(live, now) : null
  const runUUID = live?.run ?? run?.uuid
  return (
    <div className="flex flex-1 flex-col gap-4 overflow-y-auto p-4" role="status" aria-label={text.runningLabel}>
      <div>
        <div className="mb-2 flex items-baseline justify-between">
          <h2 className="text-base font-semibold">{text.running}</h2>
          <span className="text-sm font-semibold text-accent">{live ? text.percent(live.progress) : ''}</span>
        </div>
        <Progress value={live ? live.progress : null} label={text.runningLabel} className="h-1.5" />
        <div className="mt-2 flex items-center justify-between gap-3">
          <p className="text-xs text-faint">
            {left !== null ? text.timeLeft(left) : waits ? text.waitsForClips : text.canLeave}
          </p>
          <Button size="sm" disabled={!runUUID || cancel.isPending} onClick={() => runUUID && cancel.mutate(runUUID)}>
            {text.cancel}
          </Button>
        </div>
      </div>
      <WhenDone />
      <ol className="flex flex-col gap-2">
        {STEPS.map(([name, label], i) => (
          <li
            key={name}
            className={`flex items-center gap-3 text-sm ${i === at ? 'font-medium text-ink' : i < at ? 'text-muted' : 'text-faint'}`}
            aria-current={i === at ? 'step' : undefined}
          >
            <span
              className={`inline-flex size-5 items-center justify-center rounded-full ${i < at ? 'bg-accent-soft text-accent' : i === at ? 'text-accent' : 'border border-line'}`}
            >
              {i < at ? (
                <Check size={12} aria-hidden />
              ) : i === at ? (
                <Loader size={14} className="animate-spin [animation-duration:2s]" aria-hidden />
              ) : null}
            </span>
            {label}
          </li>
        ))}
      </ol>
      {provisional && (
        <p className="rounded-md bg-accent-soft px-3 py-2 text-xs text-muted">
          <span className="font-medium text-ink">
            {text.silencesSoFar(edits.filter((e) => e.type === 'silence').length)}
          </span>{' '}
          {text.provisional}
        </p>
      )}
    </div>
  )
}

// useNow is the current time in milliseconds, updated once a second.
function useNow(): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])

  return now
}
