import { queryOptions } from '@tanstack/react-query'
import { api, dataOf, type Schemas } from './client'
import type { ChangeName } from './edits'
import { namedChange } from './history'

/** A named range of a project with its own export settings; it stays on its footage. */
export type Short = Schemas['Short']
export type NewShort = Schemas['NewShort']
export type ShortChange = Schemas['ShortChange']

/** The shorts of a project by start. */
export const shortsQuery = (project: string) =>
  queryOptions({
    queryKey: ['shorts', project],
    queryFn: async ({ signal }) =>
      (
        await dataOf(
          api.GET('/api/v1/projects/{project_uuid}/shorts', { params: { path: { project_uuid: project } }, signal }),
        )
      ).items,
  })

export const createShort = (project: string, body: NewShort, name: ChangeName) =>
  dataOf(
    api.POST('/api/v1/projects/{project_uuid}/shorts', {
      params: { path: { project_uuid: project }, header: namedChange(name) },
      body,
    }),
  )

export const changeShort = (project: string, uuid: string, body: ShortChange, name: ChangeName) =>
  dataOf(
    api.PATCH('/api/v1/projects/{project_uuid}/shorts/{short_uuid}', {
      params: { path: { project_uuid: project, short_uuid: uuid }, header: namedChange(name) },
      body,
    }),
  )

export const deleteShort = (project: string, uuid: string, name: ChangeName) =>
  dataOf(
    api.DELETE('/api/v1/projects/{project_uuid}/shorts/{short_uuid}', {
      params: { path: { project_uuid: project, short_uuid: uuid }, header: namedChange(name) },
    }),
  )
