import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import type { Server } from './support/server'
import { expect, expectToLookRight, file, test as base } from './support/test'

interface Mirror {
  url: string
  /** Whether the mirror lacks the model. */
  empty: boolean
  /** Ends the pause in the middle of the model. */
  release: () => void
}

interface Fixtures {
  /** A mirror of models that has the model of the tests as base.en. */
  mirror: Mirror
}

const test = base.extend<Fixtures>({
  // eslint-disable-next-line no-empty-pattern -- fixtures need the pattern
  mirror: async ({}, provide) => {
    const data = readFileSync(file('model.bin'))
    let release = () => {}
    const released = new Promise<void>((done) => (release = done))
    const mirror = { url: '', empty: false, release }
    const listener = createServer((request, response) => {
      if (mirror.empty) return void response.writeHead(404).end()
      const from = Number(/^bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0)
      response.writeHead(
        from ? 206 : 200,
        from ? { 'Content-Range': `bytes ${from}-${data.length - 1}/${data.length}` } : {},
      )

      const half = Math.max(from, data.length >> 1)
      response.write(data.subarray(from, half))
      void released.then(() => response.end(data.subarray(half)))
    })

    await new Promise<void>((done) => listener.listen(0, '127.0.0.1', done))
    mirror.url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`
    await provide(mirror)
    mirror.release()
    listener.closeAllConnections()
    listener.close()
  },

  settings: async ({ mirror }, provide) => {
    const data = readFileSync(file('model.bin'))
    const known = { Name: 'base.en', SizeBytes: data.length, SHA256: createHash('sha256').update(data).digest('hex') }
    await provide({ MODELS_URL: mirror.url, ROUGHCUT_TEST_MODELS: JSON.stringify([known]) })
  },
})

const FIELD = 'Speech model to add'

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const installed = (page: Page, name: string) =>
  page.getByRole('list', { name: 'Installed models' }).getByRole('listitem').filter({ hasText: name })

/** Installs the model of the tests under a name. */
function install(server: Server, name: string) {
  const folder = join(server.dir, 'models')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  copyFileSync(file('model.bin'), join(folder, `ggml-${name}.bin`))
}

interface Installed {
  name: string
  installed: boolean
  active: boolean
}

test('a file that is not a speech model is refused', async ({ page, open }) => {
  await open('/settings/models')
  await expect(page.getByText('No speech model is installed')).toBeVisible()
  const notes = { name: 'ggml-notes.bin', mimeType: 'application/octet-stream', buffer: Buffer.from('not a model') }
  await page.getByLabel(FIELD).setInputFiles(notes)
  await expect(page.getByRole('alert').getByText('is not a speech model')).toBeVisible()
  await expectToLookRight(page)
})

test('a speech model from a file is used', async ({ page, open, api }) => {
  await open('/settings/models')
  await expect(page.getByText('No speech model is installed')).toBeVisible()
  await page.getByLabel(FIELD).setInputFiles(file('model.bin'))
  await expect(page.getByRole('list', { name: 'Installed models' }).getByText('In use')).toBeVisible()
  const { items } = await api.ask<{ items: Installed[] }>('GET', '/models')
  expect(items.filter((m) => m.installed)).toMatchObject([{ active: true }])
  await expectToLookRight(page)
})

test('a project that is created during the download of a model gets its cuts after it', async ({
  page,
  open,
  api,
  mirror,
}) => {
  await open()
  await expect(page.getByText(/^Base, English: [\d.]+ MB/)).toBeVisible()
  await page.getByText('Other models').click()
  await expectToLookRight(page)
  await button(page, 'Download base.en').click()
  await expect(page.getByText('Downloading Base, English.')).toBeVisible()
  await expectToLookRight(page)
  await button(page, 'New project').click()
  await page.getByLabel('Name', { exact: true }).fill('Autumn gardens')
  await button(page, 'Create project').click()
  await expect(page.getByText('Drop your recording here')).toBeVisible()
  await page.getByLabel('Recordings to add').setInputFiles(file('talk.mp4'))
  await expect(button(page, 'Waiting for the speech model…')).toBeVisible()
  const uuid = new URL(page.url()).pathname.split('/').pop()
  mirror.release()
  await expect(page.locator('[data-cut]').first()).toBeVisible({ timeout: 60_000 })
  const { transcript } = await api.ask<{ transcript: { words: unknown[] } }>('GET', `/projects/${uuid}`)
  expect(transcript.words.length).toBeGreaterThan(5)
})

test('a download that fails says what to do, and can be repeated', async ({ page, open, api, mirror }) => {
  mirror.empty = true
  await open()
  await button(page, 'Download base.en').click()
  const failure = page.getByRole('alert')
  await expect(failure).toHaveText(
    /^The download of Base, English failed\. \S+ does not have this model: check the setting MODELS_URL, or download .+\.$/,
  )

  await expectToLookRight(page)
  mirror.empty = false
  mirror.release()
  await button(page, 'Download base.en').click()
  await expect(page.getByText('The speech model is installed.')).toBeVisible()
  await expect(failure).toHaveCount(0)
  const { items } = await api.ask<{ items: Installed[] }>('GET', '/models')
  expect(items.filter((m) => m.active).map((m) => m.name)).toEqual(['base.en'])
})

test('a chosen model stays in use until the largest one is asked for', async ({ page, open, server }) => {
  install(server, 'base.en')
  install(server, 'ours')
  await open('/settings/models')
  await expect(installed(page, 'base.en').getByText('In use')).toBeVisible()
  await button(page, 'Use ours').click()
  await expect(installed(page, 'ours').getByText('In use')).toBeVisible()
  await page.reload()
  await expect(page.getByText('the model that you chose')).toBeVisible()
  await expect(installed(page, 'ours').getByText('In use')).toBeVisible()
  await button(page, 'Use largest').click()
  await expect(installed(page, 'base.en').getByText('In use')).toBeVisible()
})

test('the model in use is deleted after its name was typed', async ({ page, open, server }) => {
  install(server, 'base.en')
  await open('/settings/models')
  await button(page, 'Delete base.en').click()
  const confirm = page.getByRole('alertdialog')
  await expect(confirm.getByText('find only silences')).toBeVisible()
  await expect(confirm.getByRole('button', { name: 'Delete' })).toBeDisabled()
  await confirm.getByRole('textbox').fill('base.en')
  await confirm.getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByText('No speech model is installed')).toBeVisible()
})
