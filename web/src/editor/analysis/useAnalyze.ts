import { useMutation, useQueryClient } from '@tanstack/react-query'
import { toast } from 'sonner'
import { analyze, type AnalysisSettings } from '../../api/analysis'
import { messageOf } from '../../api/client'
import { queryKeys } from '../../api/keys'
import { analysisText } from '../../text/editor/analysis'
import { useProject } from '../state/contexts'
import { useLive } from '../state/store'

/** Starts an analysis of the project. */
export function useAnalyze(): { start: (settings: AnalysisSettings) => void; busy: boolean } {
  const { project } = useProject()
  const queryClient = useQueryClient()
  const start = useMutation({
    mutationFn: (settings: AnalysisSettings) => analyze(project.uuid, settings, null),
    onSuccess: (answer) => {
      useLive.getState().setAnalysis({ run: answer.run_uuid, step: null, progress: 0, since: Date.now() })
      for (const queryKey of [queryKeys.project(project.uuid), queryKeys.runs(project.uuid)])
        void queryClient.invalidateQueries({ queryKey })
    },
    onError: (error) => toast.error(analysisText.startFailed, { description: messageOf(error) }),
  })
  return { start: start.mutate, busy: start.isPending }
}
