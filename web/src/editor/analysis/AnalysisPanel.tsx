import { CutList } from '../review/CutList'
import { PHONE, useMedia } from '../../ui/useMedia'
import { useProject, useRuns } from '../state/contexts'
import { useEditorStore } from '../state/store'
import { Suggestions } from '../suggestions/Suggestions'
import { AnalysisProgress } from './AnalysisProgress'
import { AnalysisSetup } from './AnalysisSetup'
import { ReplanControls, RunActions } from './ReplanControls'

/** The tab of the cuts: the setup of the first analysis, its progress, then the list of cuts. */
export function AnalysisPanel() {
  const { project } = useProject()
  const { run } = useRuns()
  const phone = useMedia(PHONE)
  const adjusting = useEditorStore((s) => s.adjusting)
  if (project.status === 'analyzing') return <AnalysisProgress />
  if (project.active_run_id === null) return <AnalysisSetup />
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      {(!phone || adjusting) && <ReplanControls key={run?.uuid} />}
      <Suggestions />
      <CutList actions={<RunActions />} phone={phone} />
    </div>
  )
}
