import { Problem } from './client'
import { RESUMABLE_ABOVE, send, type Watch } from './send'

/** An upload that was begun on the server: the record that its file is for, and the address that the file goes to. */
export interface Begun {
  uuid: string
  url: string
  content_type: string
}

/** Where files are uploaded to: a project, which makes clips of them, or the library. */
export interface Place<T> {
  begin: (file: File, signal: AbortSignal) => Promise<Begun>
  /** Asks for a new address of what was begun. */
  renew: (uuid: string, signal: AbortSignal) => Promise<Begun>
  confirm: (uuid: string, signal: AbortSignal) => Promise<T>
  discard: (uuid: string) => Promise<unknown>
}

/** What an upload tells while it is at work. */
export interface UploadWatch extends Watch {
  /** What was begun on the server and can be gone on with; null once it is confirmed or taken back. */
  onBegun: (begun: Begun | null) => void
}

/**
 * Uploads one file and confirms it. A large one whose connection stays lost is left as it is, to be gone on with by another call that
 * is given what was begun. Ends with an AbortError when signal is aborted.
 */
export async function upload<T>(
  place: Place<T>,
  file: File,
  signal: AbortSignal,
  watch: UploadWatch,
  begun: Begun | null,
): Promise<T> {
  const target = (begun && (await renew(place, begun, signal))) ?? (await place.begin(file, signal))
  watch.onBegun(target)
  try {
    await sendAll(place, target, file, signal, watch)
    const confirmed = await place.confirm(target.uuid, signal)
    watch.onBegun(null)
    return confirmed
  } catch (error) {
    if (file.size > RESUMABLE_ABOVE && error instanceof Problem && (error.status === 0 || error.status >= 500))
      throw error
    // What was begun on the server is taken back; that it is gone already is no error.
    await place.discard(target.uuid).catch(() => undefined)
    watch.onBegun(null)
    throw error
  }
}

// sendAll sends a file, under a new address where the first expires on the way.
async function sendAll<T>(
  place: Place<T>,
  target: Begun,
  file: File,
  signal: AbortSignal,
  watch: Watch,
): Promise<void> {
  for (let address = target; ;) {
    try {
      return await send(address.url, file, address.content_type, signal, watch)
    } catch (error) {
      const expired = error instanceof Problem && error.status === 401 && file.size > RESUMABLE_ABOVE
      const next = expired ? await renew(place, target, signal) : null
      if (!next) throw error
      address = next
    }
  }
}

// renew asks for a new address of what was begun; null where the server has collected it.
async function renew<T>(place: Place<T>, begun: Begun, signal: AbortSignal): Promise<Begun | null> {
  try {
    return await place.renew(begun.uuid, signal)
  } catch (error) {
    if (error instanceof Problem && (error.status === 404 || error.status === 409)) return null
    throw error
  }
}
