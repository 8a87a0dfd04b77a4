import type { DetailedError } from 'tus-js-client'
import { Problem, problemOf } from './client'

/** What a sender tells while it is at work. */
export interface SendObserver {
  /** Bytes that have been sent. */
  onProgress: (sent: number) => void
  /** Whether the connection is lost and the rest waits for it to come back. */
  onWaiting: (waiting: boolean) => void
}

/** Files above this size, in bytes, are sent so that a lost connection costs little. */
export const RESUMABLE_ABOVE = 100_000_000

// Bytes in one request of a resumable upload: the first size keeps what a proxy has to buffer within bounds, the second passes
// proxies that take no more than a mebibyte.
const CHUNKS = [32 << 20, 512 << 10] as const
const RETRY_MS = [0, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 30_000, 60_000, 60_000]

/** Sends a file to its upload address. Ends with an AbortError when signal is aborted. */
export async function send(
  url: string,
  file: File,
  contentType: string,
  signal: AbortSignal,
  observer: SendObserver,
): Promise<void> {
  if (file.size > RESUMABLE_ABOVE) return resume(url, file, signal, observer)
  try {
    await put(url, file, contentType, signal, observer.onProgress)
  } catch (error) {
    if (!refusedByProxy(error)) throw error
    await resume(url, file, signal, observer, CHUNKS[1])
  }
}

/** Sends what the server does not have yet of a file, and goes on by itself when the connection comes back. */
export async function resume(
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

// refusedByProxy tells the "too large" of a proxy on the way, which is no problem of ours with a code.
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
        const worth = mayPass(statusOf(error))
        observer.onWaiting(worth)
        return worth
      },
      onSuccess: () => resolve(),
      onError: (error) => reject(problemOfTus(error)),
    })
    signal.addEventListener('abort', () => {
      void upload.abort()
      reject(aborted())
    })
    upload.start()
  })
}

const statusOf = (error: Error): number =>
  'originalResponse' in error ? ((error as DetailedError).originalResponse?.getStatus() ?? 0) : 0

// mayPass tells what another try may mend: no answer at all, an offset that is not the server's, a server or proxy that restarts.
function mayPass(status: number): boolean {
  return [0, 409, 423, 429, 500, 502, 503, 504].includes(status)
}

function problemOfTus(error: Error): Problem {
  const status = statusOf(error)
  if (status === 0) return interrupted()
  return problemOf(status, parse((error as DetailedError).originalResponse?.getBody() ?? ''))
}

const interrupted = () =>
  new Problem(0, 'upload_interrupted', 'The upload broke off. Check the connection to Roughcut and try again.')
const aborted = () => new DOMException('The upload was cancelled', 'AbortError')

// put sends a file with progress, which fetch cannot report.
function put(
  url: string,
  file: File,
  contentType: string,
  signal: AbortSignal,
  onProgress: (sent: number) => void,
): Promise<void> {
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
    request.onerror = () => reject(interrupted())
    request.onabort = () => reject(aborted())
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
