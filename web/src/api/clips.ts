import { queryOptions } from '@tanstack/react-query'
import { answer, api, Problem, type Schemas } from './client'
import { RESUMABLE_ABOVE, send, type Watch } from './send'

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

/** An upload that was begun: a clip with the address that its file goes to. */
export type Begun = Schemas['PresignedClip']

/** What an upload tells while it is at work. */
export interface UploadWatch extends Watch {
  /** What was begun on the server and can be gone on with; null once it is confirmed or taken back. */
  onBegun: (begun: Begun | null) => void
}

/**
 * Uploads one recording and confirms it. A large one whose connection stays lost is left as it is, to be gone on with by another call
 * that is given what was begun. Ends with an AbortError when signal is aborted.
 */
export async function uploadClip(project: string, file: File, signal: AbortSignal, watch: UploadWatch, begun: Begun | null): Promise<Clip> {
  const path = { project_uuid: project }
  let target = begun && (await renew(project, begun, signal))
  if (!target) {
    const body = { filename: file.name, content_type: contentTypeOf(file), size_bytes: file.size }
    target = await answer(api.POST('/api/v1/projects/{project_uuid}/clips/presign', { params: { path }, body, signal }))
  }
  watch.onBegun(target)
  const clip = { ...path, clip_uuid: target.clip_uuid }
  try {
    await sendAll(project, target, file, signal, watch)
    const confirmed = await answer(api.POST('/api/v1/projects/{project_uuid}/clips/{clip_uuid}/confirm', { params: { path: clip }, signal }))
    watch.onBegun(null)
    return confirmed
  } catch (error) {
    if (file.size > RESUMABLE_ABOVE && error instanceof Problem && (error.status === 0 || error.status >= 500)) throw error
    // What was begun on the server is taken back; that it is gone already is no error.
    await deleteClip(target.clip_uuid).catch(() => undefined)
    watch.onBegun(null)
    throw error
  }
}

// sendAll sends a file, under a new address where the first expires on the way.
async function sendAll(project: string, target: Begun, file: File, signal: AbortSignal, watch: Watch): Promise<void> {
  for (let address = target; ; ) {
    try {
      return await send(address.upload_url, file, address.content_type, signal, watch)
    } catch (error) {
      const expired = error instanceof Problem && error.status === 401 && file.size > RESUMABLE_ABOVE
      const next = expired ? await renew(project, target, signal) : null
      if (!next) throw error
      address = next
    }
  }
}

// renew asks for a new address of what was begun; null where the server has collected it.
async function renew(project: string, begun: Begun, signal: AbortSignal): Promise<Begun | null> {
  try {
    const path = { project_uuid: project, clip_uuid: begun.clip_uuid }
    return await answer(api.POST('/api/v1/projects/{project_uuid}/clips/{clip_uuid}/presign', { params: { path }, signal }))
  } catch (error) {
    if (error instanceof Problem && (error.status === 404 || error.status === 409)) return null
    throw error
  }
}
