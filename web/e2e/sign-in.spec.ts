import type { Page } from '@playwright/test'
import type { components } from '../src/api/schema'
import { expect, expectToLookRight, mailedLink, test as base } from './support/accounts'
import { Provider } from './support/provider'
import type { Api } from './support/test'

const test = base.extend<{ provider: Provider }>({
  // eslint-disable-next-line no-empty-pattern -- fixtures need the pattern
  provider: async ({}, provide) => {
    const provider = new Provider({ sub: '1', email: 'eve@example.com', email_verified: true, name: 'Eve' })
    await provider.start()
    await provide(provider)
    provider.stop()
  },

  settings: async ({ provider }, provide) => {
    const home = { name: 'home', issuer: provider.issuer, client_id: 'roughcut', client_secret: 'secret' }
    await provide({ SIGNUP: 'invite', OAUTH_PROVIDERS: JSON.stringify([home]) })
  },
})

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const me = (api: Api) => api.ask<components['schemas']['User']>('GET', '/users/me')

test.describe('without accounts', () => {
  test.use({ seed: 'unowned' })

  test('without open sign-up, only the printed link creates the first account', async ({ page, open }) => {
    await open('/sign-in')
    await expect(page.getByText('The printed link creates the first account')).toBeVisible()
    await expect(button(page, 'Continue with home')).toHaveCount(0)
    await expectToLookRight(page)
  })

  test('a sign-in through a provider from the printed link creates the account of an admin', async ({
    page,
    api,
    server,
  }) => {
    await page.goto(server.launch)
    await expect(page.getByRole('heading', { name: 'Create the first account' })).toBeVisible()
    await expectToLookRight(page)
    await button(page, 'Continue with home').click()
    await expect(button(page, 'Account of Eve')).toBeVisible()
    await expect(page).toHaveURL(`${server.url}/`)
    expect(await me(api)).toMatchObject({ oauth_providers: ['home'], has_password: false, is_admin: true })
  })
})

test.describe('with accounts', () => {
  test.use({ seed: 'accounts', consoleErrors: ['/auth/check-invitation'] })

  test('a sign-in that was not started in this browser is refused', async ({ page, open }) => {
    await open('/api/v1/auth/oauth/callback/home?state=forged&code=x')
    await expect(page.getByText('started in another window')).toBeVisible()
    await expectToLookRight(page)
  })

  test('without a valid invitation, the sign-up page has no form', async ({ page, open }) => {
    await open('/sign-in')
    await page.getByRole('link', { name: 'Create account' }).click()
    await expect(page.getByText('Sign-up requires an invitation')).toBeVisible()
    await expectToLookRight(page)
    await open('/sign-up?invitation=forged')
    await expect(page.getByText('This invitation is not valid')).toBeVisible()
    await expect(page.getByLabel('Password')).toHaveCount(0)
  })

  test('an invitation without an address has a link, which can be revoked', async ({ page, enter }) => {
    await enter('ada')
    await button(page, 'Account of Ada').click()
    await page.getByRole('menuitem', { name: 'Invite people' }).click()
    await button(page, 'Invite').click()
    await expect(page.getByText('Created an invitation')).toBeVisible()
    await button(page, 'Revoke the invitation link').click()
    await expect(button(page, 'Revoke the invitation link')).toHaveCount(0)
  })

  test('an emailed invitation creates an account with a verified address', async ({
    page,
    context,
    open,
    signIn,
    server,
    api,
  }) => {
    await signIn('ada')
    await api.ask('POST', '/admin/invitations', { email: 'dora@example.com' })
    await context.clearCookies()
    const link = new URL(await mailedLink(server, '/sign-up'))
    await open(link.pathname + link.search)
    await expect(page.getByText('You are invited')).toBeVisible()
    await expect(page.getByLabel('Email')).toHaveValue('dora@example.com')
    await expectToLookRight(page)
    await page.getByLabel('Name', { exact: true }).fill('Dora')
    await page.getByLabel('Username').fill('dora')
    await page.getByLabel('Password').fill('a long enough passphrase')
    await button(page, 'Create account').click()
    await expect(button(page, 'Account of Dora')).toBeVisible()
    expect(await me(api)).toMatchObject({ email: 'dora@example.com', email_verified: true, is_admin: false })
  })

  test('without mail, who comes by a link for anyone signs in after an admin has let them in', async ({
    page,
    context,
    open,
    enter,
    signIn,
    server,
    api,
  }) => {
    const password = 'a long enough passphrase'
    await signIn('ada')
    const { url } = await api.ask<{ url: string }>('POST', '/admin/invitations', {})
    await context.clearCookies()
    await open(url.slice(new URL(url).origin.length))
    await page.getByLabel('Name', { exact: true }).fill('Dora')
    await page.getByLabel('Username').fill('dora')
    await page.getByLabel('Email').fill('dora@example.com')
    await page.getByLabel('Password').fill(password)
    await button(page, 'Create account').click()
    await expect(page.getByRole('heading', { name: 'An admin has to let you in' })).toBeVisible()
    await expectToLookRight(page)
    await enter('ada', '/settings/people')
    await expect(page.getByRole('list', { name: 'Waiting for you' }).getByText('dora@example.com')).toBeVisible()
    await expectToLookRight(page)
    await button(page, 'Let Dora in').click()
    await expect(page.getByText('Dora can sign in now')).toBeVisible()
    await expect(page.getByRole('list', { name: 'Waiting for you' })).toHaveCount(0)
    const form = { username: 'dora@example.com', password }
    expect((await page.request.post(`${server.url}/api/v1/auth/login`, { form })).status()).toBe(200)
  })
})
