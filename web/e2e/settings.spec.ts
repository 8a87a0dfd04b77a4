import type { Page } from '@playwright/test'
import { chooseStyle, expect, expectToLookRight, test } from './support/test'

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

test('an analysis preset can be created, renamed and deleted', async ({ page, open }) => {
  await open('/settings/presets')
  await section(page, 'Analysis').getByRole('button', { name: 'New preset' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Short videos')
  await page.getByLabel('Spoken language').selectOption('en')
  await page.getByRole('slider', { name: 'Pacing' }).press('End')
  await page.getByRole('switch', { name: 'Use as default' }).click()
  await expectToLookRight(page)
  await button(page, 'Create preset').click()
  await expect(page.getByText('Pacing 100 · false starts 50 · English')).toBeVisible()
  await button(page, 'Edit Short videos').click()
  await page.getByLabel('Name', { exact: true }).fill('Tight')
  await button(page, 'Save').click()
  await expect(page.getByRole('list', { name: 'Analysis presets' }).getByText('Tight')).toBeVisible()
  await button(page, 'Delete Tight').click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByText('You have no analysis presets')).toBeVisible()
})

test('a preview preset has the frame and the captions that were chosen', async ({ page, open }) => {
  await open('/settings/presets')
  await section(page, 'Preview').getByRole('button', { name: 'New preset' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Upright')
  await page.getByText('9:16', { exact: true }).click()
  await chooseStyle(page, 'Caption style', 'One word')
  await expect(page.getByLabel('Caption size')).toHaveValue('106')
  await expect(page.getByRole('radio', { name: 'Middle' })).toBeChecked()
  await chooseStyle(page, 'Caption style', 'Karaoke')
  await expect(page.getByLabel('Caption size')).toHaveValue('48')
  await expectToLookRight(page)
  await button(page, 'Create preset').click()
  await expect(page.getByText('9:16 · karaoke captions')).toBeVisible()
  await expectToLookRight(page)
})

test('people can add and remove fillers, and disable the fillers of the language', async ({ page, open }) => {
  await open('/settings/words')
  await page.getByRole('radio', { name: 'Fillers' }).click()
  const fillers = section(page, 'Fillers')
  await fillers.getByRole('textbox').fill('Basically')
  await fillers.getByRole('button', { name: 'Add' }).click()
  const own = fillers.getByRole('list', { name: 'Your words: Fillers' })
  await expect(own.getByText('basically')).toBeVisible()
  await fillers.getByRole('button', { name: 'um', exact: true }).click()
  await expect(fillers.getByText('1 disabled')).toBeVisible()
  await expectToLookRight(page)
  await fillers.getByRole('button', { name: 'Remove basically' }).click()
  await expect(own).toHaveCount(0)
})

test('a theme is kept until the page follows the system again', async ({ page, open }) => {
  await page.emulateMedia({ colorScheme: 'dark' })
  await open('/settings/appearance')
  const root = page.locator('html')
  await page.getByText('Light', { exact: true }).click()
  await expect(root).toHaveAttribute('data-theme', 'light')
  await page.reload()
  await expect(page.getByRole('heading', { level: 1, name: 'Appearance' })).toBeVisible()
  await expect(root).toHaveAttribute('data-theme', 'light')
  await page.getByText('System', { exact: true }).click()
  await expect(root).not.toHaveAttribute('data-theme')
  await expectToLookRight(page)
})

test('the help keeps shortcuts in their columns and links to the API reference', async ({ page, open }) => {
  await open('/settings/help')
  await expect(page.getByRole('link', { name: 'Open API reference' })).toBeVisible()
  const outside = await page.evaluate(() =>
    [...document.querySelectorAll('dl > div')]
      .filter((row) => {
        const left = row.closest('section')?.getBoundingClientRect().left ?? 0
        return [...row.children].some((part) => part.getBoundingClientRect().left < left - 1)
      })
      .map((row) => row.textContent),
  )

  expect(outside).toEqual([])
  await expectToLookRight(page)
})

test.describe('with a project', () => {
  test.use({ seed: 'talk' })

  test('the palette goes to projects and pages', async ({ page, open, server }) => {
    await open('/settings/appearance')
    await expect(page.getByRole('heading', { level: 1, name: 'Appearance' })).toBeVisible()
    await page.keyboard.press('Control+k')
    const field = page.getByPlaceholder('Go to a project or page')
    await field.fill('secur')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('heading', { level: 1, name: 'Security' })).toBeVisible()
    await page.keyboard.press('Control+k')
    await field.fill('kitchen')
    await expect(page.getByRole('option', { name: 'Light in a small kitchen' })).toBeVisible()
    await expectToLookRight(page)
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(`${server.url}/projects/${server.facts['project']}`)
  })

  test('the storage page lists projects by their size', async ({ page, open, api }) => {
    await open()
    await api.ask('POST', '/projects/', { name: 'Empty' })
    await open('/settings/storage')
    const rows = page.getByRole('list', { name: 'Projects by size' }).getByRole('listitem')
    await expect(rows.first()).toContainText('Light in a small kitchen')
    await expectToLookRight(page)
  })
})

test('a link that loads late does not move the others', async ({ page, open }) => {
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  await page.route('**/payments/subscription/status', (route) => held.then(() => route.fallback()))
  await open('/settings/profile')
  await expect(page.getByRole('heading', { name: 'Profile', level: 1 })).toBeVisible()
  const links = page.getByRole('navigation', { name: 'Settings' }).getByRole('link')
  await expect(links).toHaveCount(0)
  release()
  await expect(links).toHaveCount(11)
})

test('the theme belongs to the account, in another browser too', async ({ page, open, browser }) => {
  await open('/settings/appearance')
  const stored = page.waitForResponse((r) => r.url().endsWith('/users/me/settings') && r.request().method() === 'PATCH')
  await page.getByRole('radio', { name: 'Light' }).click()
  expect((await stored).ok()).toBe(true)
  const { cookies } = await page.context().storageState()
  const other = await browser.newContext({ storageState: { cookies, origins: [] }, colorScheme: 'dark' })
  const there = await other.newPage()
  await there.goto(new URL('/', page.url()).href)
  await expect(there.locator('html')).toHaveAttribute('data-theme', 'light')
  await other.close()
})
