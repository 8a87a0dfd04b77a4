import type { components } from './schema'

/** How often a request is sent again while the server is busy. A turn comes within 20 seconds a try. */
const BUSY_TRIES = 15

/** Sends a request, and sends it again while the server is busy with other requests of the user. */
export async function sendWithRetry(request: Request): Promise<Response> {
  // A clone would send its body as a stream, which tools of the browser do not show. A request that may outlive the page
  // cannot wait for its body; none of those is costly.
  const body = request.method === 'GET' || request.keepalive ? null : await request.arrayBuffer()
  for (let left = BUSY_TRIES; ; left--) {
    const response = await fetch(body ? new Request(request, { body }) : request)
    if (left === 0 || !(await isBusy(response))) return response
    await pause(Number(response.headers.get('Retry-After')) * 1000, request.signal)
  }
}

async function isBusy(response: Response): Promise<boolean> {
  if (response.status !== 429) return false
  const body = (await response.clone().json()) as Partial<components['schemas']['Problem']>
  return body.code === 'busy'
}

// pause waits, or fails with the reason of a signal.
const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((done, fail) => {
    const leave = () => {
      clearTimeout(timer)
      fail(signal.reason as Error)
    }

    const timer = setTimeout(() => {
      signal.removeEventListener('abort', leave)
      done()
    }, ms)

    signal.addEventListener('abort', leave)
  })
