import { queryOptions } from '@tanstack/react-query'
import { modelsText } from '../text/models'
import { api, basePath, dataOf, Problem, unsafeHeaders, type Schemas } from './client'
import { putFile } from './send'

export type Model = Schemas['Model']

const modelListQuery = queryOptions({
  queryKey: ['models'],
  queryFn: ({ signal }) => dataOf(api.GET('/api/v1/models', { signal })),
  refetchInterval: (query) => (query.state.data?.items.some((m) => m.download?.status === 'loading') ? 1000 : false),
})

/** The installed and available speech models; polled during a download. */
export const modelsQuery = queryOptions({ ...modelListQuery, select: (page) => page.items })

/** Whether the SPEECH_MODEL setting selects the model, which disables the choice in the UI. */
export const modelIsSetQuery = queryOptions({ ...modelListQuery, select: (page) => page.is_set })

/** The model that the next analysis uses. */
export const modelInUse = (models: Model[]): Model | undefined => models.find((m) => m.active)

export const downloadModel = (model: string) =>
  dataOf(api.POST('/api/v1/models/{model}/download', { params: { path: { model } } }))

/** The first bytes of every ggml file. */
const GGML_MAGIC = 'lmgg'

/** Adds a speech model from a file. Refuses a file of another type before the upload. Returns the name of the model. */
export async function addModel(file: File, signal: AbortSignal, onProgress: (sent: number) => void): Promise<string> {
  const name = file.name.replace(/^ggml-/, '').replace(/\.bin$/, '')
  if ((await file.slice(0, GGML_MAGIC.length).text()) !== GGML_MAGIC)
    throw new Problem(0, 'not_a_model', modelsText.notAModel(file.name))
  const url = `${basePath}/api/v1/models/${encodeURIComponent(name)}/file`
  const headers = { 'Content-Type': 'application/octet-stream', ...unsafeHeaders() }
  await putFile(url, file, headers, signal, onProgress)
  return name
}

export const cancelModelDownload = (model: string) =>
  dataOf(api.DELETE('/api/v1/models/{model}/download', { params: { path: { model } } }))
export const chooseModel = (model: string) =>
  dataOf(api.PUT('/api/v1/models/{model}/choice', { params: { path: { model } } }))
export const forgetModelChoice = (model: string) =>
  dataOf(api.DELETE('/api/v1/models/{model}/choice', { params: { path: { model } } }))
export const deleteModel = (model: string) =>
  dataOf(api.DELETE('/api/v1/models/{model}', { params: { path: { model } } }))

/** How long an hour of speech took with a model, or probably takes on this machine; empty if unknown. */
export function speedText({ minutes_per_hour: minutes, speed }: Model): string {
  if (minutes !== null) return modelsText.perHour(minutes)
  return speed ? modelsText.onThisMachine[speed] : ''
}

/** What to tell users about a model. */
export interface ModelInfo {
  title: string
  description: string
  /** Whether Roughcut recommends the model to new users. */
  recommended: boolean
  /** The accuracy and speed from 1 to 5; 0 if unknown. */
  accuracy: number
  speed: number
}

/** The accuracy and speed of models by the size in their name. */
const RATINGS: Record<string, Pick<ModelInfo, 'accuracy' | 'speed'>> = {
  tiny: { accuracy: 1, speed: 5 },
  base: { accuracy: 2, speed: 5 },
  small: { accuracy: 3, speed: 4 },
  medium: { accuracy: 4, speed: 2 },
  'large-v3-turbo': { accuracy: 5, speed: 3 },
  'large-v3': { accuracy: 5, speed: 1 },
}

const RECOMMENDED = ['base.en', 'small', 'large-v3-turbo-q5_0']

/** Describes a model by its name. A model that was added manually has only its name. */
export function describeModel(name: string): ModelInfo {
  const [quantized] = /q\d_\d$/.exec(name) ?? []
  const size = name.replace(/-q\d_\d$/, '').replace(/\.en$/, '')
  const text = modelsText.sizes[size]
  const rating = RATINGS[size] ?? { accuracy: 0, speed: 0 }
  if (!text) return { title: name, description: modelsText.addedByHand, recommended: false, ...rating }
  return {
    title: modelsText.title(text.title, /\.en\b/.test(name), quantized),
    description: quantized ? modelsText.quantizedDescription(text.description) : text.description,
    recommended: RECOMMENDED.includes(name),
    ...rating,
  }
}
