import { queryOptions } from '@tanstack/react-query'
import { answer, api, type Schemas } from './client'
import { queryKeys } from './keys'

export type CaptionLine = Schemas['CaptionLine']

/** Lines per page. */
const PAGE_SIZE = 200

/** All caption lines of the active run in chronological order. */
export const captionLinesQuery = (project: string, run: string | null) =>
  queryOptions({
    queryKey: queryKeys.captionLines(project, run),
    enabled: run !== null,
    queryFn: async ({ signal }) => {
      const list: CaptionLine[] = []
      for (let page = 1; ; page++) {
        const { items, total } = await answer(
          api.GET('/api/v1/projects/{project_uuid}/caption-lines/', {
            params: { path: { project_uuid: project }, query: { page, page_size: PAGE_SIZE } },
            signal,
          }),
        )
        list.push(...items)
        if (items.length === 0 || list.length >= total) return list
      }
    },
  })

export const changeCaptionLine = (uuid: string, text: string) =>
  answer(
    api.PATCH('/api/v1/caption-lines/{caption_line_uuid}', {
      params: { path: { caption_line_uuid: uuid } },
      body: { text },
    }),
  )

/** Generates the caption lines again and discards changes to them. */
export const regenerateCaptions = (project: string, maxWords: number) =>
  answer(
    api.POST('/api/v1/projects/{project_uuid}/caption-lines/generate', {
      params: { path: { project_uuid: project } },
      body: { max_words: maxWords, force: true },
    }),
  )

/** The URL of a caption file of the edited video, relative to the base URL of the page. */
export const captionFile = (project: string, kind: 'srt' | 'vtt' | 'txt') =>
  `api/v1/projects/${project}/captions.${kind}`
