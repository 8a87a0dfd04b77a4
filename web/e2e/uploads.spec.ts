import { randomBytes } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { createServer, request, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import type { Asset } from '../src/api/assets'
import type { Api } from './support/test'
import { expect, expectToLookRight, file, test } from './support/test'

// Traces and held requests copy all that is sent, which takes longer than the upload.
test.use({ trace: 'off', mayHold: false, consoleErrors: ['ERR_INTERNET_DISCONNECTED', '/upload/'] })

const large = file('large.mp4')

test.beforeEach(async ({ page, open }) => {
  await open('/library')
  await page.getByText('Drop images, videos and audio here').click() // a page without input does not warn when it is left
})

/** Returns the list of the offsets of the file parts that the page sends. */
function offsetsOf(page: Page): number[] {
  const offsets: number[] = []
  page.on('request', (r) => {
    if (r.method() === 'PATCH' && r.url().includes('/upload/')) offsets.push(Number(r.headers()['upload-offset']))
  })

  return offsets
}

/** Begins an upload and slows it down as soon as the server has its first part. Returns what changes the connection. */
async function beginUpload(page: Page) {
  const network = await page.context().newCDPSession(page)
  const connect = (offline: boolean, uploadThroughput: number) =>
    network.send('Network.emulateNetworkConditions', { offline, latency: 0, downloadThroughput: -1, uploadThroughput })

  await connect(false, 15_000_000)
  const second = page.waitForRequest((r) => r.method() === 'PATCH' && Number(r.headers()['upload-offset']) > 0)
  await page.getByLabel('Files to add').first().setInputFiles(large)
  await second
  await connect(false, 500_000)
  return connect
}

async function arrives(page: Page, api: Api) {
  await expect(page.locator('[data-status=uploaded][aria-label="large.mp4"]')).toBeVisible({ timeout: 60_000 })
  const { items } = await api.ask<{ items: Asset[] }>('GET', '/assets/')
  expect(items.map((a) => a.size_bytes)).toEqual([statSync(large).size])
}

test('an upload in progress looks right', async ({ page }) => {
  await beginUpload(page)
  await expect(page.getByRole('progressbar', { name: 'Uploading large.mp4' })).toBeVisible()
  await expectToLookRight(page)
})

test('a large upload resumes after a lost connection', async ({ page, api }) => {
  const offsets = offsetsOf(page)
  const connect = await beginUpload(page)
  const lost = offsets.length
  await connect(true, 0)
  await expect(page.locator('[data-upload=reconnecting]')).toBeVisible()
  await connect(false, -1)
  await arrives(page, api)
  expect(offsets.length).toBeGreaterThan(lost)
  expect(Math.min(...offsets.slice(lost))).toBeGreaterThan(0)
})

test('leaving during an upload warns, and the same file resumes it', async ({ page, open, api }) => {
  let warnings = 0
  page.on('dialog', (dialog) => {
    if (dialog.type() === 'beforeunload') warnings++
    void dialog.accept()
  })

  const offsets = offsetsOf(page)
  const connect = await beginUpload(page)
  await page.reload()
  expect(warnings).toBe(1)
  await connect(false, -1)
  const left = offsets.length
  await expect(page.getByText('Drop images, videos and audio here')).toBeVisible()
  await page.getByLabel('Files to add').first().setInputFiles(large)
  await arrives(page, api)
  expect(offsets[left]).toBeGreaterThan(0)
  await expect(page.locator('[data-upload]')).toHaveCount(0) // the page knows that the upload has arrived
  await open('/library')
  await expect(page.getByRole('gridcell')).toHaveCount(1)
  expect(warnings).toBe(1)
})

/**
 * Starts a proxy in front of a server that accepts bodies of at most 1 MiB, as nginx does. It calls `before` before it
 * passes on a request, and drops the connection if that returns false.
 */
async function startProxy(target: string, before: (request: IncomingMessage) => Promise<boolean>) {
  const proxy = createServer((from, to) => {
    if (Number(from.headers['content-length']) > 1 << 20) {
      from.resume().on('end', () => to.writeHead(413).end('<h1>413 Request Entity Too Large</h1>'))
      return
    }

    void before(from).then((pass) => {
      if (!pass) return from.destroy()
      const onward = request(target + from.url, { method: from.method, headers: from.headers }, (response) => {
        response.pipe(to.writeHead(response.statusCode ?? 0, response.headers))
      })

      onward.on('error', () => from.destroy())
      return from.pipe(onward)
    })
  })

  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done))
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, stop: () => proxy.closeAllConnections() }
}

/** A video with 4 MB of noise after its end. */
function noisy() {
  const noise = randomBytes(4_000_000)
  noise.writeUInt32BE(noise.length)
  noise.write('free', 4)
  return { name: 'noisy.mp4', mimeType: 'video/mp4', buffer: Buffer.concat([readFileSync(file('tiny.mp4')), noise]) }
}

for (const [name, kill] of [
  ['an upload passes a proxy that accepts 1 MiB at once', false],
  ['an upload resumes after the server was killed', true],
] as const)
  test(name, async ({ page, server, api }) => {
    let parts = 0
    const proxy = await startProxy(server.url, async (request) => {
      if (request.method !== 'PATCH' || ++parts !== 4 || !kill) return true
      await server.restart()
      return false
    })

    const video = noisy()
    await page.goto(`${proxy.url}/library`)
    await expect(page.getByText('Drop images, videos and audio here')).toBeVisible()
    await page.getByLabel('Files to add').first().setInputFiles(video)
    await expect(page.locator('[data-status=uploaded][aria-label="noisy.mp4"]')).toBeVisible()
    const { items } = await api.ask<{ items: Asset[] }>('GET', '/assets/')
    const stored = readFileSync(join(server.dir, 'media', 'assets', items[0]?.asset_file_id ?? '', 'original-1'))
    expect(stored.equals(video.buffer)).toBe(true)
    expect(parts).toBeLessThan(4_500_000 / (512 << 10) + (kill ? 2 : 1))
    proxy.stop()
  })
