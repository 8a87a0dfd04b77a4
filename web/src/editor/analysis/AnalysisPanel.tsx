import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Check, Loader, Sparkles } from 'lucide-react'
import { useEffect, useState } from 'react'
import { toast } from 'sonner'
import { analyze, cancelRun, costQuery, type Knobs } from '../../api/analysis'
import { messageOf } from '../../api/client'
import type { Edit } from '../../api/edits'
import { describeModel, modelInUse, modelsQuery } from '../../api/models'
import { Button } from '../../ui/Button'
import { Notice } from '../../ui/Notice'
import { Progress } from '../../ui/Progress'
import { Slider } from '../../ui/Slider'
import { CutList } from '../review/CutList'
import { formatRoughly } from '../format'
import { ANALYSIS_STEPS, falseStartMeaning, pacingMeaning, stepNumber, timeLeft } from './analysisSettings'
import { useEdits, useLayout, useProject, useRuns } from '../state/contexts'
import { ModelOffer } from './ModelOffer'
import { useEditorStore, useLive } from '../state/store'
import { useReplan } from './useReplan'

const DEFAULT_KNOBS: Knobs = { pacing: 50, falseStarts: 50 }

/** The way from clips to cuts: choose, wait, look through. */
export function AnalysisPanel() {
  const { project } = useProject()
  const { run } = useRuns()
  if (project.status === 'analyzing') return <Running />
  if (project.active_run_id === null) return <Setup />
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <LiveKnobs key={run?.uuid} />
      <CutList actions={<Runs />} />
    </div>
  )
}

function useAnalyze(): { start: (knobs: Knobs) => void; busy: boolean } {
  const { project } = useProject()
  const queryClient = useQueryClient()
  const start = useMutation({
    mutationFn: (knobs: Knobs) => analyze(project.uuid, knobs, null),
    onSuccess: (answer) => {
      useLive.getState().setAnalysis({ run: answer.run_uuid, step: null, progress: 0, since: Date.now() })
      for (const name of ['project', 'runs']) void queryClient.invalidateQueries({ queryKey: [name, project.uuid] })
    },
    onError: (error) => toast.error('The search for cuts did not start', { description: messageOf(error) }),
  })
  return { start: start.mutate, busy: start.isPending }
}

function Setup() {
  const { project, clips } = useProject()
  const { ready } = useLayout()
  const [knobs, setKnobs] = useState(DEFAULT_KNOBS)
  const { start, busy } = useAnalyze()
  const waiting = clips.some((c) => c.status === 'processing')
  const cost = useQuery({ ...costQuery(project.uuid), enabled: ready.length > 0 })
  const short = cost.data?.sufficient === false
  const possible = !waiting && ready.length > 0 && !short
  const hearing = useHearing()
  const [queued, setQueued] = useState(false)
  useEffect(() => {
    if (!queued || hearing === 'coming') return
    // eslint-disable-next-line react-hooks/set-state-in-effect -- the download has ended, well or not
    setQueued(false)
    if (hearing === 'here' && possible) start(knobs)
  }, [queued, hearing, possible, knobs, start])
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto p-4">
      {project.status === 'failed' && (
        <Notice tone="danger" title="The search for cuts failed">
          {project.error ?? 'It ended before it was done.'} Your clips are safe. Try again; nothing was charged.
        </Notice>
      )}
      <div>
        <h2 className="text-base font-semibold">Find the cuts</h2>
        <p className="text-sm text-muted">
          Roughcut listens to the recording and proposes what to leave out. Both knobs can be turned afterwards, too.
        </p>
        <Listener />
      </div>
      <ModelOffer />
      <KnobSliders knobs={knobs} onChange={setKnobs} />
      {short && (
        <Notice tone="danger" title="Not enough AI minutes">
          This recording needs {cost.data?.estimated_minutes}, and {cost.data?.balance} are left. Remove a clip, or ask
          the admin of this server for more.
        </Notice>
      )}
      <div className="sticky -bottom-4 z-10 -mx-4 -my-2 flex flex-col bg-surface px-4 py-2">
        <Button
          variant="primary"
          size="lg"
          disabled={busy || queued || !possible}
          onClick={() => (hearing === 'coming' ? setQueued(true) : start(knobs))}
        >
          <Sparkles size={16} aria-hidden />{' '}
          {busy
            ? 'Starting…'
            : queued
              ? 'Waiting for the speech model…'
              : hearing === 'coming'
                ? 'Find cuts when the model is here'
                : 'Find cuts'}
        </Button>
      </div>
      {hearing === 'coming' && possible && (
        <Button variant="quiet" className="-mt-2 self-center" disabled={busy} onClick={() => start(knobs)}>
          Now, by sound alone
        </Button>
      )}
      {(waiting || ready.length === 0) && (
        <p className="-mt-2 text-center text-xs text-faint">
          {waiting ? 'As soon as all clips have been read' : 'Add a recording first'}
        </p>
      )}
    </div>
  )
}

/** Whether words can be heard: a model is here, is being downloaded, or there is none. */
function useHearing(): 'here' | 'coming' | 'not' {
  const models = useQuery(modelsQuery).data ?? []
  if (modelInUse(models)) return 'here'
  return models.some((m) => m.download?.status === 'loading') ? 'coming' : 'not'
}

/** Says which model will listen, and leads to where another is chosen. */
function Listener() {
  const inUse = modelInUse(useQuery(modelsQuery).data ?? [])
  if (!inUse) return null
  return (
    <p className="mt-1 text-xs text-muted">
      It listens with <span className="font-medium text-ink">{describeModel(inUse.name).title}</span> (
      {inUse.multilingual ? 'many languages' : 'English'}).{' '}
      <Link
        to="/settings/models"
        className="whitespace-nowrap text-accent underline underline-offset-2 hover:no-underline"
      >
        Speech models
      </Link>
    </p>
  )
}

function KnobSliders({
  knobs,
  onChange,
  onCommit,
  disabled,
}: {
  knobs: Knobs
  onChange: (knobs: Knobs) => void
  onCommit?: (knobs: Knobs) => void
  disabled?: boolean
}) {
  return (
    <div className="flex flex-col gap-4">
      <Slider
        label="Pacing"
        value={knobs.pacing}
        meaning={pacingMeaning(knobs.pacing)}
        low="Relaxed"
        high="Tight"
        disabled={disabled ?? false}
        onChange={(pacing) => onChange({ ...knobs, pacing })}
        onCommit={(pacing) => onCommit?.({ ...knobs, pacing })}
      />
      <Slider
        label="False starts"
        value={knobs.falseStarts}
        meaning={falseStartMeaning(knobs.falseStarts)}
        low="Only clear ones"
        high="Also likely ones"
        disabled={disabled ?? false}
        onChange={(falseStarts) => onChange({ ...knobs, falseStarts })}
        onCommit={(falseStarts) => onCommit?.({ ...knobs, falseStarts })}
      />
    </div>
  )
}

// Runs are other searches for cuts: those that were made, and another one.
function Runs() {
  const { runs } = useRuns()
  const { project } = useProject()
  const { start, busy } = useAnalyze()
  const active = runs.find((r) => r.uuid === project.active_run_id)
  if (!active) return null
  return (
    <>
      <Button
        size="sm"
        variant="quiet"
        className="ml-auto !h-6"
        onClick={() => useEditorStore.getState().set({ comparing: true })}
      >
        Compare runs
      </Button>
      <Button
        size="sm"
        variant="quiet"
        className="!h-6"
        disabled={busy}
        onClick={() => start({ pacing: active.pacing_level, falseStarts: active.false_start_sensitivity })}
      >
        Find again
      </Button>
    </>
  )
}

// LiveKnobs change the cuts while they are turned.
function LiveKnobs() {
  const { runs, run } = useRuns()
  const { project } = useProject()
  const { totalMs } = useLayout()
  const { previewing } = useEdits()
  const active = runs.find((r) => r.uuid === project.active_run_id)
  const pacing = active?.pacing_level ?? DEFAULT_KNOBS.pacing
  const falseStarts = active?.false_start_sensitivity ?? DEFAULT_KNOBS.falseStarts
  const [knobs, setKnobs] = useState<Knobs | null>(null)
  const { show, commit } = useReplan(project.active_run_id, { pacing, falseStarts })
  const { start, busy } = useAnalyze()
  const shown = knobs ?? { pacing, falseStarts }
  // After the release the server's numbers hold again.
  useEffect(() => {
    // eslint-disable-next-line react-hooks/set-state-in-effect -- the answer to a commit is what ends it
    setKnobs(null)
  }, [pacing, falseStarts])
  const turn = (next: Knobs) => {
    setKnobs(next)
    show(next)
  }
  const clipsChanged = active !== undefined && totalMs > 0 && active.duration_ms !== totalMs
  const [open, setOpen] = useState<'pacing' | 'falseStarts' | null>(null)
  return (
    <div className="border-b border-line px-3 py-2">
      <Compact
        label="Pacing"
        value={shown.pacing}
        onFocus={() => setOpen('pacing')}
        onChange={(v) => turn({ ...shown, pacing: v })}
        onCommit={(v) => commit({ ...shown, pacing: v })}
        meaning={pacingMeaning(shown.pacing)}
      />
      <Compact
        label="False starts"
        value={shown.falseStarts}
        disabled={run?.model === null}
        onFocus={() => setOpen('falseStarts')}
        onChange={(v) => turn({ ...shown, falseStarts: v })}
        onCommit={(v) => commit({ ...shown, falseStarts: v })}
        meaning={falseStartMeaning(shown.falseStarts)}
      />
      <p className={`truncate text-xs ${previewing ? 'text-accent' : 'text-faint'}`}>
        {open === 'falseStarts' ? falseStartMeaning(shown.falseStarts) : pacingMeaning(shown.pacing)}
      </p>
      {clipsChanged && (
        <div className="mt-2">
          <Notice
            title="The clips have changed since"
            action={
              <Button size="sm" disabled={busy} onClick={() => start(shown)}>
                Find cuts again
              </Button>
            }
          >
            What was added has not been listened to yet.
          </Notice>
        </div>
      )}
      {run?.status === 'completed' && run.model === null && !clipsChanged && (
        <div className="mt-1 flex items-center gap-2 text-xs text-muted">
          <span className="flex-1">
            Found by sound alone, as there is no speech model: “Transcript” says how to get one.
          </span>
          <Button size="sm" disabled={busy} onClick={() => start(shown)}>
            Find again
          </Button>
        </div>
      )}
    </div>
  )
}

interface CompactProps {
  label: string
  value: number
  meaning: string
  disabled?: boolean
  onFocus: () => void
  onChange: (value: number) => void
  onCommit: (value: number) => void
}

function Compact({ label, value, meaning, disabled = false, onFocus, onChange, onCommit }: CompactProps) {
  return (
    <div className="flex h-7 items-center gap-3" onFocusCapture={onFocus} onPointerDownCapture={onFocus}>
      <span className={`w-20 shrink-0 text-xs font-medium ${disabled ? 'text-faint' : ''}`}>{label}</span>
      <Slider
        compact
        label={label}
        value={value}
        meaning={meaning}
        disabled={disabled}
        onChange={onChange}
        onCommit={onCommit}
      />
      <span className="w-6 shrink-0 text-right text-xs font-semibold">{value}</span>
    </div>
  )
}

function Running() {
  const { project } = useProject()
  const { runs } = useRuns()
  const { provisional, edits } = useEdits()
  const live = useLive((s) => s.analysis)
  const now = useNow()
  const queryClient = useQueryClient()
  const run = runs.find((r) => r.status === 'running' || r.status === 'queued')
  const cancel = useMutation({
    mutationFn: (uuid: string) => cancelRun(project.uuid, uuid),
    onSettled: () => {
      for (const name of ['project', 'runs', 'edits', 'cost'])
        void queryClient.invalidateQueries({ queryKey: [name, project.uuid] })
    },
    onError: (error) => toast.error(messageOf(error)),
  })
  const at = stepNumber(live?.step)
  const left = live ? timeLeft(live.progress, now - live.since) : null
  const runUUID = live?.run ?? run?.uuid
  return (
    <div className="flex flex-1 flex-col gap-4 overflow-y-auto p-4" role="status" aria-label="Finding cuts">
      <div>
        <div className="mb-2 flex items-baseline justify-between">
          <h2 className="text-base font-semibold">Finding cuts…</h2>
          <span className="text-sm font-semibold text-accent">{live ? `${Math.round(live.progress)} %` : ''}</span>
        </div>
        <Progress value={live ? live.progress : null} label="Finding cuts" className="!h-1.5" />
        <div className="mt-2 flex items-center justify-between gap-3">
          <p className="text-xs text-faint">
            {left !== null ? `About ${formatRoughly(left)} left` : 'You can leave this page; the work goes on.'}
          </p>
          <Button size="sm" disabled={!runUUID || cancel.isPending} onClick={() => runUUID && cancel.mutate(runUUID)}>
            Cancel
          </Button>
        </div>
      </div>
      <ol className="flex flex-col gap-2">
        {ANALYSIS_STEPS.slice(0, 5).map(([name, label], i) => (
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
          <span className="font-medium text-ink">{silencesSoFar(edits)}</span> The timeline and the player show them
          already; words may still change them.
        </p>
      )}
    </div>
  )
}

function silencesSoFar(edits: readonly Edit[]): string {
  const found = edits.filter((e) => e.type === 'silence').length
  return found === 0
    ? 'No silences were found.'
    : `${found.toLocaleString('en')} ${found === 1 ? 'silence was' : 'silences were'} found.`
}

/** The time, once a second. */
function useNow(): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  return now
}
