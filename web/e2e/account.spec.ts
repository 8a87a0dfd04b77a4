import type { Page, Request } from '@playwright/test'
import { expect, expectToLookRight, mailedLink, test } from './support/accounts'

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const alert = (page: Page) => page.getByRole('alertdialog')

/** Signs in on the page. */
async function signIn(page: Page, password: string) {
  await page.getByLabel('Email').fill('ada@example.com')
  await page.getByLabel('Password').fill(password)
  await button(page, 'Sign in').click()
}

/** Resolves when a request to a path has ended in any way. */
const settles = (page: Page, path: string) =>
  new Promise<void>((resolve) => {
    const note = (request: Request) => {
      if (request.url().endsWith(path)) resolve()
    }

    page.on('requestfailed', note)
    page.on('requestfinished', note)
  })

test.describe('without accounts', () => {
  test.use({ seed: 'unowned', consoleErrors: ['/auth/check', '/auth/verify-email'] })

  test('the first account signs in after the emailed link has verified its address', async ({ page, open, server }) => {
    const password = 'a long enough passphrase'
    await open()
    await expect(page.getByRole('heading', { name: 'Create the first account' })).toBeVisible()
    await expectToLookRight(page)
    await page.getByLabel('Name', { exact: true }).fill('Ada')
    await page.getByLabel('Username').fill('ada')
    await page.getByLabel('Email').fill('ada@example.com')
    await page.getByLabel('Password').fill(password)
    await button(page, 'Create account').click()
    await expect(page.getByText('in the outbox folder')).toBeVisible()
    const link = await mailedLink(server, '/verify-email')
    await page.goto(link) // as a scanner of mails does
    await page.goto(link)
    await expectToLookRight(page)
    await button(page, 'Verify this address').click()
    await expect(page.getByText('Your email address is verified')).toBeVisible()
    await page.goto(link)
    await button(page, 'Verify this address').click()
    await expect(page.getByText('Your address is already verified')).toBeVisible()
    await page.getByRole('link', { name: 'Sign in' }).click()
    await signIn(page, password)
    await expect(button(page, 'Account of Ada')).toBeVisible()
  })
})

test.describe('with accounts', () => {
  test.use({ seed: 'accounts' })

  test('the account menu leads to the profile, and a new name shows in the menu', async ({ page, enter }) => {
    await enter('ada')
    await button(page, 'Account of Ada').click()
    await page.getByRole('menuitem', { name: 'Settings' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Profile' })).toBeVisible()
    await expectToLookRight(page)
    await page.getByLabel('Name', { exact: true }).fill('Ada Lovelace')
    await button(page, 'Save').click()
    await expect(button(page, 'Account of Ada Lovelace')).toBeVisible()
  })

  test('an access token works until it is revoked', async ({ page, enter, server }) => {
    await enter('ada', '/settings/security')
    await button(page, 'New token').click()
    await page.getByLabel('Token name').fill('Upload script')
    await page.getByLabel('Expires').selectOption('30')
    await button(page, 'Create token').click()
    const token = await page.getByLabel('New token value').inputValue()
    const use = async () =>
      (await fetch(`${server.url}/api/v1/users/me`, { headers: { Authorization: `Bearer ${token}` } })).status

    expect(await use()).toBe(200)
    await button(page, 'Copy').click()
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(token)
    await expectToLookRight(page)
    await button(page, 'Revoke the token Upload script').click()
    await alert(page).getByRole('button', { name: 'Revoke' }).click()
    await expect(page.getByText('You have no access tokens')).toBeVisible()
    expect(await use()).toBe(401)
  })

  test('a new password keeps this session and replaces the old one', async ({ page, enter, server }) => {
    const password = server.facts['password'] ?? ''
    await enter('ada', '/settings/security')
    await page.getByLabel('Current password').fill(password)
    await page.getByLabel('New password').fill('another long passphrase')
    await button(page, 'Change password').click()
    await expect(page.getByText('Your password has changed')).toBeVisible()
    await page.getByRole('link', { name: 'Profile' }).click()
    await expect(page.getByLabel('Username')).toHaveValue('ada')
    const login = async (password: string) => {
      const form = { username: 'ada@example.com', password }
      return (await page.request.post(`${server.url}/api/v1/auth/login`, { form })).status()
    }

    expect([await login(password), await login('another long passphrase')]).toEqual([401, 200])
  })

  test.describe('and rejected requests', () => {
    test.use({ consoleErrors: ['/auth/check', '/auth/request-email-change', '/users/me'] })

    test('a new email address needs the password, whose error ends with the next input', async ({
      page,
      enter,
      server,
    }) => {
      await enter('ada', '/settings/profile')
      const email = page.getByRole('region', { name: 'Email', exact: true })
      await button(page, 'Change').click()
      await page.getByLabel('New email').fill('ada.l@example.com')
      await page.getByLabel('Your password').fill('not the password')
      await button(page, 'Send link').click()
      await expect(email.getByText(WRONG)).toBeVisible()
      await page.getByLabel('Your password').fill(server.facts['password'] ?? '')
      await expect(email.getByText(WRONG)).toHaveCount(0)
      await button(page, 'Send link').click()
      await expect(page.getByText('Ask an admin for the link')).toBeVisible()
    })

    test('an account is deleted after its name and password were typed', async ({ page, enter, server }) => {
      await enter('ada', '/settings/profile')
      await button(page, 'Delete my account').click()
      const confirm = alert(page).getByRole('button', { name: 'Delete permanently' })
      await expect(confirm).toBeDisabled()
      await alert(page).getByLabel('Type ada to confirm').fill('ada')
      await alert(page).getByLabel('Your password').fill('not the password')
      await confirm.click()
      await expect(alert(page).getByText(WRONG)).toBeVisible()
      await alert(page)
        .getByLabel('Your password')
        .fill(server.facts['password'] ?? '')

      await expect(alert(page).getByText(WRONG)).toHaveCount(0)
      await expectToLookRight(page)
      await confirm.click()
      await expect(page.getByText('Your account was deleted')).toBeVisible()
    })
  })
})

test.describe('with a session that ends', () => {
  test.use({ seed: 'accounts', consoleErrors: ['/auth/check'] })

  test('signing out everywhere cancels requests and leads to the sign-in page', async ({ page, enter, server }) => {
    // Another request is in flight. It would reach the server when the session has ended and the page does not know.
    const other = '/payments/subscription/status'
    const settled = settles(page, other)
    let end = () => {}
    const ended = new Promise<void>((resolve) => (end = resolve))
    await page.route(`**${other}`, async (route) => {
      await ended
      await route.fallback()
    })

    await page.route('**/auth/logout-all', async (route) => {
      const response = await route.fetch()
      end()
      await settled
      await route.fulfill({ response })
    })

    await enter('ada', '/settings/security')
    await button(page, 'Sign out everywhere').click()
    await alert(page).getByRole('button', { name: 'Sign out everywhere' }).click()
    await expect(page.getByText('1 session ended')).toBeVisible()
    await signIn(page, server.facts['password'] ?? '')
    await expect(button(page, 'Account of Ada')).toBeVisible()
  })
})

const WRONG = /password is wrong/i
