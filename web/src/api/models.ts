import { queryOptions } from '@tanstack/react-query'
import { answer, api, type Schemas } from './client'

export type Model = Schemas['Model']

/** The speech models that there are and can be; followed closely while one is being downloaded. */
export const modelsQuery = queryOptions({
  queryKey: ['models'],
  queryFn: async ({ signal }) => (await answer(api.GET('/api/v1/models', { signal }))).items,
  refetchInterval: (query) => (query.state.data?.some((m) => m.download?.status === 'loading') ? 1000 : false),
})

export const downloadModel = (model: string) => answer(api.POST('/api/v1/models/{model}/download', { params: { path: { model } } }))
export const cancelModelDownload = (model: string) => answer(api.DELETE('/api/v1/models/{model}/download', { params: { path: { model } } }))
