import type { Page, Route } from '@playwright/test'
import { expect, expectToLookRight, test } from './support/test'

const APP = '**/assets/index-*.js'

const expectProjects = (page: Page) => expect(page.getByRole('button', { name: 'New project' }).first()).toBeVisible()

/** Makes a tag the language of the browser. */
const languageIs = (tag: string | undefined) =>
  Object.defineProperty(navigator, 'language', { value: tag, configurable: true })

test('the page starts in a browser whose language is not a tag', async ({ page, open }) => {
  await page.addInitScript(languageIs, 'C')
  await open()
  await expectProjects(page)
  await page.addInitScript(languageIs, undefined)
  await page.reload()
  await expectProjects(page)
})

/** Makes both storages null, as Firefox does if the storage is switched off. */
function noStorage() {
  for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(window, name, { value: null })
}

/** Makes each access to a storage throw, as Chromium does if cookies are blocked. */
function forbiddenStorage() {
  const get = () => {
    throw new DOMException('Access is denied for this document.', 'SecurityError')
  }

  for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(window, name, { get })
}

for (const [what, change] of Object.entries({ 'has no storage': noStorage, 'forbids its storage': forbiddenStorage }))
  test(`the page starts in a browser that ${what}`, async ({ page, open }) => {
    await page.addInitScript(change)
    await open()
    await expectProjects(page)
  })

test.describe('with a broken app', () => {
  // In owner mode, the server refuses the report, which it takes only from a desktop window.
  test.use({ consoleErrors: ['ERR_FAILED', '/api/v1/page-errors', 'TypeError: broken', 'late'] })

  /** Expects that the page gives a reason for not starting, and reports it. */
  async function expectReason(page: Page, reason: RegExp, start: () => Promise<unknown>) {
    const report = page.waitForRequest('**/api/v1/page-errors')
    await start()
    const alert = page.getByRole('alert')
    await expect(alert.getByText('Roughcut could not start')).toBeVisible()
    await expect(alert.getByText(reason)).toBeVisible()
    const { message } = (await report).postDataJSON() as { message: string }
    expect(message).toMatch(reason)
  }

  const is = (body: string) => (route: Route) => route.fulfill({ contentType: 'text/javascript', body })

  test('an app that does not load says which file is missing', async ({ page, server }) => {
    await page.route(APP, (route) => route.abort())
    const reason = /^The file \S+\/assets\/index-\S+\.js did not load\.$/
    await expectReason(page, reason, () => page.goto(server.url))
    await expectToLookRight(page)
  })

  test('an app that fails says why, and loads again', async ({ page, server, open }) => {
    await open()
    await expectProjects(page)
    await page.route(APP, is('throw new TypeError("broken")'))
    await expectReason(page, /^TypeError: broken$/, () => page.goto(server.url))
    await page.unroute(APP)
    await page.route(APP, is('Promise.reject("late")'))
    await expectReason(page, /^late$/, () => page.reload())
    await page.unroute(APP)
    await page.getByRole('button', { name: 'Load again' }).click()
    await expectProjects(page)
  })
})

test.describe('without the link', () => {
  test.use({ consoleErrors: ['/auth/check'] })

  test('the page says how to open single-user mode', async ({ page, server }) => {
    await page.goto(server.url)
    await expect(page.getByRole('heading', { name: 'Open Roughcut on its computer' })).toBeVisible()
    await expect(page.getByText('roughcut open', { exact: true })).toBeVisible()
    await expect(page.getByLabel('Password')).toHaveCount(0)
    await expect(page.getByRole('button', { name: /password/ }), 'no account has a password').toHaveCount(0)
    await expectToLookRight(page)
  })
})
