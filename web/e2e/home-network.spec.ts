import { editorReady, expect, STRUCK, test, word } from './support/editor'

// To the browser, this name is another machine, and plain HTTP to it is no secure context. playwright.config.ts leads it here.
const HOST = 'home.test'

test.use({ seed: 'talk', settings: { ALLOWED_HOSTS: HOST } })

test('a server on a home network cuts, undoes and copies over plain HTTP', async ({ page, server }) => {
  const launch = new URL(server.launch)
  launch.hostname = HOST
  await page.goto(launch.href)
  await expect(page.getByRole('heading', { level: 1, name: 'Projects' })).toBeVisible()
  expect(await page.evaluate(() => isSecureContext)).toBe(false)
  await page.goto(new URL(`/projects/${server.facts['project']}`, launch).href)
  await editorReady(page)
  const said = word(page, 'microphone')
  await said.click()
  await page.keyboard.press('Shift+ArrowRight')
  await page.keyboard.press('Control+c')
  await page.keyboard.press('Delete')
  await expect(said).toHaveCSS('text-decoration-line', STRUCK)
  await page.keyboard.press('Control+z')
  await expect(said).not.toHaveCSS('text-decoration-line', STRUCK)
  await page.keyboard.press('Control+f')
  await page.keyboard.press('Control+v')
  await expect(page.locator('input:focus')).toHaveValue(/microphone/)
  await page.goto(new URL('/settings/security', launch).href)
  await page.getByRole('button', { name: 'New token' }).click()
  await page.getByLabel('Token name').fill('Script')
  await page.getByRole('button', { name: 'Create token' }).click()
  const token = await page.getByLabel('New token value').inputValue()
  await page.getByRole('button', { name: 'Copy' }).click()
  await expect(page.getByRole('button', { name: 'Copied' })).toBeVisible()
  await page.getByRole('button', { name: 'New token' }).click()
  await page.getByLabel('Token name').press('Control+v')
  await expect(page.getByLabel('Token name')).toHaveValue(token)
})
