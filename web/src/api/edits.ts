import { queryOptions } from '@tanstack/react-query'
import { answer, api, type Schemas } from './client'

export type Edit = Schemas['Edit']
export type EditType = Schemas['EditType']
export type EditChange = Schemas['EditChange']

export const editsQuery = (project: string) =>
  queryOptions({
    queryKey: ['edits', project],
    queryFn: async ({ signal }) =>
      (await answer(api.GET('/api/v1/projects/{project_uuid}/edits/', { params: { path: { project_uuid: project } }, signal }))).items,
  })

export const createCut = (project: string, startMs: number, endMs: number, reason: string) =>
  answer(
    api.POST('/api/v1/projects/{project_uuid}/edits/', {
      params: { path: { project_uuid: project } },
      body: { type: 'manual', start_ms: startMs, end_ms: endMs, active: true, reason },
    }),
  )

export const changeEdit = (uuid: string, change: EditChange) =>
  answer(api.PATCH('/api/v1/edits/{edit_uuid}', { params: { path: { edit_uuid: uuid } }, body: change }))

export const deleteEdit = (uuid: string) => answer(api.DELETE('/api/v1/edits/{edit_uuid}', { params: { path: { edit_uuid: uuid } } }))
