import { analysisText as text } from '../../text/editor/analysis'
import { Button } from '../../ui/Button'
import { useProject } from '../state/contexts'
import { useAnalysisQueue } from '../state/analysisQueue'
import { useCancelRun, useOpenRun } from './useOpenRun'
import { WhenDone } from './WhenDone'

/** Says that the analysis starts after the uploads. Renders nothing without a queued analysis. */
export function WaitingAnalysis() {
  const { project } = useProject()
  const run = useOpenRun()
  const queued = useAnalysisQueue((s) => s.projects[project.uuid] !== undefined)
  const remove = useAnalysisQueue((s) => s.remove)
  const cancel = useCancelRun()
  if (!queued && !run) return null
  return (
    <section aria-label={text.queuedLabel} className="mt-4 w-full border-t border-line pt-4 text-left">
      <div className="mb-3 flex items-center gap-3">
        <p className="min-w-0 flex-1 text-sm text-muted" role="status">
          {text.startsAfterUpload}
        </p>
        <Button
          size="sm"
          disabled={cancel.isPending}
          onClick={() => (run ? cancel.mutate(run.uuid) : remove(project.uuid))}
        >
          {text.cancel}
        </Button>
      </div>
      <WhenDone />
    </section>
  )
}
