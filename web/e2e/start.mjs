// Opens the page in browsers whose language is not a tag or whose storage is switched off, and with an app that does not
// load or throws.
//
// Environment:
//   BASE_URL  address of the server
//   SESSION   session cookie as name=value
import { check, enter, look, page, run } from './browser.mjs'

const { BASE_URL: base, SESSION: session } = process.env
const APP = '**/assets/index-*.js'

const projects = () => page.getByRole('button', { name: 'New project' }).first()

// languageIs makes a tag the language of the browser.
const languageIs = (tag) => Object.defineProperty(navigator, 'language', { value: tag, configurable: true })

// noStorage makes both storages null, as Firefox does.
function noStorage() {
  for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(window, name, { value: null })
}

// forbiddenStorage makes each access to a storage throw, as Chromium does when cookies are blocked.
function forbiddenStorage() {
  const get = () => {
    throw new window.DOMException('Access is denied for this document.', 'SecurityError')
  }
  for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(window, name, { get })
}

// starts opens the page in a browser with a change.
async function starts(what, change, value) {
  const fresh = await page.context().newPage()
  await fresh.addInitScript(change, value)
  await fresh.goto(base)
  await fresh
    .getByRole('button', { name: 'New project' })
    .first()
    .waitFor()
    .catch((error) => check(false, `${what}: ${error.message}`))
  await fresh.close()
}

// says checks the page about an app that did not start, and the report of it.
async function says(reason, answer) {
  await page.route(APP, answer)
  const report = page.waitForRequest('**/api/v1/page-errors')
  await page.goto(base)
  const alert = page.getByRole('alert')
  await alert.getByText('Roughcut could not start').waitFor()
  await alert.getByText(reason).waitFor()
  check(reason.test((await report).postDataJSON().message), `the report says ${(await report).postData()}`)
  await page.unroute(APP)
}

await run(
  async () => {
    await enter(base, session)
    await starts('the language C', languageIs, 'C')
    await starts('no language', languageIs, undefined)
    await starts('storage that is null', noStorage)
    await starts('storage that throws', forbiddenStorage)
    await says(/^The file \S+\/assets\/index-\S+\.js did not load\.$/, (route) => route.abort())
    await look('did-not-load')
    const contentType = 'text/javascript'
    await says(/^TypeError: broken$/, (route) => route.fulfill({ contentType, body: 'throw new TypeError("broken")' }))
    await says(/^late$/, (route) => route.fulfill({ contentType, body: 'Promise.reject("late")' }))
    await page.getByRole('button', { name: 'Load again' }).click()
    await projects().waitFor()
  },
  { expected: ['ERR_FAILED', '/api/v1/page-errors', 'page error: broken', 'page error: late'] },
)
