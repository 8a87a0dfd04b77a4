import { CutList } from '../review/CutList'
import { LOW, PHONE, useMedia } from '../../ui/useMedia'
import { useEdits, useProject } from '../state/contexts'
import { useEditorStore } from '../state/store'
import { suggestionsOf } from '../suggestions/suggestions'
import { Suggestions } from '../suggestions/Suggestions'
import { AnalysisProgress } from './AnalysisProgress'
import { AnalysisSetup } from './AnalysisSetup'
import { ReplanControls } from './ReplanControls'

/**
 * The tab of the cuts: the setup of the first analysis, its progress, then the list of cuts. In a low window, open suggestions take
 * the place of the settings and filters, so that six cuts stay in view. Where not even three fit, as with large text, the tab
 * scrolls.
 */
export function AnalysisPanel() {
  const { project } = useProject()
  const phone = useMedia(PHONE)
  const adjusting = useEditorStore((s) => s.adjusting)
  const { placements } = useEdits()
  const suggesting = useEditorStore((s) => s.suggesting) && suggestionsOf(placements).length > 0
  const folded = useMedia(LOW) && suggesting && !phone
  if (project.status === 'analyzing') return <AnalysisProgress />
  if (project.active_run_id === null) return <AnalysisSetup />
  return (
    <div className="flex min-h-0 flex-1 flex-col overflow-y-auto">
      <CutList
        kinds={!folded && (!phone || adjusting)}
        head={
          <>
            {!folded && <ReplanControls key={project.active_run_id} />}
            <Suggestions />
          </>
        }
      />
    </div>
  )
}
