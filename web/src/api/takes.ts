import { queryOptions } from '@tanstack/react-query'
import { api, dataOf, type Schemas } from './client'
import type { ChangedEdits, ChangeName, Edit } from './edits'
import { namedChange } from './history'

/** Several attempts at one sentence, in timeline order. */
export type TakeGroup = Schemas['TakeGroup']
/** One attempt. `edit_uuid` names the edit that removes it; null while no edit does. */
export type Take = Schemas['Take']

export const takeGroupsQuery = (project: string) =>
  queryOptions({
    queryKey: ['take-groups', project],
    queryFn: async ({ signal }) =>
      (
        await dataOf(
          api.GET('/api/v1/projects/{project_uuid}/take-groups', {
            params: { path: { project_uuid: project } },
            signal,
          }),
        )
      ).items,
  })

/** Keeps one take and cuts the others. */
export async function chooseTake(
  project: string,
  group: string,
  number: number,
  name: ChangeName,
): Promise<ChangedEdits> {
  const { items, undo } = await dataOf(
    api.POST('/api/v1/projects/{project_uuid}/take-groups/{id}/choose', {
      params: { path: { project_uuid: project, id: group }, header: namedChange(name) },
      body: { number },
    }),
  )

  return { items: items as Edit[], undo } // an edit that removes a take places no asset
}
