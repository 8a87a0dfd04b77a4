import type { QueryClient } from '@tanstack/react-query'
import type { HistoryEntry } from '../../api/history'
import { queryKeys } from '../../api/keys'

type ProjectKey = {
  [K in keyof typeof queryKeys]: (typeof queryKeys)[K] extends (project: string) => unknown ? K : never
}[keyof typeof queryKeys]

function refetch(queryClient: QueryClient, project: string, names: readonly ProjectKey[]): void {
  for (const name of names) void queryClient.invalidateQueries({ queryKey: queryKeys[name](project) })
}

/** Refetches what depends on the settings of a run, on its texts or on the active run. */
export function refreshRuns(queryClient: QueryClient, project: string): void {
  refetch(queryClient, project, [
    'project',
    'runs',
    'anyRun',
    'drafts',
    'allCaptionLines',
    'allReplacedPlaces',
    'takeGroups',
  ])
}

/** Refetches what depends on the clips, their order and their names. */
export function refreshClips(queryClient: QueryClient, project: string): void {
  refreshRuns(queryClient, project)
  refetch(queryClient, project, ['clips', 'edits', 'history', 'markers', 'cost', 'trash'])
}

/** Refetches the exports and the trash. */
export function refreshExports(queryClient: QueryClient, project: string): void {
  refetch(queryClient, project, ['exports', 'trash'])
}

/** Refetches what an entry of the history has changed besides the edits. */
export function refreshKind(queryClient: QueryClient, project: string, kind: HistoryEntry['kind']): void {
  if (kind === 'captions') refetch(queryClient, project, ['allCaptionLines'])
  else if (kind === 'markers') refetch(queryClient, project, ['markers'])
  else if (kind === 'clips') refreshClips(queryClient, project)
  else if (kind !== 'edits') refreshRuns(queryClient, project)
}

/** Refetches all that another window may have changed. */
export function refreshAll(queryClient: QueryClient, project: string): void {
  refreshClips(queryClient, project)
  refreshExports(queryClient, project)
}
