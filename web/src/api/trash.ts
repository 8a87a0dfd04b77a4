import { queryOptions } from '@tanstack/react-query'
import { allPages, api, dataOf, type Schemas } from './client'

/** A deleted clip or export that can be restored. */
export type TrashItem = Schemas['TrashItem']

/** The deleted clips and exports of a project, the last deleted first. */
export const trashQuery = (project: string) =>
  queryOptions({
    queryKey: ['trash', project],
    queryFn: ({ signal }) =>
      allPages((query) =>
        api.GET('/api/v1/projects/{project_uuid}/trash', {
          params: { path: { project_uuid: project }, query },
          signal,
        }),
      ),
  })

export const restoreTrashed = (project: string, uuid: string) =>
  dataOf(
    api.POST('/api/v1/projects/{project_uuid}/trash/{trashed_uuid}/restore', {
      params: { path: { project_uuid: project, trashed_uuid: uuid } },
    }),
  )

export const emptyTrash = (project: string) =>
  dataOf(api.POST('/api/v1/projects/{project_uuid}/trash/empty', { params: { path: { project_uuid: project } } }))
