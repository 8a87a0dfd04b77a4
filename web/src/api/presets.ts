import { queryOptions } from '@tanstack/react-query'
import { answer, api, type Schemas } from './client'

export type Preset = Schemas['Preset']
export type NewPreset = Schemas['NewPreset']
export type PreviewPreset = Schemas['PreviewPreset']
export type NewPreviewPreset = Schemas['NewPreviewPreset']

/** The maximum number of analysis presets per account. */
export const MAX_PRESETS = 5

export const presetsQuery = queryOptions({
  queryKey: ['presets'],
  queryFn: async ({ signal }) => (await answer(api.GET('/api/v1/users/me/presets', { signal }))).items,
})

const at = (uuid: string) => ({ params: { path: { preset_uuid: uuid } } })

export const createPreset = (body: NewPreset) => answer(api.POST('/api/v1/users/me/presets', { body }))
export const updatePreset = (uuid: string, body: Partial<NewPreset>) =>
  answer(api.PATCH('/api/v1/users/me/presets/{preset_uuid}', { ...at(uuid), body }))
export const deletePreset = (uuid: string) => answer(api.DELETE('/api/v1/users/me/presets/{preset_uuid}', at(uuid)))

export const previewPresetsQuery = queryOptions({
  queryKey: ['preview-presets'],
  queryFn: async ({ signal }) => (await answer(api.GET('/api/v1/users/me/preview-presets', { signal }))).items,
})

export const createPreviewPreset = (body: NewPreviewPreset) =>
  answer(api.POST('/api/v1/users/me/preview-presets', { body }))
export const updatePreviewPreset = (uuid: string, body: Partial<NewPreviewPreset>) =>
  answer(api.PATCH('/api/v1/users/me/preview-presets/{preset_uuid}', { ...at(uuid), body }))
export const deletePreviewPreset = (uuid: string) =>
  answer(api.DELETE('/api/v1/users/me/preview-presets/{preset_uuid}', at(uuid)))
