import { create } from 'zustand'
import { messageOf } from '../api/client'
import { clipsQuery, deleteClip, uploadClip, type Begun } from '../api/clips'
import { queryClient } from '../api/queryClient'

/** One file on its way to a project. */
export interface Upload {
  id: number
  project: string
  file: File
  status: 'waiting' | 'sending' | 'failed'
  /** Bytes sent so far, and how fast in bytes a second (0 while unknown). */
  sent: number
  speed: number
  /** The connection is lost; the upload goes on by itself when it is back. */
  waiting: boolean
  error: string | null
  /** What the server has of it, to be gone on with. */
  begun: Begun | null
}

interface Uploads {
  items: Upload[]
  /** Queues files for a project, to be sent one after the other in this order. */
  add: (project: string, files: readonly File[]) => void
  /** Stops an upload and forgets it; one that failed is just forgotten. */
  cancel: (id: number) => void
  retry: (id: number) => void
  clearFailed: (project: string) => void
}

const running = new Map<number, AbortController>()
let lastID = 0

/** Uploads live outside of pages: they go on while the person looks at something else. */
export const useUploads = create<Uploads>()((set, get) => {
  const change = (id: number, update: Partial<Upload>) => set((s) => ({ items: s.items.map((u) => (u.id === id ? { ...u, ...update } : u)) }))
  const forget = (id: number) => set((s) => ({ items: s.items.filter((u) => u.id !== id) }))

  // One file at a time: clips keep the order in which they were chosen, and the first is ready soonest.
  const next = () => {
    if (running.size > 0) return
    const upload = get().items.find((u) => u.status === 'waiting')
    if (!upload) return
    const controller = new AbortController()
    running.set(upload.id, controller)
    change(upload.id, { status: 'sending', sent: 0, speed: 0, waiting: false, error: null })
    const watch = {
      onProgress: meter((sent, speed) => change(upload.id, { sent, speed })),
      onWaiting: (waiting: boolean) => change(upload.id, { waiting }),
      onBegun: (begun: Begun | null) => change(upload.id, { begun }),
    }
    uploadClip(upload.project, upload.file, controller.signal, watch, upload.begun)
      .then((clip) => {
        // The clip takes the upload's place in the same moment.
        queryClient.setQueryData(clipsQuery(upload.project).queryKey, (list) => list && [...list.filter((c) => c.uuid !== clip.uuid), clip])
        forget(upload.id)
      })
      .catch((error: unknown) => {
        if (!controller.signal.aborted) change(upload.id, { status: 'failed', error: messageOf(error) })
      })
      .finally(() => {
        running.delete(upload.id)
        next()
      })
  }

  return {
    items: [],
    add: (project, files) => {
      const added = files.map((file): Upload => ({ id: ++lastID, project, file, status: 'waiting', sent: 0, speed: 0, waiting: false, error: null, begun: null }))
      set((s) => ({ items: [...s.items, ...added] }))
      next()
    },
    cancel: (id) => {
      const active = running.get(id)
      active?.abort()
      // An upload at work takes back by itself what it began.
      if (!active) discard(get().items.filter((u) => u.id === id))
      forget(id)
    },
    retry: (id) => {
      change(id, { status: 'waiting', error: null })
      next()
    },
    clearFailed: (project) => {
      const failed = get().items.filter((u) => u.project === project && u.status === 'failed')
      discard(failed)
      failed.forEach((u) => forget(u.id))
    },
  }
})

// discard takes back what uploads began on the server; what is gone already is no error.
function discard(uploads: readonly Upload[]): void {
  for (const { begun } of uploads) if (begun) void deleteClip(begun.clip_uuid).catch(() => undefined)
}

// meter adds a speed, smoothed over some seconds, to a count of bytes.
function meter(report: (sent: number, speed: number) => void): (sent: number) => void {
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
