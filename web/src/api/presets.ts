import { queryOptions } from '@tanstack/react-query'
import { api, dataOf, type Schemas } from './client'

export type Preset = Schemas['Preset']
export type PreviewPreset = Schemas['PreviewPreset']

/** The choices of an analysis preset. */
export type PresetFields = Required<Schemas['NewPreset']>

/** The choices of a preview preset. Roughcut bundles one font family and each style sets its weight, so there is nothing to choose. */
export type PreviewPresetFields = Omit<Required<Schemas['NewPreviewPreset']>, 'caption_font'>

/** The maximum number of analysis presets per account. */
export const MAX_PRESETS = 5

export const presetsQuery = queryOptions({
  queryKey: ['presets'],
  queryFn: async ({ signal }) => (await dataOf(api.GET('/api/v1/users/me/presets', { signal }))).items,
})

export const previewPresetsQuery = queryOptions({
  queryKey: ['preview-presets'],
  queryFn: async ({ signal }) => (await dataOf(api.GET('/api/v1/users/me/preview-presets', { signal }))).items,
})

/** The requests that change presets of one kind. */
export interface PresetRequests<Fields> {
  create: (fields: Fields) => Promise<unknown>
  update: (uuid: string, change: Partial<Fields>) => Promise<unknown>
  remove: (uuid: string) => Promise<unknown>
}

const presetParams = (uuid: string) => ({ params: { path: { preset_uuid: uuid } } })

export const presetRequests: PresetRequests<PresetFields> = {
  create: (body) => dataOf(api.POST('/api/v1/users/me/presets', { body })),
  update: (uuid, body) => dataOf(api.PATCH('/api/v1/users/me/presets/{preset_uuid}', { ...presetParams(uuid), body })),
  remove: (uuid) => dataOf(api.DELETE('/api/v1/users/me/presets/{preset_uuid}', presetParams(uuid))),
}

export const previewPresetRequests: PresetRequests<PreviewPresetFields> = {
  create: (fields) => dataOf(api.POST('/api/v1/users/me/preview-presets', { body: { ...fields, caption_font: '' } })),
  update: (uuid, body) =>
    dataOf(api.PATCH('/api/v1/users/me/preview-presets/{preset_uuid}', { ...presetParams(uuid), body })),
  remove: (uuid) => dataOf(api.DELETE('/api/v1/users/me/preview-presets/{preset_uuid}', presetParams(uuid))),
}
