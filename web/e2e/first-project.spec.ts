import { statSync, writeFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import type { components } from '../src/api/schema'
import { dropFile } from './support/drop'
import { fromListMenu } from './support/editor'
import { tabTo } from './support/keys'
import { expect, expectToLookRight, file, test, type Api } from './support/test'

type Run = components['schemas']['RunSummary']

const recording = file('tiny.mp4')

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

/** Returns the newest analysis of the project that the page shows. */
async function newestRun(page: Page, api: Api) {
  const { items } = await api.ask<{ items: Run[] }>('GET', `${new URL(page.url()).pathname}/analysis-runs`)
  return items[0]
}

/** Makes uploads take about 100 s. Returns what ends that. */
async function slowDown(page: Page) {
  const network = await page.context().newCDPSession(page)
  const limit = (uploadThroughput: number) =>
    network.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput,
    })

  await limit(statSync(recording).size / 100)
  return () => limit(-1)
}

/** Returns the path of the head of a Windows Media file with a codec that Roughcut does not read. */
function windowsMedia9() {
  const path = test.info().outputPath('old.wmv')
  const video = Buffer.from('c0ef19bc4d5bcf11a8fd00805f5c442b', 'hex')
  writeFileSync(path, Buffer.concat([Buffer.from('3026b275', 'hex'), video, Buffer.alloc(65), Buffer.from('WMV3')]))
  return path
}

test('files that are not recordings make no project, and an image becomes an asset', async ({ page, open, api }) => {
  await open()
  await expect(button(page, 'New project').first()).toBeVisible()
  await dropFile(page, file('model.bin'), 'notes.bin', 'application/octet-stream')
  await expect(page.getByText('notes.bin was not added')).toBeVisible()
  await dropFile(page, windowsMedia9(), 'old.wmv')
  await expect(page.getByText('Its video is encoded as Windows Media Video 9, which Roughcut')).toBeVisible()
  await dropFile(page, file('logo.png'), 'train.png', 'image/png')
  await expect(page.getByText('train.png is in your library')).toBeVisible()
  const count = async (what: string) => (await api.ask<{ items: unknown[] }>('GET', `/${what}/`)).items.length
  await expect.poll(() => count('assets')).toBe(1)
  expect(await count('projects')).toBe(0)
})

test('the keyboard alone creates a project and adds a recording', async ({ page, open }) => {
  await open()
  await tabTo(page, button(page, 'New project').first())
  await page.keyboard.press('Enter')
  await expect(page.getByLabel('Name', { exact: true })).toBeFocused()
  await page.keyboard.type('Keys only')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/projects\/./)
  await expect(page.getByText('Drop your recording here')).toBeVisible()
  const chooser = page.waitForEvent('filechooser')
  await tabTo(page, button(page, 'Choose files'))
  await page.keyboard.press('Enter')
  await (await chooser).setFiles(recording)
  await expect(page.getByText('tiny.mp4').first()).toBeVisible()
})

test('an export that is requested during the upload is made after the analysis', async ({ page, open, api }) => {
  await open()
  await expect(button(page, 'New project').first()).toBeVisible()
  const speedUp = await slowDown(page)
  await dropFile(page, recording, 'second talk.mp4')
  await expect(page).toHaveTitle(/^Uploading/)
  const later = page.getByRole('switch', { name: 'Export when analyzed' })
  await later.click()
  await expect(later).toHaveAttribute('aria-checked', 'true')
  await expect
    .poll(() => newestRun(page, api))
    .toMatchObject({ waits_for_clips: true, export_when_done: { name: 'second talk cut' } })

  await expectToLookRight(page)
  await speedUp()
  await expect(button(page, 'Download').first()).toBeVisible({ timeout: 100_000 })
})

test('a notification is asked for by a click and shown to a person who looks elsewhere', async ({ page, open }) => {
  await page.addInitScript(() => {
    const made = { asked: 0, shown: [] as object[] }
    class Shown {
      static permission = 'default'
      static requestPermission() {
        made.asked++
        Shown.permission = 'granted'
        return Promise.resolve('granted')
      }

      constructor(title: string, { body }: NotificationOptions) {
        made.shown.push({ title, body })
      }
    }
    Object.assign(window, { Notification: Shown, made })
  })

  await open()
  await expect(button(page, 'New project').first()).toBeVisible()
  const speedUp = await slowDown(page)
  await dropFile(page, recording, 'third talk.mp4')
  await expect(button(page, 'Notify me')).toBeVisible()
  expect(await page.evaluate('made')).toEqual({ asked: 0, shown: [] })
  await button(page, 'Notify me').click()
  await expect(button(page, 'Notifications on')).toBeVisible()
  await page.evaluate(() => {
    document.hasFocus = () => false
  })

  await speedUp()
  const found: unknown = expect.stringMatching(/^\d+ cuts? found$/)
  await expect.poll(() => page.evaluate('made')).toEqual({ asked: 1, shown: [{ title: 'third talk', body: found }] })
})

/** What the page sends when it starts the next analysis. */
const analysis = (page: Page) =>
  page
    .waitForRequest((r) => r.method() === 'POST' && r.url().endsWith('/analyze'))
    .then((r) => r.postDataJSON() as Record<string, unknown>)

test('changed settings replace the settings of the queued analysis, for this recording and the next one', async ({
  page,
  open,
  api,
}) => {
  await open()
  await api.ask('POST', '/users/me/presets', {
    name: 'Weekly podcast',
    pacing_level: 80,
    language: 'en',
    cut_fillers: true,
  })

  const { uuid } = await api.ask<{ uuid: string }>('POST', '/projects/', { name: 'By hand' })
  await open(`/projects/${uuid}`)
  const speedUp = await slowDown(page)
  await page
    .getByRole('region', { name: 'Add your recording' })
    .getByLabel('Recordings to add')
    .setInputFiles(recording)

  const queued = page.getByRole('region', { name: 'Queued analysis' })
  await expect(queued.getByRole('switch', { name: 'Export when analyzed' })).toBeEnabled() // the server has the analysis
  await queued.getByRole('button', { name: 'Cancel' }).click()
  await expect(queued).toBeHidden() // the analysis is canceled before the upload ends
  await speedUp()
  const preset = page.getByLabel('Preset')
  await expect(preset).toHaveValue('standard')
  await expectToLookRight(page)
  await preset.selectOption({ label: 'Weekly podcast' })
  await expect(page.getByLabel('Language')).toHaveValue('en')
  await page.getByRole('switch', { name: 'Cut fillers' }).click()
  await expect(preset).toHaveValue('custom')
  await button(page, 'Find cuts').click()
  await expect(page.locator('[data-cut]').first()).toBeVisible()
  expect(await newestRun(page, api)).toMatchObject({ pacing_level: 80, language: 'en', cut_fillers: false })
  const again = analysis(page)
  await fromListMenu(page, 'Analyze again…')
  await page.getByRole('dialog', { name: 'Analyze again' }).getByRole('button', { name: 'Find cuts' }).click()
  expect(await again).toMatchObject({ language: 'en' })
  await open('/')
  const next = analysis(page)
  await dropFile(page, recording)
  expect(await next).toMatchObject({ pacing_level: 80, language: null, cut_fillers: false })
})

test('a dropped recording is analyzed with the default preset', async ({ page, open, api }) => {
  await open()
  await api.ask('POST', '/users/me/presets', { name: 'House style', pacing_level: 20, is_default: true })
  await page.reload()
  await expect(button(page, 'New project').first()).toBeVisible()
  const next = analysis(page)
  await dropFile(page, recording)
  expect(await next).toMatchObject({ pacing_level: 20 })
})

test('a recording that is ready before the first list of clips arrives is shown', async ({ page, open, api }) => {
  await open()
  let held = false
  await page.route(/\/clips$/, async (route) => {
    if (held) return route.fallback()
    held = true
    const path = new URL(route.request().url()).pathname.replace('/api/v1', '')
    const statuses = async () =>
      (await api.ask<{ items: { status: string }[] }>('GET', path)).items.map((c) => c.status)

    await expect.poll(statuses).toEqual(['ready'])
    const old = { items: [], total: 0, page: 1, page_size: 100 }
    await route.fulfill({ json: old }).catch(() => undefined) // the page has asked again
  })

  await dropFile(page, recording)
  await expect(button(page, 'Play')).toBeVisible()
  await page.unrouteAll({ behavior: 'wait' })
})
