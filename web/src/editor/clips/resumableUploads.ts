import type { StartedUpload } from '../../api/upload'

const KEY = 'roughcut.uploads'
const MOST = 20

/** Where a file was on its way to, and which file it was: enough to know it again after the page was closed. */
export interface UploadKey {
  place: string
  file: { name: string; size: number; lastModified: number }
}

interface Note {
  origin: string
  begun: StartedUpload
}

const nameOf = ({ place, file }: UploadKey) => [place, file.size, file.lastModified, file.name].join('/')

function read(storage: Storage): Note[] {
  try {
    const notes: unknown = JSON.parse(storage.getItem(KEY) ?? '[]')
    return Array.isArray(notes) ? (notes as Note[]) : []
  } catch {
    return [] // nothing that can be read: every upload begins anew
  }
}

/** What the server has of a file that was on its way before; null where that is not known. */
export function loadUpload(storage: Storage, origin: UploadKey): StartedUpload | null {
  return read(storage).find((n) => n.origin === nameOf(origin))?.begun ?? null
}

/** Notes what the server has of a file, or that there is nothing any more. */
export function storeUpload(storage: Storage, origin: UploadKey, begun: StartedUpload | null): void {
  const others = read(storage).filter((n) => n.origin !== nameOf(origin))
  const notes = begun ? [...others, { origin: nameOf(origin), begun }].slice(-MOST) : others
  try {
    storage.setItem(KEY, JSON.stringify(notes))
  } catch {
    // Storage is full or blocked: this upload cannot be gone on with once the page is closed.
  }
}
