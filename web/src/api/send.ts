import type { DetailedError } from 'tus-js-client'
import { errorsText } from '../text/errors'
import { Problem, problemOf } from './client'

/** Callbacks for the progress of a transfer. */
export interface SendObserver {
  /** Called with the number of bytes sent so far. */
  onProgress: (sent: number) => void
  /** Called with true while the transfer waits for the connection to come back. */
  onWaiting: (waiting: boolean) => void
}

/** Files above this size, in bytes, use the resumable tus protocol. */
export const RESUMABLE_ABOVE = 100_000_000

// Bytes per request of a resumable upload. The first size limits what a proxy has to buffer. The second is for proxies
// that accept at most 1 MiB per request.
const CHUNKS = [32 << 20, 512 << 10] as const
const RETRY_MS = [0, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 30_000, 60_000, 60_000]

/** Sends a file to its upload URL. Throws an AbortError when `signal` is aborted. */
export async function sendFile(
  url: string,
  file: File,
  contentType: string,
  signal: AbortSignal,
  observer: SendObserver,
): Promise<void> {
  if (file.size > RESUMABLE_ABOVE) return sendRest(url, file, signal, observer)
  try {
    await putFile(url, file, { 'Content-Type': contentType }, signal, observer.onProgress)
  } catch (error) {
    if (!refusedByProxy(error)) throw error
    await sendRest(url, file, signal, observer, CHUNKS[1])
  }
}

/** Sends the rest of a file that the server has in part. Retries when the connection comes back. */
export async function sendRest(
  url: string,
  file: File,
  signal: AbortSignal,
  observer: SendObserver,
  chunkSize: number = CHUNKS[0],
): Promise<void> {
  try {
    await sendChunks(url, file, signal, observer, chunkSize)
  } catch (error) {
    if (!refusedByProxy(error) || chunkSize === CHUNKS[1]) throw error
    await sendChunks(url, file, signal, observer, CHUNKS[1])
  }
}

// refusedByProxy reports whether a proxy rejected the request as too large. Roughcut's own errors have a code.
function refusedByProxy(error: unknown): boolean {
  return error instanceof Problem && error.status === 413 && error.code === 'unknown'
}

async function sendChunks(
  url: string,
  file: File,
  signal: AbortSignal,
  observer: SendObserver,
  chunkSize: number,
): Promise<void> {
  const { Upload } = await import('tus-js-client')
  signal.throwIfAborted()
  await new Promise<void>((resolve, reject) => {
    const upload = new Upload(file, {
      uploadUrl: url,
      chunkSize,
      retryDelays: RETRY_MS,
      storeFingerprintForResuming: false,
      onProgress: (sent) => {
        observer.onWaiting(false)
        observer.onProgress(sent)
      },
      onShouldRetry: (error) => {
        const retry = isTransient(statusOf(error))
        observer.onWaiting(retry)
        return retry
      },
      onSuccess: () => resolve(),
      onError: (error) => reject(problemOfTus(error)),
    })

    signal.addEventListener('abort', () => {
      void upload.abort()
      reject(abortError())
    })

    upload.start()
  })
}

const statusOf = (error: Error): number =>
  'originalResponse' in error ? ((error as DetailedError).originalResponse?.getStatus() ?? 0) : 0

// isTransient reports whether a retry may succeed: after a network failure, an offset conflict, a rate limit, or while
// the server or a proxy restarts.
function isTransient(status: number): boolean {
  return [0, 409, 423, 429, 500, 502, 503, 504].includes(status)
}

function problemOfTus(error: Error): Problem {
  const status = statusOf(error)
  if (status === 0) return interruptedError()
  return problemOf(status, parseJSON((error as DetailedError).originalResponse?.getBody() ?? ''))
}

const interruptedError = () => new Problem(0, 'upload_interrupted', errorsText.uploadInterrupted)
const abortError = () => new DOMException(errorsText.uploadCancelled, 'AbortError')

/** Sends a file in one request. It uses XMLHttpRequest because fetch does not report upload progress. */
export function putFile(
  url: string,
  file: File,
  headers: Record<string, string>,
  signal: AbortSignal,
  onProgress: (sent: number) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    const abort = () => request.abort()
    request.open('PUT', url)
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
    request.upload.onprogress = (event) => onProgress(event.loaded)
    request.onload = () => {
      if (request.status >= 200 && request.status < 300) resolve()
      else reject(problemOf(request.status, parseJSON(request.responseText)))
    }

    request.onerror = () => reject(interruptedError())
    request.onabort = () => reject(abortError())
    request.onloadend = () => signal.removeEventListener('abort', abort)
    signal.addEventListener('abort', abort)
    if (signal.aborted) abort()
    else request.send(file)
  })
}

function parseJSON(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
