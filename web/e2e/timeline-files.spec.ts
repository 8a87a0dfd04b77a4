import { readFile } from 'node:fs/promises'
import type { Locator, Page } from '@playwright/test'
import { expect, expectToLookRight, Project, test as base } from './support/editor'

interface Files {
  phone: Project
  /** Opens the project Phone and the dialog for other editors. */
  openTimelines: () => Promise<void>
}

const test = base.extend<Files>({
  phone: async ({ api, server }, provide) => {
    await provide(new Project(api, server.facts['Phone'] ?? ''))
  },

  openTimelines: async ({ page, open, phone }, provide) => {
    await open()
    await provide(async () => {
      await open(phone.path)
      await expect(page.getByRole('button', { name: 'Play', exact: true })).toBeEnabled()
      await page.getByRole('button', { name: 'Kinds of exports' }).click()
      await page.getByRole('menuitem', { name: 'Timeline & text…' }).click()
    })
  },
})

test.use({ seed: 'shapes' })

const row = (page: Page) => page.getByRole('dialog').locator('[data-format=otio]')
const folder = (page: Page) => page.getByRole('dialog').getByLabel('Media folder')

async function download(page: Page, button: Locator) {
  const [file] = await Promise.all([page.waitForEvent('download'), button.click()])
  return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') }
}

const downloadOTIO = (page: Page) =>
  download(page, row(page).getByRole('button', { name: 'Download OpenTimelineIO', exact: true }))

interface Timeline {
  tracks: { children: { children: { source_range: { duration: { value: number } } }[] }[] }
}

/** Opens a timeline from another editor. */
const openTimeline = (page: Page, text: string) =>
  page
    .getByRole('dialog')
    .getByLabel('Changed timeline')
    .setInputFiles({ name: 'Phone.otio', mimeType: 'application/json', buffer: Buffer.from(text) })

test('a timeline for another editor has the media folder, which the page remembers', async ({
  page,
  openTimelines,
}) => {
  await openTimelines()
  await folder(page).fill('/footage/Ada #1')
  await expectToLookRight(page)
  const { name, text } = await downloadOTIO(page)
  expect(name).toBe('Phone.otio')
  expect(text).toContain('file:///footage/Ada%20%231/')
  const bundle = await download(page, row(page).getByRole('button', { name: /with media/ }))
  expect(bundle.name).toBe('Phone.otioz')
  expect(bundle.text).toMatch(/^PK/)
  await openTimelines()
  await expect(folder(page)).toHaveValue('/footage/Ada #1')
})

test('a changed timeline is compared and applied, and one step undoes it', async ({ page, openTimelines, phone }) => {
  await openTimelines()
  const { text } = await downloadOTIO(page)
  const difference = page.getByTestId('timeline-difference')
  await openTimeline(page, text)
  await expect(difference).toHaveAttribute('data-changes', '0')
  const timeline = JSON.parse(text) as Timeline
  for (const { children } of timeline.tracks.children) if (children[0]) children[0].source_range.duration.value -= 15
  await openTimeline(page, JSON.stringify(timeline))
  await expect(difference).toHaveAttribute('data-changes', '1')
  await expectToLookRight(page)
  const start = async () => (await phone.edits())[0]?.start_ms
  expect(await start()).toBe(1500)
  await difference.getByRole('button', { name: 'Apply 1 change' }).click()
  await expect.poll(start).toBe(1000)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await page.keyboard.press('Control+z')
  await expect.poll(start).toBe(1500)
})

test.describe('refused files', () => {
  test.use({ consoleErrors: ['/timelines/otio/compare'] })

  test('a file that is not a timeline is refused', async ({ page, openTimelines }) => {
    await openTimelines()
    await openTimeline(page, '{}')
    await expect(page.getByRole('dialog').getByRole('alert')).toBeVisible()
  })
})
