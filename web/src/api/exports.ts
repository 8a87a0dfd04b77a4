import { queryOptions } from '@tanstack/react-query'
import { api, dataOf, problemOf, type Schemas } from './client'

export type Export = Schemas['Export']
export type ExportSettings = Schemas['ExportSettings']

/** The polling interval during an export, in case the event stream is interrupted; milliseconds. */
const POLL_MS = 3_000

/** How long a file's address is reused, in milliseconds; shorter than the server's default validity of an hour. */
const FILE_MS = 30 * 60_000

export type ExportRange = Schemas['ExportRange']

/** The query of a file that has a range of the project; empty for all of it. */
export const rangeQuery = (range: ExportRange | null) =>
  range ? `?start_ms=${range.start_ms}&end_ms=${range.end_ms}` : ''

export const isUnderWay = (e: Export) => e.status === 'queued' || e.status === 'rendering'

export const exportsQuery = (project: string) =>
  queryOptions({
    queryKey: ['exports', project],
    queryFn: async ({ signal }) =>
      (
        await dataOf(
          api.GET('/api/v1/projects/{project_uuid}/exports', {
            params: { path: { project_uuid: project }, query: { page_size: 200 } },
            signal,
          }),
        )
      ).items,
    refetchInterval: (query) => (query.state.data?.some(isUnderWay) ? POLL_MS : false),
  })

interface WantedExport {
  name: string
  settings: ExportSettings
  /** The short whose range is exported, or null. */
  short: string | null
  /** Whether the export waits for the clips that are being read, or leaves them out. */
  waits: boolean
}

/** Starts an export. */
export const createExport = (project: string, { name, settings, short, waits }: WantedExport) =>
  dataOf(
    api.POST('/api/v1/projects/{project_uuid}/exports', {
      params: { path: { project_uuid: project } },
      body: { name, export_settings: settings, wait_for_clips: waits, ...(short ? { short_uuid: short } : {}) },
    }),
  )

export type ExportEstimate = Schemas['ExportEstimate']

/** Size and render time of the export that these settings give; version changes whenever the edits do. */
export const exportEstimateQuery = (project: string, settings: ExportSettings, version: string) =>
  queryOptions({
    queryKey: ['export-estimate', project, settings, version],
    queryFn: ({ signal }) =>
      dataOf(
        api.POST('/api/v1/projects/{project_uuid}/exports/estimate', {
          params: { path: { project_uuid: project } },
          body: { export_settings: settings },
          signal,
        }),
      ),
    staleTime: 0,
    retry: false,
  })

export const cancelExport = (uuid: string) =>
  dataOf(api.POST('/api/v1/exports/{export_uuid}/cancel', { params: { path: { export_uuid: uuid } } }))

export const deleteExport = (uuid: string) =>
  dataOf(api.DELETE('/api/v1/exports/{export_uuid}', { params: { path: { export_uuid: uuid } } }))

/** The address that plays the file of a finished export. It is renewed before it expires. */
export const exportFileQuery = (uuid: string) =>
  queryOptions({
    queryKey: ['export-file', uuid],
    queryFn: ({ signal }) => downloadURL(uuid, signal),
    staleTime: FILE_MS,
    gcTime: FILE_MS,
  })

export const downloadURL = (uuid: string, signal?: AbortSignal) =>
  dataOf(
    api.GET('/api/v1/exports/{export_uuid}/download-url', {
      params: { path: { export_uuid: uuid } },
      ...(signal ? { signal } : {}),
    }),
  )

/** The file type of a frame. */
export type StillType = NonNullable<Schemas['StillRequest']['type']>

/** The frame of the recording at a time, drawn as an export would draw it. */
export async function loadStill(
  project: string,
  atMs: number,
  settings: ExportSettings,
  type: StillType,
): Promise<Blob> {
  const { data, error, response } = await api.POST('/api/v1/projects/{project_uuid}/still', {
    params: { path: { project_uuid: project } },
    body: { at_ms: Math.round(atMs), type, export_settings: settings },
    parseAs: 'blob',
  })

  if (error) throw problemOf(response.status, error, response.headers)
  return data
}
