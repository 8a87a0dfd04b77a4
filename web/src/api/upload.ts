import { Problem } from './client'
import { RESUMABLE_ABOVE, sendFile, type SendObserver } from './send'

/** An upload that the server knows: the record that the file belongs to, and the URL to send the file to. */
export interface StartedUpload {
  uuid: string
  url: string
  content_type: string
}

/** Where an upload ends up: in a project as a clip, or in the library as an asset. */
export interface UploadTarget<T> {
  start: (file: File, signal: AbortSignal) => Promise<StartedUpload>
  /** Requests a new URL for a started upload. */
  renew: (uuid: string, signal: AbortSignal) => Promise<StartedUpload>
  confirm: (uuid: string, signal: AbortSignal) => Promise<T>
  discard: (uuid: string) => Promise<unknown>
}

/** Callbacks for the progress of an upload. */
export interface UploadObserver extends SendObserver {
  /** Called with the started upload, which a later call can resume, and with null once it is confirmed or discarded. */
  onStarted: (started: StartedUpload | null) => void
}

/**
 * Uploads one file and confirms it. When the connection fails during a large upload, the upload stays on the server,
 * and another call with the same `started` resumes it. Throws an AbortError when `signal` is aborted.
 */
export async function upload<T>(
  target: UploadTarget<T>,
  file: File,
  signal: AbortSignal,
  observer: UploadObserver,
  started: StartedUpload | null,
): Promise<T> {
  const current = (started && (await renewUpload(target, started, signal))) ?? (await target.start(file, signal))
  observer.onStarted(current)
  try {
    await sendAll(target, current, file, signal, observer)
    const confirmed = await target.confirm(current.uuid, signal)
    observer.onStarted(null)
    return confirmed
  } catch (error) {
    if (file.size > RESUMABLE_ABOVE && error instanceof Problem && (error.status === 0 || error.status >= 500))
      throw error
    // The server may have discarded the upload already, so errors do not matter here.
    await target.discard(current.uuid).catch(() => undefined)
    observer.onStarted(null)
    throw error
  }
}

// sendAll sends the file. When the URL of a large upload expires, sendAll continues with a new one.
async function sendAll<T>(
  target: UploadTarget<T>,
  started: StartedUpload,
  file: File,
  signal: AbortSignal,
  observer: SendObserver,
): Promise<void> {
  for (let current = started; ;) {
    try {
      return await sendFile(current.url, file, current.content_type, signal, observer)
    } catch (error) {
      const expired = error instanceof Problem && error.status === 401 && file.size > RESUMABLE_ABOVE
      const next = expired ? await renewUpload(target, started, signal) : null
      if (!next) throw error
      current = next
    }
  }
}

// renewUpload requests a new URL for a started upload. It returns null if the server no longer has the upload.
async function renewUpload<T>(
  target: UploadTarget<T>,
  started: StartedUpload,
  signal: AbortSignal,
): Promise<StartedUpload | null> {
  try {
    return await target.renew(started.uuid, signal)
  } catch (error) {
    if (error instanceof Problem && (error.status === 404 || error.status === 409)) return null
    throw error
  }
}
