import { queryOptions } from '@tanstack/react-query'
import { api, dataOf, type Schemas } from './client'
import { namedChange } from './history'

export type DetectedType = Schemas['DetectedEditType']
export type EditType = Exclude<Schemas['EditType'], 'asset'>

/** What an active edit does: cut removes its span, mute keeps the video and replaces the audio by room tone. */
export type CutAction = Schemas['EditAction']

export type EditChange = Schemas['EditChange']
export type NamedEditChange = Schemas['NamedEditChange']

/** Edits that an operation changed, and the changes that restore the state before. */
export interface ChangedEdits {
  items: Edit[]
  undo: NamedEditChange[]
}

type Common = Pick<
  Schemas['Edit'],
  'uuid' | 'run_uuid' | 'start_ms' | 'end_ms' | 'active' | 'reason' | 'confidence' | 'created_at' | 'updated_at'
>

/** An edit that removes or mutes a span. */
export type Edit = Common & {
  type: EditType
  action: CutAction
  /** The cut that an edit which the server has not stored is a part of. */
  split_from?: string
  /** The group of the take that the edit removes, and the number of this take from 1. */
  take_group: string | null
  take_number: number | null
}

/** How an asset is placed. */
export type Placing = Required<Omit<EditChange, 'active' | 'action' | 'start_ms' | 'end_ms'>>

/** An edit that places an asset and removes nothing. */
export type Placement = Common & { type: 'asset' } & Placing

export type AnyEdit = Edit | Placement

export const editsQuery = (project: string) =>
  queryOptions({
    queryKey: ['edits', project],
    queryFn: async ({ signal }) => {
      const { items } = await dataOf(
        api.GET('/api/v1/projects/{project_uuid}/edits', { params: { path: { project_uuid: project } }, signal }),
      )

      return items as AnyEdit[] // only edits of type asset have the placement fields, and they have all of them
    },
  })

/** The entry of the history that a request belongs to. */
export type ChangeName = Parameters<typeof namedChange>[0]

/** Creates a cut or a placement and returns its uuid. */
export async function createEdit(project: string, edit: AnyEdit, name: ChangeName): Promise<string> {
  const { start_ms, end_ms, active, reason } = edit
  const body: Schemas['NewEdit'] =
    edit.type !== 'asset'
      ? {
          type: 'manual',
          start_ms,
          end_ms,
          active,
          reason,
          action: edit.action,
          ...(edit.split_from && { split_from: edit.split_from }),
        }
      : { ...placingOf(edit), type: 'asset', start_ms, end_ms, active, reason }

  return (
    await dataOf(
      api.POST('/api/v1/projects/{project_uuid}/edits', {
        params: { path: { project_uuid: project }, header: namedChange(name) },
        body,
      }),
    )
  ).uuid
}

/** The visual and audio fields of a placement. */
export function placingOf(p: Placement): Placing {
  const { asset_file_id, asset_offset_ms, visual_mode, audio_mode, overlay_position, overlay_x, overlay_y } = p
  const {
    overlay_size_percent,
    overlay_opacity_percent,
    overlay_flip_h,
    overlay_flip_v,
    overlay_rotation_deg,
    audio_volume_percent,
    audio_duck_main,
    audio_duck_under_voice,
    fade_in_ms,
    fade_out_ms,
    loop,
    until_end,
  } = p

  return {
    asset_file_id,
    asset_offset_ms,
    visual_mode,
    audio_mode,
    overlay_position,
    overlay_x,
    overlay_y,
    overlay_size_percent,
    overlay_opacity_percent,
    overlay_flip_h,
    overlay_flip_v,
    overlay_rotation_deg,
    audio_volume_percent,
    audio_duck_main,
    audio_duck_under_voice,
    fade_in_ms,
    fade_out_ms,
    loop,
    until_end,
  }
}

export const changeEdit = (uuid: string, change: EditChange, name: ChangeName) =>
  dataOf(
    api.PATCH('/api/v1/edits/{edit_uuid}', {
      params: { path: { edit_uuid: uuid }, header: namedChange(name) },
      body: change,
    }),
  )

/** The maximum number of edits per request. */
const MOST_AT_ONCE = 5000

/** Toggles or moves several edits. */
export async function changeEdits(project: string, edits: NamedEditChange[], name: ChangeName): Promise<void> {
  for (let i = 0; i < edits.length; i += MOST_AT_ONCE) {
    await dataOf(
      api.PATCH('/api/v1/projects/{project_uuid}/edits', {
        params: { path: { project_uuid: project }, header: namedChange(name) },
        body: { edits: edits.slice(i, i + MOST_AT_ONCE) },
      }),
    )
  }
}

export const deleteEdit = (uuid: string, name: ChangeName) =>
  dataOf(api.DELETE('/api/v1/edits/{edit_uuid}', { params: { path: { edit_uuid: uuid }, header: namedChange(name) } }))
