import type { Locator, Page } from '@playwright/test'
import { expect } from './test'

/** Presses Tab until an element has the focus, and expects that the focus is visible. */
export async function tabTo(page: Page, target: Locator) {
  await expect(target).toBeVisible()
  const focused = () => target.evaluate((e) => e === document.activeElement)
  for (let presses = 0; presses < 80 && !(await focused()); presses++) await page.keyboard.press('Tab')
  await expect(target).toBeFocused()
  const marked = () =>
    target.evaluate((e) => {
      const { outlineStyle, boxShadow } = getComputedStyle(e)
      return outlineStyle !== 'none' || boxShadow !== 'none'
    })

  await expect.poll(marked, 'the focus is visible').toBe(true)
}
