import { statSync } from 'node:fs'
import type { Page } from '@playwright/test'
import type { Asset } from '../src/api/assets'
import type { Api } from './support/test'
import { expect, expectToLookRight, file, test } from './support/test'

// Traces contain all that is sent, which takes longer than the upload.
test.use({ trace: 'off', consoleErrors: ['ERR_INTERNET_DISCONNECTED'] })

const large = file('large.mp4')

test.beforeEach(async ({ page, open }) => {
  await open('/library')
  await page.getByText('Drop images, videos and audio here').click() // a page without input does not warn when it is left
})

/** Returns the list of offsets at which the page sends parts of files. */
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

test('a large upload resumes where it lost its connection', async ({ page, api }) => {
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
  await open('/library')
  await expect(page.getByRole('gridcell')).toHaveCount(1)
  expect(warnings).toBe(1)
})
