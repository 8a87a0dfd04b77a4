import type { Page } from '@playwright/test'
import type { Clip } from '../src/api/clips'
import { expect, expectToLookRight, test } from './support/editor'

// A recording of over three minutes is ready before its thumbnails, which failed.
test.use({ seed: 'untiled' })

const failed = (page: Page) => page.locator('[data-thumbnails="failed"]')

test('a clip whose thumbnails failed says why, and gets them at the next try', async ({ page, open, project }) => {
  await open(project.path)
  await page.getByRole('tab', { name: 'Clips' }).click()
  const [clip] = await project.clips()
  expect(clip?.sprite_error).toBeTruthy()
  await expect(failed(page)).toContainText(clip?.sprite_error ?? '')
  await expect(page.locator('[data-thumbnail]')).toHaveCount(0)
  await expectToLookRight(page)
  await failed(page).getByRole('button', { name: 'Try again' }).click()
  await expect(page.locator('[data-thumbnail]').first()).toBeVisible()
  await expect(failed(page)).toHaveCount(0)
})

/** Returns whether the page shows an image of a recording. */
const painted = (page: Page) =>
  page.evaluate(() => [...document.images].some((image) => image.src.includes('/media/') && image.naturalWidth > 0))

test('a thumbnail that arrives late appears on the projects page', async ({ page, open, api, project }) => {
  await page.clock.install()
  // The sheet is made in no time, so the page learns of it later.
  await page.route('**/clips', async (route) => {
    const response = await route.fetch()
    const { items } = (await response.json()) as { items: Clip[] }
    const json = { items: items.map((clip) => ({ ...clip, sprite_key: null, sprite_pending: true })) }
    await route.fulfill({ response, json })
  })

  const asked = page.waitForResponse('**/clips')
  await open()
  await asked
  await expect(page.getByText('3:20')).toBeVisible()
  const [clip] = await project.clips()
  await api.ask('POST', `/clips/${clip?.uuid}/sprite`)
  await expect.poll(async () => (await project.clips())[0]?.sprite_key).toBeTruthy()
  expect(await painted(page)).toBe(false)
  await page.unroute('**/clips')
  await page.clock.fastForward(5_000)
  await expect.poll(() => painted(page)).toBe(true)
})
