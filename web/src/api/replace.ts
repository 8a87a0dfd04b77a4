import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, dataOf, type Schemas } from './client'
import type { ChangeName } from './edits'
import { namedChange } from './history'

export type ReplacedPlace = Schemas['ReplacedPlace']
export type TextReplacement = Pick<Schemas['TextReplacement'], 'find' | 'replace' | 'match_case' | 'whole_words' | 'in'>

const requestReplacement = (
  project: string,
  body: Schemas['TextReplacement'],
  signal?: AbortSignal,
  name?: ChangeName,
) =>
  dataOf(
    api.POST('/api/v1/projects/{project_uuid}/transcript/replace', {
      params: { path: { project_uuid: project }, ...(name ? { header: namedChange(name) } : {}) },
      body,
      ...(signal ? { signal } : {}),
    }),
  )

/** The places that a replacement would change. */
export const placesOf = async (project: string, body: TextReplacement, signal?: AbortSignal) =>
  (await requestReplacement(project, { ...body, dry_run: true }, signal)).items

/** The places of every replacement in a project. */
export const allReplacedPlaces = (project: string) => ({ queryKey: ['replaced-places', project] })

/** A query for placesOf. */
export const replacedPlacesQuery = (project: string, run: string | null, body: TextReplacement) =>
  queryOptions({
    queryKey: [...allReplacedPlaces(project).queryKey, run, body],
    enabled: run !== null && body.find.trim() !== '' && body.replace.trim() !== '',
    queryFn: ({ signal }) => placesOf(project, body, signal),
    placeholderData: keepPreviousData,
    gcTime: 0,
    retry: false,
  })

/** Changes the places with the given indices. */
export const replaceText = (project: string, body: TextReplacement, only: number[], name: ChangeName) =>
  requestReplacement(project, { ...body, dry_run: false, only }, undefined, name)

/** Renames a speaker in the whole transcript. */
export const renameSpeaker = (project: string, speaker: string, to: string, name: ChangeName) =>
  dataOf(
    api.POST('/api/v1/projects/{project_uuid}/transcript/rename-speaker', {
      params: { path: { project_uuid: project }, header: namedChange(name) },
      body: { speaker, name: to },
    }),
  )
