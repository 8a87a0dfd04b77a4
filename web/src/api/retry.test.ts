import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { sendWithRetry } from './retry'

const problem = (code: string) =>
  new Response(JSON.stringify({ code }), { status: 429, headers: { 'Retry-After': '5' } })

const request = (signal?: AbortSignal) =>
  new Request('http://localhost/still', { method: 'POST', body: 'at 0', signal })

describe('a request', () => {
  const server = vi.fn<(request: Request) => Promise<Response>>()
  beforeEach(() => {
    vi.useFakeTimers()
    server.mockReset()
    vi.stubGlobal('fetch', server)
  })

  afterEach(() => {
    vi.useRealTimers()
    vi.unstubAllGlobals()
  })

  it('comes again when the server has asked for patience', async () => {
    const bodies: string[] = []
    server.mockImplementation(async (sent) => {
      bodies.push(await sent.text())
      return bodies.length < 3 ? problem('busy') : new Response('done')
    })

    const response = sendWithRetry(request())
    await vi.advanceTimersByTimeAsync(4_999)
    expect(bodies).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(5_001)
    expect(await (await response).text()).toBe('done')
    expect(bodies).toEqual(['at 0', 'at 0', 'at 0'])
  })

  it('is not repeated at another limit', async () => {
    server.mockResolvedValue(problem('rate_limited'))
    expect((await sendWithRetry(request())).status).toBe(429)
    expect(server).toHaveBeenCalledTimes(1)
  })

  it('gives up in the end', async () => {
    server.mockImplementation(() => Promise.resolve(problem('busy')))
    const response = sendWithRetry(request())
    await vi.runAllTimersAsync()
    expect((await response).status).toBe(429)
  })

  it('comes again with its key when its response was lost', async () => {
    const bodies: string[] = []
    server.mockImplementation(async (sent) => {
      bodies.push(`${sent.headers.get('Idempotency-Key')} ${await sent.text()}`)
      if (bodies.length === 1) throw new TypeError('Failed to fetch')
      return bodies.length === 2 ? new Response('', { status: 502 }) : new Response('done')
    })

    const sent = request()
    sent.headers.set('Idempotency-Key', 'one')
    const response = sendWithRetry(sent)
    await vi.runAllTimersAsync()
    expect(await (await response).text()).toBe('done')
    expect(bodies).toEqual(['one at 0', 'one at 0', 'one at 0'])
  })

  it('waits for its first copy', async () => {
    const running = () =>
      new Response('{"code":"request_in_progress"}', { status: 409, headers: { 'Retry-After': '1' } })

    server.mockResolvedValueOnce(running()).mockResolvedValueOnce(running()).mockResolvedValueOnce(new Response('done'))
    const response = sendWithRetry(request())
    await vi.advanceTimersByTimeAsync(2_000)
    expect(await (await response).text()).toBe('done')
  })

  it('fails without a key when its response was lost', async () => {
    server.mockRejectedValue(new TypeError('Failed to fetch'))
    await expect(sendWithRetry(request())).rejects.toThrow('Failed to fetch')
    expect(server).toHaveBeenCalledTimes(1)
  })

  it('ends while it waits when the page does not need it any more', async () => {
    server.mockImplementation(() => Promise.resolve(problem('busy')))
    const left = new AbortController()
    const rejected = expect(sendWithRetry(request(left.signal))).rejects.toThrow('abort')
    await vi.advanceTimersByTimeAsync(1)
    left.abort()
    await rejected
    expect(server).toHaveBeenCalledTimes(1)
  })
})
