import type { Page } from '@playwright/test'
import { test } from './support/accounts'
import { dropFiles } from './support/drop'
import { smallTargets } from './support/targets'
import { expect, expectNoFindings, file, PHONE } from './support/test'

const SETTINGS = [
  'profile',
  'security',
  'plan',
  'presets',
  'words',
  'models',
  'storage',
  'appearance',
  'help',
  'people',
  'mail',
  'server',
]

/** Expects one heading of the first level, large targets and no finding of axe, without a dialog. */
async function expectCalm(page: Page, where: string) {
  await expect(page.locator('.skeleton')).toHaveCount(0)
  await expect(page.locator('h1'), where).toHaveCount(1)
  await expectLarge(page, where)
}

/** Expects large targets and no finding of axe. */
async function expectLarge(page: Page, where: string) {
  await expectNoFindings(page, where)
  expect(await smallTargets(page), `targets under 40 px: ${where}`).toEqual([])
}

test.use({ seed: 'accounts', hasTouch: true, viewport: PHONE })

test('a finger hits every target of the pages, and axe finds nothing', async ({ page, enter, open }) => {
  await enter('ada')
  for (const path of ['/', '/library', ...SETTINGS.map((name) => `/settings/${name}`)]) {
    await open(path)
    await expectCalm(page, path)
  }
})

test('a finger hits every target of the dialogs, and axe finds nothing', async ({ page, enter, open, api }) => {
  await enter('ada')
  await api.ask('POST', '/projects/', { name: 'Talk' })
  await page.reload()
  await page.getByRole('button', { name: 'Actions for Talk' }).click()
  await expectLarge(page, 'the menu of a project')
  await page.getByRole('menuitem', { name: 'Rename' }).click()
  await expectLarge(page, 'Rename project')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'New project' }).click()
  await expectLarge(page, 'New project')
  await page.keyboard.press('Escape')
  await dropFiles(page, { 'a.mp4': file('tiny.mp4'), 'b.mp4': file('tiny.mp4') })
  await expectLarge(page, 'several recordings')

  for (const [path, name, at] of [
    ['/settings/presets', 'New preset', 0],
    ['/settings/presets', 'New preset', 1],
    ['/settings/security', 'New token', 0],
    ['/settings/security', 'Change password', 0],
    ['/settings/security', 'Sign out everywhere', 0],
    ['/settings/profile', 'Delete my account', 0],
    ['/settings/people', 'Actions for Bob', 0],
  ] as const) {
    await open(path)
    await page.getByRole('button', { name, exact: true }).nth(at).tap()
    await expectLarge(page, `${path}, ${name} ${at}`)
  }
})

test.describe('signed out', () => {
  test.use({ consoleErrors: ['/auth/check'] })

  test('a finger hits every target of the pages without a session, and axe finds nothing', async ({ page, server }) => {
    for (const path of ['/sign-in', '/sign-up', '/forgot-password', '/reset-password?token=x', '/nowhere']) {
      await page.goto(server.url + path)
      await expectCalm(page, path)
    }
  })
})
