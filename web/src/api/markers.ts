import { queryOptions } from '@tanstack/react-query'
import { api, dataOf, type Schemas } from './client'
import type { ChangeName } from './edits'
import { rangeQuery, type ExportRange } from './exports'
import { namedChange } from './history'

/** A chapter or a split; it stays on its footage. */
export type Marker = Schemas['Marker']
export type NewMarker = Schemas['NewMarker']
export type MarkerChange = Schemas['MarkerChange']

/** The markers of a project by time. */
export const markersQuery = (project: string) =>
  queryOptions({
    queryKey: ['markers', project],
    queryFn: async ({ signal }) =>
      (
        await dataOf(
          api.GET('/api/v1/projects/{project_uuid}/markers', { params: { path: { project_uuid: project } }, signal }),
        )
      ).items,
  })

export const createMarker = (project: string, body: NewMarker, name: ChangeName) =>
  dataOf(
    api.POST('/api/v1/projects/{project_uuid}/markers', {
      params: { path: { project_uuid: project }, header: namedChange(name) },
      body,
    }),
  )

export const changeMarker = (uuid: string, body: MarkerChange, name: ChangeName) =>
  dataOf(
    api.PATCH('/api/v1/markers/{marker_uuid}', {
      params: { path: { marker_uuid: uuid }, header: namedChange(name) },
      body,
    }),
  )

export const deleteMarker = (uuid: string, name: ChangeName) =>
  dataOf(
    api.DELETE('/api/v1/markers/{marker_uuid}', {
      params: { path: { marker_uuid: uuid }, header: namedChange(name) },
    }),
  )

/** The address of the chapters of the edited video or of a range of it, as lines of a description or as a WebVTT track. */
export const chaptersFile = (project: string, kind: 'txt' | 'vtt', range: ExportRange | null) =>
  `/api/v1/projects/${project}/chapters.${kind}${rangeQuery(range)}`
