import { create } from 'zustand'
import { useShallow } from 'zustand/react/shallow'
import { allAssets, libraryTarget, type Asset } from '../../api/assets'
import { messageOf } from '../../api/client'
import { unreadableCodec } from '../../api/codecs'
import { clipTarget, clipsQuery, type Clip } from '../../api/clips'
import { groupsQuery } from '../../api/groups'
import { contentTypeOf, extensionOf } from '../../api/filetypes'
import { queryClient } from '../../api/queryClient'
import { RESUMABLE_ABOVE } from '../../api/send'
import { browserStorage } from '../../api/storage'
import { upload as send, type StartedUpload, type UploadTarget } from '../../api/upload'
import { clipsText } from '../../text/editor/clips'
import { storeUpload, loadUpload } from './resumableUploads'
import { holdClose } from '../../ui/closeGuard'

/** An upload to a project or to the library. */
export interface Upload {
  id: number
  /** The project of the clip; null for the library. */
  project: string | null
  /** The group of the asset; null for the default group. */
  group: string | null
  file: File
  status: 'waiting' | 'sending' | 'failed'
  /** Bytes sent so far, and bytes per second (0 while unknown). */
  sent: number
  speed: number
  /** Whether the connection is lost; the upload resumes when it is back. */
  waiting: boolean
  error: string | null
  /** The upload on the server, which can be resumed; null before it started. */
  started: StartedUpload | null
  /** Called with the asset of an upload to the library. */
  then: ((asset: Asset) => void) | null
}

interface Uploads {
  items: Upload[]
  /** Queues files as clips of a project, in this order. */
  add: (project: string, files: readonly File[]) => void
  /** Queues files for the library, and calls back with each asset. */
  addAssets: (group: string | null, files: readonly File[], then?: (asset: Asset) => void) => void
  /** Stops and removes an upload. */
  cancel: (id: number) => void
  retry: (id: number) => void
  clearFailed: (project: string) => void
}

/** Parallel uploads; the server allows five per account. */
const MAX_PARALLEL = 3

const running = new Map<number, AbortController>()
let lastID = 0

const isLarge = (u: Upload) => u.file.size > RESUMABLE_ABOVE
const originOf = (u: Upload) => ({ destination: u.project ?? `library:${u.group ?? ''}`, file: u.file })

/** Why Roughcut cannot read a file, or null if it may. The server then does not get the file. */
async function refusalOf(file: File): Promise<string | null> {
  if (contentTypeOf(file) === '') return clipsText.unreadableType(extensionOf(file.name) || file.type)
  const codec = await unreadableCodec(file)
  return codec && clipsText.unreadableCodec(codec)
}

/** The uploads of all pages, which continue when the person opens another page. */
export const useUploads = create<Uploads>()((set, get) => {
  const change = (id: number, update: Partial<Upload>) =>
    set((s) => ({ items: s.items.map((u) => (u.id === id ? { ...u, ...update } : u)) }))

  const forget = (id: number) => set((s) => ({ items: s.items.filter((u) => u.id !== id) }))

  // Uploads start in the order of choice, because that is the order of the clips. Small files upload in
  // parallel; large ones one after the other, so that the first one is ready as soon as possible.
  const next = () => {
    const { items } = get()
    const sending = items.filter((u) => u.status === 'sending')
    const upload = items.find((u) => u.status === 'waiting')
    if (
      !upload ||
      running.size >= MAX_PARALLEL ||
      sending.some((u) => !u.started) ||
      (isLarge(upload) && sending.some(isLarge))
    )
      return
    start(upload)
    next()
  }

  const start = (upload: Upload) => {
    const controller = new AbortController()
    running.set(upload.id, controller)
    change(upload.id, { status: 'sending', sent: 0, speed: 0, waiting: false, error: null })
    const watch = {
      onProgress: withSpeed((sent, speed) => change(upload.id, { sent, speed })),
      onWaiting: (waiting: boolean) => change(upload.id, { waiting }),
      onStarted: (begun: StartedUpload | null) => {
        change(upload.id, { started: begun })
        if (isLarge(upload)) storeUpload(browserStorage, originOf(upload), begun)
        if (begun) next()
      },
    }

    const { project, file, started: begun, group, then } = upload
    const deliver = async () => {
      const refusal = await refusalOf(file)
      if (refusal) {
        change(upload.id, { status: 'failed', error: refusal })
        return
      }

      if (project === null) {
        const asset = await send(libraryTarget(group), file, controller.signal, watch, begun)
        then?.(asset)
        await showAssets()
      } else {
        showClip(project, await send(clipTarget(project), file, controller.signal, watch, begun))
      }

      forget(upload.id)
    }

    deliver()
      .catch((error: unknown) => {
        if (!controller.signal.aborted) change(upload.id, { status: 'failed', error: messageOf(error) })
      })
      .finally(() => {
        running.delete(upload.id)
        next()
      })
  }

  const queue = (project: string | null, group: string | null, files: readonly File[], then: Upload['then'] = null) => {
    const added = files.map((file): Upload => {
      const fresh: Upload = {
        id: ++lastID,
        project,
        group,
        file,
        status: 'waiting',
        sent: 0,
        speed: 0,
        waiting: false,
        error: null,
        started: null,
        then,
      }

      return isLarge(fresh) ? { ...fresh, started: loadUpload(browserStorage, originOf(fresh)) } : fresh
    })

    set((s) => ({ items: [...s.items, ...added] }))
    next()
  }

  return {
    items: [],
    add: (project, files) => queue(project, null, files),
    addAssets: (group, files, then) => queue(null, group, files, then),
    cancel: (id) => {
      const active = running.get(id)
      active?.abort()
      // A running upload cleans up on the server itself.
      if (!active) discardStarted(get().items.filter((u) => u.id === id))
      forget(id)
    },
    retry: (id) => {
      change(id, { status: 'waiting', error: null })
      next()
    },
    clearFailed: (project) => {
      const failed = get().items.filter((u) => u.project === project && u.status === 'failed')
      discardStarted(failed)
      failed.forEach((u) => forget(u.id))
    },
  }
})

/** The uploads to the library. */
export const useLibraryUploads = () => useUploads(useShallow((s) => s.items.filter((u) => u.project === null)))

/** The uploads of one project. */
export const useProjectUploads = (project: string) =>
  useUploads(useShallow((s) => s.items.filter((u) => u.project === project)))

// showClip replaces the upload with its clip at once.
function showClip(project: string, clip: Clip): void {
  queryClient.setQueryData(
    clipsQuery(project).queryKey,
    (list) => list && [...list.filter((c) => c.uuid !== clip.uuid), clip],
  )
}

/** Loads the lists of the library again after an asset was added. */
export async function showAssets(): Promise<void> {
  await Promise.all(
    [allAssets.queryKey, groupsQuery.queryKey].map((queryKey) => queryClient.invalidateQueries({ queryKey })),
  )
}

// discardStarted deletes started uploads from the server. Errors are ignored: the upload may no longer exist.
function discardStarted(uploads: readonly Upload[]): void {
  for (const u of uploads) {
    if (!u.started) continue
    const target: UploadTarget<unknown> = u.project === null ? libraryTarget(u.group) : clipTarget(u.project)
    void target.discard(u.started.uuid).catch(() => undefined)
    storeUpload(browserStorage, originOf(u), null)
  }
}

// The browser asks before the page closes while uploads run.
let releaseClose: (() => void) | null = null
useUploads.subscribe(({ items }) => {
  const uploading = items.some((u) => u.status !== 'failed')
  if (uploading) releaseClose ??= holdClose()
  else if (releaseClose) {
    releaseClose()
    releaseClose = null
  }
})

// withSpeed adds a smoothed speed to a count of bytes.
function withSpeed(report: (sent: number, speed: number) => void): (sent: number) => void {
  let at = performance.now()
  let before = 0
  let speed = 0
  return (sent) => {
    const now = performance.now()
    const seconds = (now - at) / 1000
    if (seconds >= 0.2) {
      const current = (sent - before) / seconds
      speed = speed === 0 ? current : speed + (current - speed) * Math.min(seconds / 3, 1)
      at = now
      before = sent
    }

    report(sent, speed)
  }
}
