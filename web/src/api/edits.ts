import { queryOptions } from '@tanstack/react-query'
import { answer, api, type Schemas } from './client'

export type EditType = Exclude<Schemas['EditType'], 'asset'>
export type EditChange = Schemas['EditChange']

/** An edit that cuts. One that places an asset removes nothing, and is not among them. */
export type Edit = Pick<
  Schemas['Edit'],
  'uuid' | 'run_uuid' | 'start_ms' | 'end_ms' | 'active' | 'reason' | 'confidence' | 'created_at' | 'updated_at'
> & { type: EditType }

export const isCut = <E extends { type: Schemas['EditType'] }>(edit: E): edit is E & { type: EditType } => edit.type !== 'asset'

export const editsQuery = (project: string) =>
  queryOptions({
    queryKey: ['edits', project],
    queryFn: async ({ signal }) =>
      (await answer(api.GET('/api/v1/projects/{project_uuid}/edits/', { params: { path: { project_uuid: project } }, signal }))).items.filter(isCut),
  })

export const createCut = async (project: string, startMs: number, endMs: number, reason: string): Promise<Edit> => {
  const made = await answer(
    api.POST('/api/v1/projects/{project_uuid}/edits/', {
      params: { path: { project_uuid: project } },
      body: { type: 'manual', start_ms: startMs, end_ms: endMs, active: true, reason },
    }),
  )
  return { ...made, type: 'manual' }
}

export const changeEdit = (uuid: string, change: EditChange) =>
  answer(api.PATCH('/api/v1/edits/{edit_uuid}', { params: { path: { edit_uuid: uuid } }, body: change }))

export const deleteEdit = (uuid: string) => answer(api.DELETE('/api/v1/edits/{edit_uuid}', { params: { path: { edit_uuid: uuid } } }))
