import { queryOptions } from '@tanstack/react-query'
import { answer, api, Problem, problemOf, type Schemas } from './client'

export type Clip = Schemas['Clip']
export type Waveform = Schemas['Waveform']
export type ProxyURL = Schemas['ProxyURL']

/** More peaks than this are not asked for; an hour then still has one every 30 ms. */
const MAX_PEAKS = 120_000

/** Margin before an address runs out at which a new one is fetched, in milliseconds. */
const EXPIRY_MARGIN_MS = 20_000

export const clipsQuery = (project: string) =>
  queryOptions({
    queryKey: ['clips', project],
    queryFn: async ({ signal }) =>
      (await answer(api.GET('/api/v1/projects/{project_uuid}/clips/', { params: { path: { project_uuid: project } }, signal }))).items,
  })

/** A clip's waveform; it never changes once the clip is ready. */
export const waveformQuery = (clip: string) =>
  queryOptions({
    queryKey: ['waveform', clip],
    queryFn: ({ signal }) =>
      answer(api.GET('/api/v1/clips/{clip_uuid}/waveform', { params: { path: { clip_uuid: clip }, query: { samples: MAX_PEAKS } }, signal })),
    staleTime: Infinity,
  })

/** The addresses of a clip's proxy and sprite sheet. They run out: see freshUntil. */
export const proxyQuery = (clip: string) =>
  queryOptions({
    queryKey: ['proxy', clip],
    queryFn: async ({ signal }) => {
      const asked = Date.now()
      const proxy = await answer(api.GET('/api/v1/clips/{clip_uuid}/proxy-url', { params: { path: { clip_uuid: clip } }, signal }))
      return { ...proxy, freshUntil: asked + Math.max(proxy.expires_in * 1000 - EXPIRY_MARGIN_MS, 1_000) }
    },
    staleTime: (query) => Math.max((query.state.data?.freshUntil ?? 0) - Date.now(), 0),
    refetchOnWindowFocus: false,
  })

export const deleteClip = (uuid: string) => answer(api.DELETE('/api/v1/clips/{clip_uuid}', { params: { path: { clip_uuid: uuid } } }))

/** Has the server fetch a recording from an address; the clip is processing until it is here and read. */
export const importClip = (project: string, url: string) =>
  answer(api.POST('/api/v1/projects/{project_uuid}/clips/video-import', { params: { path: { project_uuid: project } }, body: { url } }))

const TYPES: Record<string, string> = {
  mp4: 'video/mp4',
  m4v: 'video/x-m4v',
  mov: 'video/quicktime',
  webm: 'video/webm',
  mkv: 'video/x-matroska',
  avi: 'video/x-msvideo',
  mpg: 'video/mpeg',
  mpeg: 'video/mpeg',
  ts: 'video/mp2t',
  mts: 'video/mp2t',
  m2ts: 'video/mp2t',
}

/** What a file chooser should offer. */
export const ACCEPTED_FILES = ['video/*', ...Object.keys(TYPES).map((e) => '.' + e)].join(',')

/** The content type to declare for a file: by its name first, as browsers do not know all of them. */
export function contentTypeOf(file: { name: string; type: string }): string {
  const extension = file.name.slice(file.name.lastIndexOf('.') + 1).toLowerCase()
  return TYPES[extension] ?? (file.type || 'application/octet-stream')
}

/** Uploads one recording and confirms it. onProgress gets bytes sent. Ends with an AbortError when signal is aborted. */
export async function uploadClip(project: string, file: File, signal: AbortSignal, onProgress: (sent: number) => void): Promise<Clip> {
  const path = { project_uuid: project }
  const body = { filename: file.name, content_type: contentTypeOf(file), size_bytes: file.size }
  const presigned = await answer(api.POST('/api/v1/projects/{project_uuid}/clips/presign', { params: { path }, body, signal }))
  try {
    await put(presigned.upload_url, file, presigned.content_type, signal, onProgress)
    return await answer(
      api.POST('/api/v1/projects/{project_uuid}/clips/{clip_uuid}/confirm', { params: { path: { ...path, clip_uuid: presigned.clip_uuid } }, signal }),
    )
  } catch (error) {
    // What was begun on the server is taken back; that it is gone already is no error.
    await deleteClip(presigned.clip_uuid).catch(() => undefined)
    throw error
  }
}

// put sends a file with progress, which fetch cannot report.
function put(url: string, file: File, contentType: string, signal: AbortSignal, onProgress: (sent: number) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    const abort = () => request.abort()
    request.open('PUT', url)
    request.setRequestHeader('Content-Type', contentType)
    request.upload.onprogress = (event) => onProgress(event.loaded)
    request.onload = () => {
      if (request.status >= 200 && request.status < 300) resolve()
      else reject(problemOf(request.status, parse(request.responseText)))
    }
    request.onerror = () => reject(new Problem(0, 'upload_interrupted', 'The upload broke off. Check the connection to Roughcut and try again.'))
    request.onabort = () => reject(new DOMException('The upload was cancelled', 'AbortError'))
    request.onloadend = () => signal.removeEventListener('abort', abort)
    signal.addEventListener('abort', abort)
    if (signal.aborted) abort()
    else request.send(file)
  })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
