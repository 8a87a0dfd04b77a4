import { queryOptions } from '@tanstack/react-query'
import { api, dataOf, type Schemas } from './client'

/** A change of a project that can be undone or, if it is undone, redone. */
export type HistoryEntry = Schemas['HistoryEntry']

/** The changes of a project, newest first. */
export const historyQuery = (project: string) =>
  queryOptions({
    queryKey: ['history', project],
    queryFn: async ({ signal }) =>
      (
        await dataOf(
          api.GET('/api/v1/projects/{project_uuid}/edit-history', {
            params: { path: { project_uuid: project } },
            signal,
          }),
        )
      ).items,
  })

/** Undoes the newest change, or redoes the next one. The server refuses an entry that is another one. */
export const undoChange = (project: string, entry: string | null, redo: boolean) => {
  const params = { path: { project_uuid: project }, query: entry === null ? {} : { entry } }
  return redo
    ? dataOf(api.POST('/api/v1/projects/{project_uuid}/edit-history/redo', { params }))
    : dataOf(api.POST('/api/v1/projects/{project_uuid}/edit-history/undo', { params }))
}

/** The headers that make requests one entry of the history. */
export const namedChange = ({ uuid, label }: { uuid: string; label: string }) => ({
  'X-Change': uuid,
  'X-Change-Label': encodeURIComponent(label),
})
