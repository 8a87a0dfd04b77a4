import { queryOptions } from '@tanstack/react-query'
import { allPages, api, dataOf, type Schemas } from './client'
import type { ChangeName } from './edits'
import { rangeQuery, type ExportRange } from './exports'
import { namedChange } from './history'

export type CaptionLine = Schemas['CaptionLine']
export type CaptionChange = Schemas['CaptionLineChange']
export type CaptionTimes = NonNullable<Schemas['CaptionImport']['times']>

/** The caption lines of every run of a project. */
export const allCaptionLines = (project: string) => ({ queryKey: ['caption-lines', project] })

/** All caption lines of the active run in chronological order. */
export const captionLinesQuery = (project: string, run: string | null) =>
  queryOptions({
    queryKey: [...allCaptionLines(project).queryKey, run],
    enabled: run !== null,
    queryFn: ({ signal }) =>
      allPages((query) =>
        api.GET('/api/v1/projects/{project_uuid}/caption-lines', {
          params: { path: { project_uuid: project }, query },
          signal,
        }),
      ),
  })

export const changeCaptionLine = (uuid: string, change: CaptionChange, name: ChangeName) =>
  dataOf(
    api.PATCH('/api/v1/caption-lines/{caption_line_uuid}', {
      params: { path: { caption_line_uuid: uuid }, header: namedChange(name) },
      body: change,
    }),
  )

export const createCaptionLine = (project: string, line: Schemas['NewCaptionLine'], name: ChangeName) =>
  dataOf(
    api.POST('/api/v1/projects/{project_uuid}/caption-lines', {
      params: { path: { project_uuid: project }, header: namedChange(name) },
      body: line,
    }),
  )

export const deleteCaptionLine = (uuid: string, name: ChangeName) =>
  dataOf(
    api.DELETE('/api/v1/caption-lines/{caption_line_uuid}', {
      params: { path: { caption_line_uuid: uuid }, header: namedChange(name) },
    }),
  )

/** Divides a line before a character; the second part starts with its first word, or at at_ms. */
export const splitCaptionLine = (uuid: string, split: Schemas['CaptionSplit'], name: ChangeName) =>
  dataOf(
    api.POST('/api/v1/caption-lines/{caption_line_uuid}/split', {
      params: { path: { caption_line_uuid: uuid }, header: namedChange(name) },
      body: split,
    }),
  )

/** Joins a line with the next one of its clip. */
export const mergeCaptionLine = (uuid: string, name: ChangeName) =>
  dataOf(
    api.POST('/api/v1/caption-lines/{caption_line_uuid}/merge', {
      params: { path: { caption_line_uuid: uuid }, header: namedChange(name) },
    }),
  )

/** Generates the caption lines again and discards changes to them. */
export const regenerateCaptions = (project: string, maxWords: number, name: ChangeName) =>
  dataOf(
    api.POST('/api/v1/projects/{project_uuid}/caption-lines/generate', {
      params: { path: { project_uuid: project }, header: namedChange(name) },
      body: { max_words: maxWords, force: true },
    }),
  )

/** Replaces the caption lines with the lines of a subtitle file. */
export const importCaptions = (project: string, text: string, times: CaptionTimes, name: ChangeName) =>
  dataOf(
    api.POST('/api/v1/projects/{project_uuid}/caption-lines/import', {
      params: { path: { project_uuid: project }, header: namedChange(name) },
      body: { text, times, replace: true },
    }),
  )

/** The URL of a caption file of the edited video or of a range of it, relative to the base URL of the page. */
export const captionFile = (project: string, kind: 'srt' | 'vtt' | 'txt', range: ExportRange | null) =>
  `api/v1/projects/${project}/captions.${kind}${rangeQuery(range)}`
