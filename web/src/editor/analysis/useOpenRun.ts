import { useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query'
import { toast } from 'sonner'
import { cancelRun, costQuery, runsQuery, type Run, type RunSummary } from '../../api/analysis'
import { messageOf } from '../../api/client'
import { editsQuery } from '../../api/edits'
import { projectQuery } from '../../api/projects'
import { useProject, useRuns } from '../state/contexts'

/** The run that is queued or running, or undefined. */
export function useOpenRun(): RunSummary | undefined {
  return useRuns().runs.find((r) => r.status === 'running' || r.status === 'queued')
}

/** Cancels a run of the project. */
export function useCancelRun(): UseMutationResult<Run, Error, string> {
  const { project } = useProject()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (run: string) => cancelRun(project.uuid, run),
    onSettled: () => {
      for (const queryKey of [
        projectQuery(project.uuid).queryKey,
        runsQuery(project.uuid).queryKey,
        editsQuery(project.uuid).queryKey,
        costQuery(project.uuid).queryKey,
      ])
        void queryClient.invalidateQueries({ queryKey })
    },
    onError: (error) => toast.error(messageOf(error)),
  })
}
