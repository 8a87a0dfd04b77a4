import { createReadStream } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from '@playwright/test'
import type { Asset } from '../src/api/assets'
import type { Api } from './support/test'
import { expect, expectToLookRight, file, test } from './support/test'

const cell = (page: Page, name: string) => page.getByRole('gridcell', { name, exact: true })
const ready = (page: Page, name: string) => page.locator(`[data-status=uploaded][aria-label="${name}"]`)
const toast = (page: Page, text: string) => page.locator('[data-sonner-toast]').filter({ hasText: text }).first()
const assets = async (api: Api) => (await api.ask<{ items: Asset[] }>('GET', '/assets/?page_size=200')).items

test('the empty library looks right', async ({ page, open }) => {
  await open('/library')
  await expect(page.getByText('Drop images, videos and audio here')).toBeVisible()
  await expectToLookRight(page)
})

test('the library takes an image, a video and a sound at once', async ({ page, open }) => {
  await open('/library')
  await expect(page.getByText('Drop images, videos and audio here')).toBeVisible()
  await page.getByLabel('Files to add').first().setInputFiles(['tiny.mp4', 'logo.png', 'bell.wav'].map(file))
  for (const name of ['tiny.mp4', 'logo.png', 'bell.wav']) await expect(ready(page, name)).toBeVisible()
})

async function openFilled({ page, open }: { page: Page; open: (path: string) => Promise<void> }) {
  await open('/library')
  await expect(page.getByRole('gridcell')).toHaveCount(5)
  await expect(ready(page, 'city.mp4')).toBeVisible()
}

test.describe('with assets', () => {
  test.use({ seed: 'library' })
  test.beforeEach(openFilled)

  test('the library looks right while a video moves under the pointer', async ({ page }) => {
    await cell(page, 'city.mp4').hover()
    await expect(page.locator('video[data-moving=true]')).toBeVisible()
    await expectToLookRight(page)
  })

  test('a new group is empty and takes assets by default', async ({ page, api }) => {
    await page.getByRole('button', { name: 'New group' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Logos')
    await page.getByLabel('Description').fill('Marks of the house')
    await page.getByLabel('How to use them').fill('Only in the first seconds')
    await page.getByRole('switch', { name: 'New assets join this group' }).click()
    await expectToLookRight(page)
    await page.getByRole('button', { name: 'Create group' }).click()
    await expect(page.getByText('This group is empty')).toBeVisible()
    await expect
      .poll(async () => (await api.ask<{ items: unknown[] }>('GET', '/asset-groups/')).items)
      .toMatchObject([{ name: 'Logos', asset_count: 0, is_default: true }])
  })

  test('an asset that is dragged to a group joins it', async ({ page, api }) => {
    await api.ask('POST', '/asset-groups/', { name: 'Logos', default_instructions: 'Only in the first seconds' })
    await page.reload()
    const group = page.getByRole('link', { name: /Logos/ })
    await cell(page, 'window.png').dragTo(group)
    await expect(toast(page, 'to “Logos”')).toBeVisible()
    await group.click()
    await expect(page.getByText('Only in the first seconds')).toBeVisible()
    await expect(page.getByRole('gridcell')).toHaveCount(1)
    await expect(cell(page, 'window.png')).toBeVisible()
    await expectToLookRight(page)
    await page.getByRole('link', { name: /All assets/ }).click()
    await expect(page.getByRole('gridcell')).toHaveCount(5)
  })

  test('the kind filter shows only assets of that kind', async ({ page }) => {
    await page.getByRole('button', { name: 'Images' }).click()
    await expect(page.getByRole('gridcell')).toHaveCount(3)
    await page.getByRole('button', { name: 'All', exact: true }).click()
    await expect(page.getByRole('gridcell')).toHaveCount(5)
  })
})

test.describe('by keyboard', () => {
  test.use({ seed: 'library' })
  test.beforeEach(openFilled)

  test('keys move the focus and page through the preview', async ({ page }) => {
    await page.locator('[role=gridcell][tabindex="0"]').focus()
    await page.keyboard.press('Home')
    await page.keyboard.press('ArrowRight')
    await expect(page.locator('[data-index="1"]')).toBeFocused()
    await page.keyboard.press(' ')
    const name = page.getByRole('dialog').getByLabel('Name', { exact: true })
    await expect(name).toHaveValue((await page.locator('[data-index="1"]').getAttribute('aria-label')) ?? '')
    await expect(page.locator('[data-media]')).toBeVisible()
    await page.keyboard.press('ArrowRight')
    await expect(name).toHaveValue((await page.locator('[data-index="2"]').getAttribute('aria-label')) ?? '')
    await expectToLookRight(page)
    await page.keyboard.press(' ')
    await expect(page.getByRole('dialog')).toHaveCount(0)
  })

  test('Shift and an arrow select a range, and Escape ends the selection', async ({ page }) => {
    await page.locator('[data-index="0"]').focus()
    await page.keyboard.press('Shift+ArrowRight')
    await expect(page.getByText('2 selected')).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(page.getByText('2 selected')).toHaveCount(0)
  })

  test('Delete asks before it deletes all selected assets', async ({ page, api }) => {
    await page.locator('[data-index="0"]').focus()
    await page.keyboard.press('Control+a')
    await expect(page.getByText('5 selected')).toBeVisible()
    await expectToLookRight(page)
    await page.keyboard.press('Delete')
    await expect(page.getByRole('alertdialog', { name: 'Delete 5 assets?' })).toBeVisible()
    await expectToLookRight(page)
    await page.keyboard.press('Escape')
    await expect(page.getByRole('alertdialog')).toHaveCount(0)
    expect(await assets(api)).toHaveLength(5)
  })

  test('a tag can be added to all selected assets', async ({ page, api }) => {
    await page.locator('[data-index="0"]').focus()
    await page.keyboard.press('Control+a')
    await page.getByRole('button', { name: 'Tag', exact: true }).first().click()
    await page.getByLabel('Add to all').fill('garden')
    await page.keyboard.press('Enter')
    await expectToLookRight(page)
    await page.getByRole('button', { name: 'Change tags' }).click()
    await expect(toast(page, 'Changed the tags')).toBeVisible()
    await expect
      .poll(async () => (await assets(api)).map((a) => a.tags))
      .toEqual(Array.from({ length: 5 }, () => ['garden']))
  })

  test('the slash key searches, and a search without matches can be left', async ({ page }) => {
    await page.keyboard.press('/')
    await page.keyboard.type('nothing has this name')
    await expect(page.getByText('No assets match')).toBeVisible()
    await page.getByRole('button', { name: 'Show all' }).click()
    await expect(page.getByRole('gridcell')).toHaveCount(5)
  })

  // The card must go first; else it could request a file that no longer exists.
  test('a deleted asset leaves the page before the server deletes it', async ({ page, api, server }) => {
    const uuid = server.facts['city']
    const card = page.locator(`[data-asset="${uuid}"]`)
    await page.route(`**/api/v1/assets/${uuid}`, async (route) => {
      if (route.request().method() === 'DELETE') await card.waitFor({ state: 'detached' })
      await route.continue()
    })

    await card.focus()
    await page.keyboard.press('Delete')
    await page.getByRole('button', { name: 'Delete permanently' }).click()
    await expect(card).toHaveCount(0)
    await expect.poll(async () => (await assets(api)).map((a) => a.uuid)).not.toContain(uuid)
    await expect(page.getByRole('gridcell')).toHaveCount(4)
  })
})

test.describe('from a link', () => {
  test.use({ seed: 'library', settings: { IMPORT_ALLOW_PRIVATE: 'true' } })

  test('a pasted link is imported', async ({ page, open, api }) => {
    const site = createServer((_, response) => {
      response.setHeader('Content-Type', 'video/mp4')
      createReadStream(file('tiny.mp4')).pipe(response)
    })

    await new Promise<void>((listening) => site.listen(0, '127.0.0.1', listening))
    const link = `http://127.0.0.1:${(site.address() as AddressInfo).port}/harbor.mp4`
    await open('/library')
    await page.locator('[role=gridcell][tabindex="0"]').focus()
    await page.evaluate((text) => {
      const data = new DataTransfer()
      data.setData('text/plain', text)
      document.activeElement?.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }))
    }, link)

    const dialog = page.getByRole('dialog', { name: 'Add from a link' })
    await expect(dialog.getByLabel('Link')).toHaveValue(link)
    await dialog.getByRole('button', { name: 'Add to library' }).click()
    await expect.poll(async () => (await assets(api)).map((a) => a.status)).toEqual(Array(6).fill('uploaded'))
    site.close()
  })
})

test.describe('with a thousand assets', () => {
  test.use({ seed: 'library' })

  test('the grid draws only the visible cards and asks only for their pages', async ({ page, open, api }) => {
    await open()
    const asked = await pretendThousand(page, api)
    await open('/library')
    await expect(page.getByText('Asset 0', { exact: true })).toBeVisible()
    expect(await page.getByRole('gridcell').count()).toBeLessThan(80)
    expect([...asked]).toEqual([1])
    await expectToLookRight(page)
  })

  test('the End key goes to the last asset, and the page stays small', async ({ page, open, api }) => {
    await open()
    await pretendThousand(page, api)
    await open('/library')
    await page.getByText('Asset 0', { exact: true }).waitFor()
    await page.locator('[role=gridcell]').first().focus()
    await page.keyboard.press('End')
    await expect(page.getByText('Asset 999', { exact: true })).toBeVisible()
    await expect(page.locator('[data-index="999"]')).toBeFocused()
    await expect.poll(() => page.locator('*').count()).toBeLessThan(2500)
  })
})

/** Answers requests for the assets with a thousand of them. Returns the numbers of the pages that were requested. */
async function pretendThousand(page: Page, api: Api): Promise<Set<number>> {
  const [one] = await assets(api)
  const asked = new Set<number>()
  await page.route('**/api/v1/assets?*', async (route) => {
    const query = new URL(route.request().url()).searchParams
    const number = Number(query.get('page') ?? 1)
    const size = Number(query.get('page_size') ?? 50)
    if (size > 1) asked.add(number)
    const items = Array.from({ length: Math.max(Math.min(size, 1000 - (number - 1) * size), 0) }, (_, i) => {
      const n = (number - 1) * size + i
      return { ...one, uuid: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`, display_name: `Asset ${n}` }
    })

    await route.fulfill({ json: { items, total: 1000, page: number, page_size: size } })
  })

  return asked
}
