import { CutList } from '../review/CutList'
import { useProject, useRuns } from '../state/contexts'
import { Suggestions } from '../suggestions/Suggestions'
import { AnalysisProgress } from './AnalysisProgress'
import { AnalysisSetup } from './AnalysisSetup'
import { ReplanControls, RunActions } from './ReplanControls'

/** The tab of the cuts: the setup of the first analysis, its progress, then the list of cuts. */
export function AnalysisPanel() {
  const { project } = useProject()
  const { run } = useRuns()
  if (project.status === 'analyzing') return <AnalysisProgress />
  if (project.active_run_id === null) return <AnalysisSetup />
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <ReplanControls key={run?.uuid} />
      <Suggestions />
      <CutList actions={<RunActions />} />
    </div>
  )
}
