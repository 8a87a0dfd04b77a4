import type { Page } from '@playwright/test'
import { expect, test } from './support/editor'

test.use({ seed: 'garden' })

const position = (page: Page) => page.getByTestId('position').textContent()
const tab = (page: Page, name: string | RegExp) => page.getByRole('tab', { name })

test('after a click on a tab, the arrow keys move the playhead; from the keyboard, they change the tab', async ({
  page,
  edit,
}) => {
  await edit()
  await tab(page, /^Clips/).click()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowRight')
  await expect.poll(() => position(page)).toBe('0:00.08')
  await expect(tab(page, /^Clips/)).toHaveAttribute('aria-selected', 'true')

  await tab(page, 'Transcript').click()
  await page.keyboard.press('ArrowLeft')
  await expect.poll(() => position(page)).toBe('0:00.04')
  await expect(tab(page, 'Transcript')).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('Tab') // continues after the tab that was clicked
  await page.keyboard.press('Shift+Tab')
  await expect(tab(page, 'Transcript')).toBeFocused()
  await page.keyboard.press('ArrowRight')
  await expect(tab(page, 'Captions')).toHaveAttribute('aria-selected', 'true')
  expect(await position(page)).toBe('0:00.04')
})

test('the player fills the screen with its transport until Escape', async ({ page, edit }) => {
  await edit()
  const player = page.getByRole('region', { name: 'Preview' })
  const fills = () => player.evaluate((e) => e.clientWidth === innerWidth && e.clientHeight === innerHeight)
  const full = () => page.evaluate(() => document.fullscreenElement !== null)
  await page.keyboard.press('f')
  await expect.poll(fills).toBe(true)
  await expect.poll(full).toBe(true)
  const transport = page.getByRole('button', { name: 'Play', exact: true })
  await expect(transport).toBeInViewport()
  expect(
    await transport.evaluate((e) => {
      const { x, y, width, height } = e.getBoundingClientRect()
      return e.contains(document.elementFromPoint(x + width / 2, y + height / 2))
    }),
  ).toBe(true)

  await page.keyboard.press('ArrowRight')
  await expect.poll(() => position(page)).toBe('0:00.04')
  await page.keyboard.press('Escape')
  await expect.poll(fills).toBe(false)
  await expect.poll(full).toBe(false)
  await page.getByRole('button', { name: 'Fullscreen' }).click()
  await expect.poll(fills).toBe(true)
  await page.getByRole('button', { name: 'Fullscreen' }).click()
  await expect.poll(fills).toBe(false)
})
