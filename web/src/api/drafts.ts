import { queryOptions } from '@tanstack/react-query'
import { api, dataOf, type Schemas } from './client'
import type { ChangeName } from './edits'
import { namedChange } from './history'

export type DraftSummary = Schemas['DraftSummary']
export type Overrides = Schemas['Overrides']

export const draftsQuery = (project: string) =>
  queryOptions({
    queryKey: ['drafts', project],
    queryFn: async ({ signal }) =>
      (
        await dataOf(
          api.GET('/api/v1/projects/{project_uuid}/drafts', { params: { path: { project_uuid: project } }, signal }),
        )
      ).items,
  })

/** Saves edits and the current shorts as a draft. */
export const saveDraft = (project: string, name: string, edit_overrides: Overrides) =>
  dataOf(
    api.POST('/api/v1/projects/{project_uuid}/drafts', {
      params: { path: { project_uuid: project } },
      body: { name, edit_overrides, with_shorts: true },
    }),
  )

/** Brings the edits and shorts of a project back to a draft. */
export const applyDraft = (uuid: string, name: ChangeName) =>
  dataOf(
    api.POST('/api/v1/drafts/{draft_uuid}/apply', {
      params: { path: { draft_uuid: uuid }, header: namedChange(name) },
    }),
  )

export const changeDraft = (uuid: string, change: Schemas['DraftChange']) =>
  dataOf(api.PATCH('/api/v1/drafts/{draft_uuid}', { params: { path: { draft_uuid: uuid } }, body: change }))

export const deleteDraft = (uuid: string) =>
  dataOf(api.DELETE('/api/v1/drafts/{draft_uuid}', { params: { path: { draft_uuid: uuid } } }))
