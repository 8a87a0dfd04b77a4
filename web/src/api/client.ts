import createClient from 'openapi-fetch'
import { errorsText } from '../text/errors'
import { randomUUID } from './randomUUID'
import { IDEMPOTENCY_KEY, sendWithRetry } from './retry'
import type { components, paths } from './schema'

export type Schemas = components['schemas']

/** The path of the app, without a trailing slash: "" at the root of a host. */
export const basePath = new URL('.', document.baseURI).pathname.replace(/\/$/, '')

/** An error response of the server, or no response at all (status 0). The message tells the user what to do. */
export class Problem extends Error {
  readonly status: number
  readonly code: string
  readonly fields: Record<string, string>
  /** Seconds to wait before a retry; null if the server named none. */
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

/** The message to show for any thrown value. */
export function messageOf(error: unknown): string {
  if (error instanceof Problem) return error.message
  return errorsText.unexpected
}

/** Creates a Problem from the status and body of a response. */
export function problemOf(status: number, body: unknown, headers?: Headers): Problem {
  const b = (typeof body === 'object' && body !== null ? body : {}) as Partial<Schemas['Problem']>
  const fields: Record<string, string> = {}
  for (const e of b.errors ?? []) fields[e.field] ??= e.message
  const wait = Number(headers?.get('Retry-After'))
  const detail = b.detail || b.title || errorsText.status(status)
  return new Problem(status, b.code ?? 'unknown', detail, fields, wait > 0 ? wait : null)
}

let csrfToken = ''
let onSessionLost: () => void = () => {}

/** Sets the CSRF token for requests other than GET. */
export function setCSRFToken(token: string): void {
  csrfToken = token
}

/** The headers of a request other than GET that does not use `api`. */
export const unsafeHeaders = (): Record<string, string> => (csrfToken ? { 'X-CSRF-Token': csrfToken } : {})

/** Sets the callback for responses that say that the session has ended. */
export function whenSessionIsLost(callback: () => void): void {
  onSessionLost = callback
}

export const api = createClient<paths>({ baseUrl: basePath, credentials: 'same-origin', fetch: sendWithRetry })

api.use({
  onRequest({ request }) {
    if (request.method !== 'GET' && csrfToken) request.headers.set('X-CSRF-Token', csrfToken)
    if (request.method === 'POST') request.headers.set(IDEMPOTENCY_KEY, randomUUID())
    return request
  },
  onResponse({ response, schemaPath }) {
    const signingIn = schemaPath.startsWith('/api/v1/auth/')
    if (response.status === 401 && !signingIn) onSessionLost()
  },
})

interface ApiResponse<T> {
  data?: T
  error?: unknown
  response: Response
}

/** All items of a list with pages. `get` requests one of them. */
export async function allPages<T>(
  get: (query: { page: number; page_size: number }) => Promise<ApiResponse<{ items: T[]; total: number }>>,
): Promise<T[]> {
  const list: T[] = []
  for (let page = 1; ; page++) {
    const { items, total } = await dataOf(get({ page, page_size: 200 }))
    list.push(...items)
    if (items.length === 0 || list.length >= total) return list
  }
}

/** Waits for a response of `api` and returns its data. Throws a Problem for error responses and network failures. */
export async function dataOf<T>(request: Promise<ApiResponse<T>>): Promise<T> {
  let got: ApiResponse<T>
  try {
    got = await request
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw new Problem(0, 'unreachable', errorsText.unreachable)
  }

  if (!got.response.ok) throw problemOf(got.response.status, got.error, got.response.headers)
  return got.data as T
}
