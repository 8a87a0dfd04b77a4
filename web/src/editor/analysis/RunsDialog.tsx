import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Check } from 'lucide-react'
import { useMemo, useRef } from 'react'
import { toast } from 'sonner'
import { analysisText as text } from '../../text/editor/analysis'
import { relativeTime } from '../../text/format'
import { activateRun, anyRun, plannedEditsQuery, runsQuery, settingsOf, type RunSummary } from '../../api/analysis'
import { messageOf } from '../../api/client'
import type { Edit } from '../../api/edits'
import { draftsQuery } from '../../api/drafts'
import { editsQuery } from '../../api/edits'
import { historyQuery } from '../../api/history'
import { projectQuery } from '../../api/projects'
import { takeGroupsQuery } from '../../api/takes'
import { Button } from '../../ui/Button'
import { Dialog } from '../../ui/Dialog'
import { activeSpans, sortEdits, totals } from '../edits/cuts'
import { drawMarks } from '../timeline/draw'
import { timecode } from '../plan/timecode'
import { useLayout, useProject, useRuns, useSaveState } from '../state/contexts'
import { mergePlanned } from '../edits/plannedEdits'
import { startsOf, stretchFirsts } from '../edits/stretches'
import { useEditorStore } from '../state/store'
import { useDrawing, useTimelineTheme, useSize } from '../timeline/useCanvas'
import { fitAll } from '../timeline/viewport'

/** Compares the runs of a project: what each one cuts, and the length of the result. One run is active. */
export function RunsDialog() {
  const open = useEditorStore((s) => s.comparing)
  const set = useEditorStore((s) => s.set)
  const { runs } = useRuns()
  const { project } = useProject()
  const done = runs.filter((r) => r.status === 'completed')
  return (
    <Dialog
      wide
      open={open}
      onOpenChange={(comparing) => set({ comparing })}
      title={text.compareRuns}
      description={text.runsDescription}
    >
      <ul className="flex flex-col gap-3">
        {done.map((run, i) => (
          <Run key={run.uuid} run={run} number={done.length - i} active={run.uuid === project.active_run_id} />
        ))}
      </ul>
      {done.length === 1 && <p className="mt-4 text-sm text-muted">{text.oneRun}</p>}
    </Dialog>
  )
}

function Run({ run, number, active }: { run: RunSummary; number: number; active: boolean }) {
  const saveState = useSaveState()
  const { project } = useProject()
  const { lengths, rate } = useLayout()
  const queryClient = useQueryClient()
  const plan = useQuery({ ...plannedEditsQuery(project.uuid, run.uuid, settingsOf(run)), enabled: !active })
  const activate = useMutation({
    mutationFn: () => activateRun(project.uuid, run.uuid),
    onSuccess: () => {
      for (const queryKey of [
        projectQuery(project.uuid).queryKey,
        runsQuery(project.uuid).queryKey,
        anyRun(project.uuid).queryKey,
        editsQuery(project.uuid).queryKey,
        takeGroupsQuery(project.uuid).queryKey,
        draftsQuery(project.uuid).queryKey,
        historyQuery(project.uuid).queryKey,
      ])
        void queryClient.invalidateQueries({ queryKey })
      toast.success(text.runActivated(number))
    },
    onError: (error) => toast.error(text.activateFailed, { description: messageOf(error) }),
  })

  const edits = useMemo(
    () => (active ? saveState.edits : plan.data ? sortEdits(mergePlanned(plan.data.items, saveState.edits)) : null),
    [active, saveState.edits, plan.data],
  )

  const sums = edits && totals(rate, lengths, edits)
  return (
    <li
      className={`rounded-lg border p-3 ${active ? 'border-accent bg-accent-soft' : 'border-line bg-raised'}`}
      data-run={run.uuid}
      aria-current={active}
    >
      <div className="flex items-center gap-4">
        <div className="min-w-0 flex-1">
          <h3 className="text-sm font-semibold">
            {text.run(number)} <span className="font-normal text-muted">{relativeTime(run.created_at)}</span>
          </h3>
          <p className="text-xs text-muted">
            {text.runSettings(run.pacing_level, run.false_start_sensitivity, run.language)} ·{' '}
            {text.runCuts(run.silence_count, run.false_start_count)}
          </p>
        </div>
        <div className="shrink-0 text-right">
          {sums ? (
            <>
              <p className="text-sm font-semibold">{timecode(sums.resultMs)}</p>
              <p className="text-xs text-muted">
                {text.runRemoved(timecode(sums.savedMs), sums.savedMs, sums.originalMs)}
              </p>
            </>
          ) : plan.error ? (
            <p className="max-w-56 text-xs text-danger">{messageOf(plan.error)}</p>
          ) : (
            <div className="skeleton h-9 w-28" />
          )}
        </div>
        {active ? (
          <span className="flex h-8 w-28 items-center justify-center gap-1.5 text-xs font-medium text-accent">
            <Check size={14} aria-hidden /> {text.inUse}
          </span>
        ) : (
          <Button className="w-28" disabled={activate.isPending} onClick={() => activate.mutate()}>
            {text.useRun}
          </Button>
        )}
      </div>
      <Strip edits={edits} number={number} />
    </li>
  )
}

// Strip shows the cuts of a run over the whole recording.
function Strip({ edits, number }: { edits: readonly Edit[] | null; number: number }) {
  const { layout, totalMs } = useLayout()
  const box = useRef<HTMLDivElement>(null)
  const canvas = useRef<HTMLCanvasElement>(null)
  const { width } = useSize(box)
  const theme = useTimelineTheme()
  const draw = useMemo(() => {
    if (!theme || !edits) return null
    return (ctx: CanvasRenderingContext2D) =>
      drawMarks({ ctx, view: fitAll(totalMs, width), top: 0, height: 20, palette: theme.palette }, edits)
  }, [theme, edits, totalMs, width])

  useDrawing(canvas, width, 20, draw)
  return (
    <div ref={box} className="mt-2 h-5 overflow-hidden rounded-sm bg-film">
      <canvas
        ref={canvas}
        role="img"
        aria-label={text.runStrip(number, edits && new Set(stretchFirsts(activeSpans(edits), startsOf(layout))).size)}
        className="h-5 w-full"
      />
    </div>
  )
}
