import { queryOptions } from '@tanstack/react-query'
import { answer, api, type Schemas } from './client'
import { queryKeys } from './keys'

export type Export = Schemas['Export']
export type ExportSettings = Schemas['ExportSettings']

/** The polling interval during an export, in case the event stream is interrupted; milliseconds. */
const POLL_MS = 3_000

export const isUnderWay = (e: Export) => e.status === 'queued' || e.status === 'rendering'

export const exportsQuery = (project: string) =>
  queryOptions({
    queryKey: queryKeys.exports(project),
    queryFn: async ({ signal }) =>
      (
        await answer(
          api.GET('/api/v1/projects/{project_uuid}/exports/', {
            params: { path: { project_uuid: project }, query: { page_size: 200 } },
            signal,
          }),
        )
      ).items,
    refetchInterval: (query) => (query.state.data?.some(isUnderWay) ? POLL_MS : false),
  })

export const createExport = (project: string, name: string, settings: ExportSettings) =>
  answer(
    api.POST('/api/v1/projects/{project_uuid}/exports/', {
      params: { path: { project_uuid: project } },
      body: { name, export_settings: settings },
    }),
  )

export const cancelExport = (uuid: string) =>
  answer(api.POST('/api/v1/exports/{export_uuid}/cancel', { params: { path: { export_uuid: uuid } } }))

export const deleteExport = (uuid: string) =>
  answer(api.DELETE('/api/v1/exports/{export_uuid}', { params: { path: { export_uuid: uuid } } }))

export const downloadURL = (uuid: string) =>
  answer(api.GET('/api/v1/exports/{export_uuid}/download-url', { params: { path: { export_uuid: uuid } } }))
