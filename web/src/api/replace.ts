import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { answer, api, type Schemas } from './client'
import { queryKeys } from './keys'

export type ReplacedPlace = Schemas['ReplacedPlace']
export type TextReplacement = Pick<Schemas['TextReplacement'], 'find' | 'replace' | 'match_case' | 'whole_words'>

const replace = (project: string, body: Schemas['TextReplacement'], signal?: AbortSignal) =>
  answer(
    api.POST('/api/v1/projects/{project_uuid}/transcript/replace', {
      params: { path: { project_uuid: project } },
      body,
      ...(signal ? { signal } : {}),
    }),
  )

/** The places that a replacement would change. */
export const placesOf = async (project: string, body: TextReplacement, signal?: AbortSignal) =>
  (await replace(project, { ...body, dry_run: true }, signal)).items

/** A query for placesOf. */
export const replacedPlacesQuery = (project: string, run: string | null, body: TextReplacement) =>
  queryOptions({
    queryKey: queryKeys.replacedPlaces(project, run, body),
    enabled: run !== null && body.find.trim() !== '' && body.replace.trim() !== '',
    queryFn: ({ signal }) => placesOf(project, body, signal),
    placeholderData: keepPreviousData,
    gcTime: 0,
    retry: false,
  })

/** Changes the places with the given indices. */
export const replaceText = (project: string, body: TextReplacement, only: number[]) =>
  replace(project, { ...body, dry_run: false, only })

/** Restores the texts before the last replacement. */
export const undoReplacement = (project: string, replacement: string) =>
  answer(
    api.DELETE('/api/v1/projects/{project_uuid}/transcript/replacements/{replacement_uuid}', {
      params: { path: { project_uuid: project, replacement_uuid: replacement } },
    }),
  )
