import createClient from 'openapi-fetch'
import type { components, paths } from './schema'

export type Schemas = components['schemas']

/** Path under which the app is served, without a trailing slash: "" at the root of a host. */
export const basePath = new URL('.', document.baseURI).pathname.replace(/\/$/, '')

/** An answer of the server that says no, or no answer at all (status 0). Its message is a sentence that a person can act on. */
export class Problem extends Error {
  readonly status: number
  readonly code: string
  readonly fields: Record<string, string>
  /** Seconds to wait before another try; null where the server named none. */
  readonly retryAfter: number | null

  constructor(
    status: number,
    code: string,
    message: string,
    fields: Record<string, string> = {},
    retryAfter: number | null = null,
  ) {
    super(message)
    this.name = 'Problem'
    this.status = status
    this.code = code
    this.fields = fields
    this.retryAfter = retryAfter
  }
}

const unreachable =
  'Roughcut does not answer. Check that it is still running and that this device is connected, then try again. Nothing that was saved is lost.'

/** The sentence to show for anything that was thrown. */
export function messageOf(error: unknown): string {
  if (error instanceof Problem) return error.message
  return 'Something unexpected happened in this page. Reload it; what was saved is safe.'
}

/** Makes a Problem of an answer's status and body. */
export function problemOf(status: number, body: unknown, headers?: Headers): Problem {
  const b = (typeof body === 'object' && body !== null ? body : {}) as Partial<Schemas['Problem']>
  const fields: Record<string, string> = {}
  for (const e of b.errors ?? []) fields[e.field] ??= e.message
  const wait = Number(headers?.get('Retry-After'))
  const detail =
    b.detail ||
    b.title ||
    `The server answered with status ${status}. Try again; if it stays, look at the server's log.`
  return new Problem(status, b.code ?? 'unknown', detail, fields, wait > 0 ? wait : null)
}

let csrfToken = ''
let onSessionLost: () => void = () => {}

/** Keeps the token that unsafe requests must carry. */
export function setCSRFToken(token: string): void {
  csrfToken = token
}

/** Names what happens when the server says that there is no session any more. */
export function whenSessionIsLost(callback: () => void): void {
  onSessionLost = callback
}

export const api = createClient<paths>({ baseUrl: basePath, credentials: 'same-origin' })

api.use({
  onRequest({ request }) {
    if (request.method !== 'GET' && csrfToken) request.headers.set('X-CSRF-Token', csrfToken)
    return request
  },
  onResponse({ response, schemaPath }) {
    const signingIn = schemaPath.startsWith('/api/v1/auth/')
    if (response.status === 401 && !signingIn) onSessionLost()
  },
})

interface Answer<T> {
  data?: T
  error?: unknown
  response: Response
}

/** Waits for an answer of `api` and returns its data; throws a Problem for everything else. */
export async function answer<T>(request: Promise<Answer<T>>): Promise<T> {
  let got: Answer<T>
  try {
    got = await request
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw new Problem(0, 'unreachable', unreachable)
  }
  if (!got.response.ok) throw problemOf(got.response.status, got.error, got.response.headers)
  return got.data as T
}
