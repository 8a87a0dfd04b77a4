import type { components } from './schema'

/** How often a request is sent again while the server is busy. A turn comes within 20 seconds a try. */
const BUSY_TRIES = 15

/** The pauses before a request with an Idempotency-Key is sent again after its response was lost, in milliseconds. */
const LOST_PAUSES = [500, 2_000]

/** The header that makes a POST safe to send again. */
export const IDEMPOTENCY_KEY = 'Idempotency-Key'

/**
 * Sends a request. Sends it again while the server is busy with other requests of the user, and with an Idempotency-Key also
 * when its response was lost.
 */
export async function sendWithRetry(request: Request): Promise<Response> {
  // A clone would send its body as a stream, which tools of the browser do not show. A request that may outlive the page
  // cannot wait for its body; none of those is costly.
  const body = request.method === 'GET' || request.keepalive ? null : await request.arrayBuffer()
  const pauses = body && request.headers.has(IDEMPOTENCY_KEY) ? [...LOST_PAUSES] : []
  for (let left = BUSY_TRIES; ; left--) {
    let response: Response
    try {
      response = await fetch(body ? new Request(request, { body }) : request)
    } catch (error) {
      const wait = request.signal.aborted ? undefined : pauses.shift()
      if (wait === undefined) throw error
      await pause(wait, request.signal)
      continue
    }

    const wait = isLost(response) ? pauses.shift() : left > 0 ? await turnOf(response) : undefined
    if (wait === undefined) return response
    await pause(wait, request.signal)
  }
}

// isLost reports whether a proxy answers because it got no response from the server.
const isLost = ({ status }: Response) => status === 502 || status === 504

// turnOf returns when a request has its turn, in milliseconds from now; undefined if the response is final.
async function turnOf(response: Response): Promise<number | undefined> {
  if (response.status !== 429 && response.status !== 409) return undefined
  const { code } = (await response.clone().json()) as Partial<components['schemas']['Problem']>
  if (code !== 'busy' && code !== 'request_in_progress') return undefined
  return Number(response.headers.get('Retry-After')) * 1000
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
