import { queryOptions } from '@tanstack/react-query'
import { answer, api, type Schemas } from './client'
import { queryKeys } from './keys'

export type Model = Schemas['Model']

const listed = queryOptions({
  queryKey: queryKeys.models,
  queryFn: ({ signal }) => answer(api.GET('/api/v1/models', { signal })),
  refetchInterval: (query) => (query.state.data?.items.some((m) => m.download?.status === 'loading') ? 1000 : false),
})

/** The speech models that there are and can be; followed closely while one is being downloaded. */
export const modelsQuery = queryOptions({ ...listed, select: (page) => page.items })

/** Whether the setting SPEECH_MODEL names the model that is used, so that none can be chosen. */
export const modelIsSetQuery = queryOptions({ ...listed, select: (page) => page.is_set })

/** What the next search for cuts listens with. */
export const modelInUse = (models: Model[]): Model | undefined => models.find((m) => m.active)

export const downloadModel = (model: string) =>
  answer(api.POST('/api/v1/models/{model}/download', { params: { path: { model } } }))
export const cancelModelDownload = (model: string) =>
  answer(api.DELETE('/api/v1/models/{model}/download', { params: { path: { model } } }))
export const chooseModel = (model: string) =>
  answer(api.PUT('/api/v1/models/{model}/choice', { params: { path: { model } } }))
export const forgetModelChoice = (model: string) =>
  answer(api.DELETE('/api/v1/models/{model}/choice', { params: { path: { model } } }))
export const deleteModel = (model: string) =>
  answer(api.DELETE('/api/v1/models/{model}', { params: { path: { model } } }))

/** What a model is good for, in words. Larger ones of a kind hear better and take longer. */
export interface ModelWords {
  title: string
  says: string
  /** One of the few that are offered to somebody who has none. */
  offered: boolean
  /** How well it hears and how quick it is, from 1 to 5. */
  quality: number
  speed: number
}

const SIZES: Record<string, Omit<ModelWords, 'offered'>> = {
  tiny: { title: 'Tiny', says: 'A quick try; misses words', quality: 1, speed: 5 },
  base: { title: 'Base', says: 'Clear speech, quick on any machine', quality: 2, speed: 5 },
  small: { title: 'Small', says: 'Good for everyday recordings', quality: 3, speed: 4 },
  medium: { title: 'Medium', says: 'Accents and noise, slow without a strong machine', quality: 4, speed: 2 },
  'large-v3-turbo': { title: 'Large turbo', says: 'Nearly the best, much quicker than Large', quality: 5, speed: 3 },
  'large-v3': { title: 'Large', says: 'The best there is, slow without a strong machine', quality: 5, speed: 1 },
}
const OFFERED = ['base.en', 'small', 'large-v3-turbo-q5_0']

/** The words for a model; one that somebody put there by hand has none but its name. */
export function describeModel(name: string): ModelWords {
  const packed = /-q\d_\d$/.test(name)
  const words = SIZES[name.replace(/-q\d_\d$/, '').replace(/\.en$/, '')]
  if (!words) return { title: name, says: 'Put into the models folder by hand', offered: false, quality: 0, speed: 0 }
  return {
    ...words,
    title: `${words.title}${packed ? ', packed' : ''}`,
    says: packed ? `${words.says}; a smaller file that hears almost as well` : words.says,
    offered: OFFERED.includes(name),
  }
}
