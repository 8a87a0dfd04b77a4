import type { Page } from '@playwright/test'
import { expect, expectToLookRight, test as base } from './support/editor'

interface Fixtures {
  /** Opens the seed's project, which has no placements, with the assets in front. */
  openAssets: () => Promise<void>
  /** Places the asset at the playhead. */
  placeAsset: () => Promise<void>
}

const test = base.extend<Fixtures>({
  openAssets: async ({ page, open, edit, project, api, server }, provide) => {
    await provide(async () => {
      await open()
      await api.ask('PATCH', `/assets/${server.facts['lamp']}`, { tags: ['evening'] })
      for (const { uuid } of (await project.edits()).filter((e) => e.type === 'asset'))
        await api.ask('DELETE', `/edits/${uuid}`)
      await edit()
      await page.getByRole('tab', { name: 'Assets' }).click()
    })
  },

  placeAsset: async ({ page }, provide) => {
    await provide(async () => {
      await page.getByRole('button', { name: /^Place / }).click()
      await expect(block(page)).toBeVisible()
    })
  },
})

test.use({ seed: 'takes', viewport: { width: 1440, height: 900 } })

const block = (page: Page) => page.locator('[data-placement]')

test('an image that is dragged to the timeline fills the frame for five seconds', async ({
  page,
  openAssets,
  project,
}) => {
  await openAssets()
  await page.getByLabel('Search assets').fill('even') // a tag of it
  const asset = page.locator('[data-asset][draggable=true]')
  await expect(asset).toHaveCount(1)
  await asset.dragTo(page.getByTestId('asset-lane'), { targetPosition: { x: 300, y: 12 } })
  const placed = async () => (await project.edits()).filter((e) => e.type === 'asset')
  await expect.poll(placed).toMatchObject([{ visual_mode: 'cutaway', active: true }])
  const [made] = await placed()
  expect((made?.end_ms ?? 0) - (made?.start_ms ?? 0)).toBe(5000)
})

test('a placed image becomes an overlay with a corner and a width, and keys move and delete it', async ({
  page,
  openAssets,
  placeAsset,
  project,
}) => {
  await openAssets()
  await placeAsset()
  const placed = async () => (await project.edits()).find((e) => e.type === 'asset')
  await page.getByRole('radio', { name: 'Overlay' }).click()
  await page.getByRole('button', { name: 'Bottom right' }).click()
  await page.getByLabel('Width', { exact: true }).fill('30')
  await page.keyboard.press('Enter')
  const overlay = { visual_mode: 'overlay', overlay_position: 'bottom_right', overlay_size_percent: 30 }
  await expect.poll(placed).toMatchObject(overlay)
  await expectToLookRight(page)
  const start = (await placed())?.start_ms ?? 0
  await block(page).focus()
  await page.keyboard.press('Control+ArrowRight')
  await expect.poll(async () => (await placed())?.start_ms).toBeGreaterThan(start)
  await page.keyboard.press('Delete')
  await expect.poll(placed).toBeUndefined()
  await page.keyboard.press('Control+z')
  await expect.poll(placed).toMatchObject(overlay)
  await page.keyboard.press('Control+Shift+z')
  await expect.poll(placed).toBeUndefined()
})

test('the timeline has the focus after a placed asset was removed', async ({ page, openAssets, placeAsset }) => {
  await openAssets()
  const item = page.getByRole('menuitem', { name: /^Remove/ })
  const ways = [
    async () => {
      await block(page).focus()
      await page.keyboard.press('Shift+F10')
      await item.press('Enter')
    },
    async () => {
      await block(page).click({ button: 'right' })
      await item.click()
    },
    async () => {
      await block(page).focus()
      await page.keyboard.press('Delete')
    },
    async () => {
      const pane = page.getByRole('tabpanel', { name: /^Assets/ })
      await pane.getByRole('button', { name: /^Remove/ }).press('Enter')
    },
  ]

  for (const remove of ways) {
    await placeAsset()
    await remove()
    await expect(block(page)).toHaveCount(0)
    await expect(page.getByRole('region', { name: 'Timeline' })).toBeFocused()
  }
})
