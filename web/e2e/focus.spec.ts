import type { Page } from '@playwright/test'
import { expect, expectToLookRight, settled, STRUCK, test } from './support/editor'
import { holdTimers } from './support/test'

test.use({ seed: 'talk', viewport: { width: 1440, height: 900 } })

const view = (page: Page) => page.getByRole('button', { name: 'Frame and speed' })

test('the bar of the crop is one line in every window, and its end gives the focus back', async ({ page, edit }) => {
  await edit()
  const done = page.getByRole('button', { name: 'Done' })
  const openCrop = async () => {
    await view(page).click()
    await page.getByRole('radio', { name: '9:16' }).click()
    await page.getByRole('radio', { name: 'Crop to fill' }).click()
    await page.getByRole('button', { name: 'Move the crop' }).click()
    await expect(page.getByTestId('crop-surface')).toBeVisible()
  }

  await openCrop()
  const fits = async () => {
    const [end, start, bar] = await Promise.all([
      done.boundingBox(),
      page.getByRole('button', { name: 'Previous keyframe' }).boundingBox(),
      done.locator('../..').boundingBox(),
    ])

    if (!end || !start || !bar) return false
    const apart = Math.abs(end.y + end.height / 2 - start.y - start.height / 2)
    return apart < 2 && end.x + end.width <= bar.x + bar.width && bar.height < 56
  }

  for (const [width, height] of [
    [1280, 720],
    [1366, 768],
    [1440, 900],
  ] as const) {
    await page.setViewportSize({ width, height })
    await settled(page)
    await expect.poll(fits, `one line at ${width} px`).toBe(true)
  }

  await expectToLookRight(page)
  await done.click()
  await expect(view(page)).toBeFocused()
  await openCrop()
  await page.keyboard.press('Escape')
  await expect(view(page)).toBeFocused()
})

test('on a busy machine, a panel gives the focus back to its button', async ({ page, edit }) => {
  await page.addInitScript(holdTimers, 200)
  await edit()
  for (let i = 0; i < 10; i++) {
    await view(page).focus()
    await page.keyboard.press('Enter')
    await expect(page.getByRole('switch', { name: 'Show captions' })).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await expect(view(page)).toBeFocused()
  }
})

test('the command palette gives the focus back', async ({ page, edit }) => {
  await edit()
  const search = page.getByPlaceholder('Go to a project or page')
  const palette = async () => {
    await page.keyboard.press('Control+k')
    await expect(search).toBeFocused()
  }

  await view(page).focus()
  await palette()
  await page.keyboard.press('Escape')
  await expect(view(page)).toBeFocused()
  await palette()
  await search.fill('System theme')
  await page.keyboard.press('Enter')
  await expect(search).toHaveCount(0)
  await expect(view(page)).toBeFocused()
  await view(page).evaluate((e) => e.blur())
  await palette()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('region', { name: 'Timeline' })).toBeFocused()
  await palette()
  await search.fill('Library')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/library')
  await expect(page.getByRole('main')).toBeFocused()
})

test('Tab stays in the command palette, and arrow keys choose', async ({ page, edit }) => {
  await edit()
  const search = page.getByPlaceholder('Go to a project or page')
  await page.keyboard.press('Control+k')
  await expect(search).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(search).toBeFocused()
  await search.fill('theme')
  const options = page.getByRole('option')
  await expect(options).toHaveCount(3)
  await page.keyboard.press('ArrowDown')
  await expect(options.nth(1)).toHaveAttribute('aria-selected', 'true')
})

test('each divider has a name, values and keys', async ({ page, edit }) => {
  await edit()
  for (const [width, height, count] of [
    [1440, 900, 3],
    [900, 1000, 2],
    [900, 600, 2],
  ] as const) {
    await page.setViewportSize({ width, height })
    const dividers = page.getByRole('separator')
    await expect(dividers).toHaveCount(count)
    await settled(page) // their values follow the size of the window
    for (const divider of await dividers.all()) {
      await expect(divider).toHaveAttribute('aria-label', /./)
      const value = async (name: string) => Number((await divider.getAttribute(`aria-value${name}`)) ?? NaN)
      const now = await value('now')
      expect(await value('min')).toBeLessThanOrEqual(now)
      expect(await value('max')).toBeGreaterThanOrEqual(now)
      const upright = (await divider.getAttribute('aria-orientation')) === 'vertical'
      await divider.focus()
      await page.keyboard.press(upright ? 'ArrowLeft' : 'ArrowUp')
      await expect.poll(() => value('now')).toBeLessThan(now)
      await page.keyboard.press(upright ? 'ArrowRight' : 'ArrowDown')
    }
  }
})

test('R restores the pause of a clicked chip, and nothing else', async ({ page, edit, project }) => {
  await edit()
  const cuts = async () => (await project.activeCuts()).map((cut) => [cut.uuid, cut.start_ms, cut.end_ms])
  const before = await cuts()
  const index = await page.locator('[data-pause].removed-text').first().getAttribute('data-pause')
  const chip = page.locator(`[data-pause="${index}"]`)
  await chip.click()
  await page.keyboard.press('r')
  await expect(chip).not.toHaveCSS('text-decoration-line', STRUCK)
  await expect.poll(project.activeCutCount).toBe(before.length - 1)
  expect(before).toEqual(expect.arrayContaining(await cuts()))
  await page.keyboard.press('Control+z')
  await expect.poll(cuts).toEqual(before)
})

test('Delete on a clip rejects the selected cut, or removes the clip if no cut is selected', async ({
  page,
  edit,
  project,
}) => {
  await edit()
  await page.getByRole('tab', { name: /^Clips/ }).click()
  const row = page.locator('[data-clip]').getByRole('button').first()
  const before = await project.activeCutCount()
  await page
    .locator('[data-cut][data-active=true]')
    .first()
    .click({ position: { x: 60, y: 12 } })

  await row.focus()
  await page.keyboard.press('Delete')
  await expect.poll(project.activeCutCount).toBe(before - 1)
  expect(await project.clips()).toHaveLength(1)
  await page.keyboard.press('Control+z')
  await expect.poll(project.activeCutCount).toBe(before)
  await row.click()
  await page.keyboard.press('Delete')
  await expect.poll(project.clips).toEqual([])
  await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).not.toBe('BODY')
  await expect(page.getByText(/is in the trash$/)).toBeVisible()
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await expect.poll(project.clips).toHaveLength(1)
})
