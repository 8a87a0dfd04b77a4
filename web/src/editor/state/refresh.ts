import type { QueryClient, QueryKey } from '@tanstack/react-query'
import { anyRun, costQuery, runsQuery } from '../../api/analysis'
import { allCaptionLines } from '../../api/captions'
import { clipsQuery } from '../../api/clips'
import { draftsQuery } from '../../api/drafts'
import { editsQuery } from '../../api/edits'
import { exportsQuery } from '../../api/exports'
import { historyQuery, type HistoryEntry } from '../../api/history'
import { markersQuery } from '../../api/markers'
import { projectQuery } from '../../api/projects'
import { allReplacedPlaces } from '../../api/replace'
import { shortsQuery } from '../../api/shorts'
import { takeGroupsQuery } from '../../api/takes'
import { trashQuery } from '../../api/trash'

/** A query of a project, or what selects several. */
export type ProjectQuery = (project: string) => { queryKey: QueryKey }

/** Refetches some queries of a project. */
export function refetch(queryClient: QueryClient, project: string, ...queries: ProjectQuery[]): void {
  for (const query of queries) void queryClient.invalidateQueries({ queryKey: query(project).queryKey })
}

/** Refetches what depends on the settings of a run, on its texts or on the active run. */
export function refreshRuns(queryClient: QueryClient, project: string): void {
  refetch(queryClient, project, projectQuery, runsQuery, anyRun, draftsQuery)
  refetch(queryClient, project, allCaptionLines, allReplacedPlaces, takeGroupsQuery)
}

/** Refetches what depends on the clips, their order and their names. */
export function refreshClips(queryClient: QueryClient, project: string): void {
  refreshRuns(queryClient, project)
  refetch(queryClient, project, clipsQuery, editsQuery, historyQuery, markersQuery, shortsQuery, costQuery, trashQuery)
}

/** Refetches the exports and the trash. */
export function refreshExports(queryClient: QueryClient, project: string): void {
  refetch(queryClient, project, exportsQuery, trashQuery)
}

/** Refetches what an entry of the history has changed besides the edits. */
export function refreshKind(queryClient: QueryClient, project: string, kind: HistoryEntry['kind']): void {
  if (kind === 'captions') refetch(queryClient, project, allCaptionLines)
  else if (kind === 'markers') refetch(queryClient, project, markersQuery)
  else if (kind === 'shorts') refetch(queryClient, project, shortsQuery)
  else if (kind === 'clips') refreshClips(queryClient, project)
  else if (kind !== 'edits') refreshRuns(queryClient, project)
}

/** Refetches all that another window may have changed. */
export function refreshAll(queryClient: QueryClient, project: string): void {
  refreshClips(queryClient, project)
  refreshExports(queryClient, project)
}
