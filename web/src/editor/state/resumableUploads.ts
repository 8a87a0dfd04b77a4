import type { KeptValues } from '../../api/storage'
import type { StartedUpload } from '../../api/upload'

const KEY = 'roughcut.uploads'
/** Largest number of stored uploads; older ones are dropped. */
const MAX_STORED = 20

/** The destination and the identity of a file, which recognize an upload after the page was closed. */
export interface UploadKey {
  destination: string
  file: { name: string; size: number; lastModified: number }
}

interface StoredUpload {
  origin: string
  begun: StartedUpload
}

const keyOf = ({ destination: place, file }: UploadKey) => [place, file.size, file.lastModified, file.name].join('/')

function storedUploads(storage: KeptValues): StoredUpload[] {
  try {
    const stored: unknown = JSON.parse(storage.getItem(KEY) ?? '[]')
    return Array.isArray(stored) ? (stored as StoredUpload[]) : []
  } catch {
    return [] // unreadable: uploads start from the beginning
  }
}

/** The started upload of a file on the server; null if none is stored. */
export function loadUpload(storage: KeptValues, origin: UploadKey): StartedUpload | null {
  return storedUploads(storage).find((u) => u.origin === keyOf(origin))?.begun ?? null
}

/** Stores the started upload of a file; null removes it. */
export function storeUpload(storage: KeptValues, origin: UploadKey, begun: StartedUpload | null): void {
  const others = storedUploads(storage).filter((u) => u.origin !== keyOf(origin))
  const stored = begun ? [...others, { origin: keyOf(origin), begun }].slice(-MAX_STORED) : others
  storage.setItem(KEY, JSON.stringify(stored))
}
