import type { AnalysisSettings } from '../../api/analysis'
import { useProject } from '../state/contexts'
import { useAnalysisQueue } from '../state/analysisQueue'

/** Starts an analysis of the project, or queues it while clips or the speech model are not ready. */
export function useAnalyze(): { start: (settings: AnalysisSettings, audioOnly?: boolean) => void; busy: boolean } {
  const { project } = useProject()
  const queued = useAnalysisQueue((s) => s.projects[project.uuid])
  const add = useAnalysisQueue((s) => s.add)
  return {
    start: (settings, audioOnly) => add(project.uuid, settings, audioOnly),
    busy: queued !== undefined,
  }
}
