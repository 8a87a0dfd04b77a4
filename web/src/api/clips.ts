import { queryOptions, type QueryClient } from '@tanstack/react-query'
import { api, dataOf, problemOf, type Schemas } from './client'
import type { ChangeName } from './edits'
import { contentTypeOf } from './filetypes'
import type { StartedUpload, UploadTarget } from './upload'
import { namedChange } from './history'

export type Clip = Schemas['Clip']
export type ClipTrack = Schemas['ClipTrack']
export type Waveform = Schemas['Waveform']
export type ProxyURL = Schemas['ProxyURL']

/** The maximum number of waveform peaks: one every 30 ms for an hour-long clip. */
const MAX_PEAKS = 120_000

/** How long before its expiry a URL is replaced, in milliseconds. */
const EXPIRY_MARGIN_MS = 20_000

/** The clips of every project. */
export const allClips = { queryKey: ['clips'] }

export const clipsQuery = (project: string) =>
  queryOptions({
    queryKey: [...allClips.queryKey, project],
    queryFn: async ({ signal }) =>
      (
        await dataOf(
          api.GET('/api/v1/projects/{project_uuid}/clips', { params: { path: { project_uuid: project } }, signal }),
        )
      ).items,
  })

/** The polling interval of the clips of a project in a list, in milliseconds. */
const POLL_MS = 4_000

/** Whether a clip is still without the thumbnail that it will have. */
export const awaitsThumbnail = (c: Clip) => (c.status === 'ready' ? c.sprite_pending === true : c.status !== 'failed')

/** The clips of a project in a list, which follows no events: it asks again while a thumbnail is missing. */
export const listedClipsQuery = (project: string) => ({
  ...clipsQuery(project),
  refetchInterval: (query: { state: { data?: Clip[] | undefined } }) =>
    query.state.data && (query.state.data.length === 0 || query.state.data.some(awaitsThumbnail)) ? POLL_MS : false,
})

/** The waveform of a clip. Once the clip is ready, only a choice of audio tracks changes it. */
export const waveformQuery = (clip: string) =>
  queryOptions({
    queryKey: ['waveform', clip],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/api/v1/clips/{clip_uuid}/waveform', {
          params: { path: { clip_uuid: clip }, query: { samples: MAX_PEAKS } },
          signal,
        }),
      ),
    staleTime: Infinity,
  })

/** The room tone that an export plays in a muted span of a clip, as a WAV file; null if the recording never becomes quiet. */
export async function loadRoomTone(clip: string, startMs: number, endMs: number): Promise<ArrayBuffer | null> {
  const { data, error, response } = await api.GET('/api/v1/clips/{clip_uuid}/room-tone', {
    params: {
      path: { clip_uuid: clip },
      query: { start_ms: Math.round(startMs), end_ms: Math.round(endMs) },
    },
    parseAs: 'arrayBuffer',
  })

  if (error) throw problemOf(response.status, error, response.headers)
  return data && data.byteLength > 0 ? data : null
}

/** Where the face of a clip is, by time; empty if none was found. The first request looks for it and takes about a second. */
export const facesQuery = (clip: string) =>
  queryOptions({
    queryKey: ['faces', clip],
    queryFn: async ({ signal }) => {
      const { center } = await dataOf(
        api.GET('/api/v1/clips/{clip_uuid}/faces', { params: { path: { clip_uuid: clip } }, signal }),
      )

      return { clip, center: center.map((k) => ({ atMs: k.at_ms, x: k.x, y: k.y })) }
    },
    staleTime: Infinity,
  })

/** The URLs of a clip's proxy and sprite sheet. They expire; freshUntil is the time to request new ones, in ms since the epoch. */
export const proxyQuery = (clip: string) =>
  queryOptions({
    queryKey: ['proxy', clip],
    queryFn: async ({ signal }) => {
      const asked = Date.now()
      const proxy = await dataOf(
        api.GET('/api/v1/clips/{clip_uuid}/proxy-url', { params: { path: { clip_uuid: clip } }, signal }),
      )

      return { ...proxy, freshUntil: asked + Math.max(proxy.expires_in * 1000 - EXPIRY_MARGIN_MS, 1_000) }
    },
    staleTime: (query) => Math.max((query.state.data?.freshUntil ?? 0) - Date.now(), 0),
    refetchOnWindowFocus: false,
  })

/** Loads the preview and the waveform of a clip again after a choice of audio tracks. */
export function refreshAudio(queryClient: QueryClient, clip: string): void {
  for (const { queryKey } of [proxyQuery(clip), waveformQuery(clip)]) void queryClient.invalidateQueries({ queryKey })
}

/** How many tiles wide a sprite sheet is. One with a single row is only as wide as its tiles. */
export const sheetColumns = (sheet: { tiles_per_row: number; total_tiles: number }) =>
  Math.min(sheet.tiles_per_row, sheet.total_tiles)

/** Loads the sprite sheet of a clip that got it after it was ready. The address of the proxy stays, because it may be playing. */
export async function refreshSprite(queryClient: QueryClient, clip: string): Promise<void> {
  const query = proxyQuery(clip)
  const before = queryClient.getQueryData(query.queryKey)
  if (!before || before.sprite) return
  const { sprite } = await dataOf(
    api.GET('/api/v1/clips/{clip_uuid}/proxy-url', { params: { path: { clip_uuid: clip } } }),
  )

  queryClient.setQueryData(query.queryKey, (now) => now && { ...now, sprite })
}

/** Makes the sprite sheet of a clip again and measures its motion, after a failure. Events report the end. */
export const retrySprite = (clip: string) =>
  dataOf(api.POST('/api/v1/clips/{clip_uuid}/sprite', { params: { path: { clip_uuid: clip } } }))

/** Changes the order of all clips of a project. */
export const orderClips = (project: string, clip_uuids: string[], name?: ChangeName) =>
  dataOf(
    api.PUT('/api/v1/projects/{project_uuid}/clips/order', {
      params: { path: { project_uuid: project }, header: name && namedChange(name) },
      body: { clip_uuids },
    }),
  )

/** A part of a clip, in its time. */
export type ClipSegment = Schemas['ClipSegment']

/** Makes a project play segments in an order, with duplicates of clips as needed. It returns all clips. */
export const arrangeClips = (project: string, segments: ClipSegment[], name?: ChangeName) =>
  dataOf(
    api.PUT('/api/v1/projects/{project_uuid}/clips/arrangement', {
      params: { path: { project_uuid: project }, header: name && namedChange(name) },
      body: { segments },
    }),
  )

/** Adds a clip of the same recording behind a clip. */
export const duplicateClip = (uuid: string, name?: ChangeName) =>
  dataOf(
    api.POST('/api/v1/clips/{clip_uuid}/duplicate', {
      params: { path: { clip_uuid: uuid }, header: name && namedChange(name) },
    }),
  )

export const renameClip = (uuid: string, name: string, as: ChangeName) =>
  dataOf(
    api.PATCH('/api/v1/clips/{clip_uuid}', {
      params: { path: { clip_uuid: uuid }, header: namedChange(as) },
      body: { name },
    }),
  )

/** Chooses the audio tracks of a clip that are heard. Events report when its audio is made again. */
export const chooseTracks = (uuid: string, heard: number[], as: ChangeName) =>
  dataOf(
    api.PUT('/api/v1/clips/{clip_uuid}/tracks', {
      params: { path: { clip_uuid: uuid }, header: namedChange(as) },
      body: { heard },
    }),
  )

export const deleteClip = (uuid: string, name?: ChangeName) =>
  dataOf(
    api.DELETE('/api/v1/clips/{clip_uuid}', {
      params: { path: { clip_uuid: uuid }, header: name && namedChange(name) },
    }),
  )

/** Gives a clip the transcript of a file, which the next analysis uses. */
export const importTranscript = (uuid: string, filename: string, text: string) =>
  dataOf(
    api.PUT('/api/v1/clips/{clip_uuid}/transcript', {
      params: { path: { clip_uuid: uuid } },
      body: { filename: filename.slice(-200), text },
    }),
  )

export const removeTranscript = (uuid: string) =>
  dataOf(api.DELETE('/api/v1/clips/{clip_uuid}/transcript', { params: { path: { clip_uuid: uuid } } }))

/** Makes a copy of a clip with a constant frame rate, for other editors. Events report its progress. */
export const makeConstantRateCopy = (uuid: string) =>
  dataOf(api.POST('/api/v1/clips/{clip_uuid}/constant-rate-copy', { params: { path: { clip_uuid: uuid } } }))

/** Deletes the constant-rate copy of a clip, or cancels its making. */
export const removeConstantRateCopy = (uuid: string) =>
  dataOf(api.DELETE('/api/v1/clips/{clip_uuid}/constant-rate-copy', { params: { path: { clip_uuid: uuid } } }))

/** Makes the server import a recording from a URL. The clip stays in processing until the server has read the file. */
export const importClip = (project: string, url: string) =>
  dataOf(
    api.POST('/api/v1/projects/{project_uuid}/clips/video-import', {
      params: { path: { project_uuid: project } },
      body: { url },
    }),
  )

/** A project as an upload target. Each file becomes a clip. */
export function clipTarget(project: string): UploadTarget<Clip> {
  const path = (clip: string) => ({ path: { project_uuid: project, clip_uuid: clip } })
  const started = (p: Schemas['PresignedClip']): StartedUpload => ({
    uuid: p.clip_uuid,
    url: p.upload_url,
    content_type: p.content_type,
  })

  return {
    start: async (file, signal) => {
      const body = { filename: file.name, content_type: contentTypeOf(file), size_bytes: file.size }
      return started(
        await dataOf(
          api.POST('/api/v1/projects/{project_uuid}/clips/presign', {
            params: { path: { project_uuid: project } },
            body,
            signal,
          }),
        ),
      )
    },
    renew: async (uuid, signal) =>
      started(
        await dataOf(
          api.POST('/api/v1/projects/{project_uuid}/clips/{clip_uuid}/presign', { params: path(uuid), signal }),
        ),
      ),
    confirm: (uuid, signal) =>
      dataOf(api.POST('/api/v1/projects/{project_uuid}/clips/{clip_uuid}/confirm', { params: path(uuid), signal })),
    discard: (uuid) => deleteClip(uuid),
  }
}
