import { expect, expectToLookRight, test } from './support/editor'

test.use({ seed: 'talk' })

test('a taken shortcut says whose it is, and a free one works until all are reset', async ({ page, edit }) => {
  await edit()
  const fit = page.getByRole('button', { name: 'Zoom to fit' })
  const command = page.locator('[data-command=zoomAll]')
  await page.keyboard.press('?')
  await command.click()
  await page.keyboard.press('s')
  await expect(page.getByText('is assigned to “Split at playhead”')).toBeVisible()
  await expectToLookRight(page)
  await page.keyboard.press('q')
  await expect(command.locator('kbd')).toHaveText(['Z', 'Q'])
  await page.keyboard.press('Escape')
  await page.keyboard.press('+')
  await expect(fit).toBeEnabled()
  await page.keyboard.press('q')
  await expect(fit).toBeDisabled()
  await page.keyboard.press('?')
  await page.getByRole('button', { name: 'Reset all shortcuts' }).click()
  await expect(command.locator('kbd')).toHaveText(['Z'])
})
