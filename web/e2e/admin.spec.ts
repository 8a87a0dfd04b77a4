import type { Page } from '@playwright/test'
import type { Api } from './support/test'
import { expect, expectToLookRight, test } from './support/test'

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const row = (page: Page, name: string) => page.getByRole('row', { name: new RegExp(name) })

test.describe('with accounts', () => {
  test.use({ seed: 'accounts', settings: { SIGNUP: 'invite', PLAN_MODE: 'metered' } })

  test('users who are not admins get their own settings', async ({ page, open, server }) => {
    await signIn(page, open, 'bob', server.facts['password'])
    await expect(page.getByRole('heading', { level: 1, name: 'Profile' })).toBeVisible()
    await expect(page.getByRole('link', { name: 'People' })).toHaveCount(0)
    await button(page, 'Account of Bob').click()
  })

  test('a session that is signed out opens nothing any more', async ({ page, context, open, server }) => {
    await signIn(page, open, 'bob', server.facts['password'])
    const cookies = await context.cookies()
    await button(page, 'Account of Bob').click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await expect(button(page, 'Sign in')).toBeVisible()
    await context.addCookies(cookies)
    expect((await page.request.get(`${server.url}/api/v1/auth/check`)).status()).toBe(401)
  })
})

test.describe('as an admin', () => {
  test.use({ seed: 'accounts', settings: { SIGNUP: 'invite', PLAN_MODE: 'metered' } })

  test.beforeEach(async ({ page, open, server }) => {
    await signIn(page, open, 'ada', server.facts['password'])
    await expect(row(page, 'bob@')).toBeVisible()
  })

  test('the people page looks right and finds an account', async ({ page }) => {
    await expectToLookRight(page)
    await page.getByLabel('Search accounts').fill('carla')
    await expect(row(page, 'bob@')).toHaveCount(0)
    await expect(row(page, 'carla@')).toBeVisible()
  })

  test('an admin can move an account to another tier', async ({ page, api }) => {
    await page.getByLabel('Tier of Carla').selectOption('viral')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Move to Viral' }).click()
    await expect.poll(async () => (await account(api, 'carla'))?.tier).toBe('viral')
    expect((await account(api, 'carla'))?.credits.ai_minutes.balance).toBe(2400)
  })

  test('the keyboard opens the menu of an account, and beta credits add to its balance', async ({ page, api }) => {
    const before = (await account(api, 'carla'))?.credits.ai_minutes.balance ?? NaN
    await button(page, 'Actions for Carla').focus()
    await page.keyboard.press('Enter')
    await page.getByRole('menuitem', { name: 'Beta credits…' }).press('Enter')
    await page.getByLabel('AI minutes').fill('50')
    await expectToLookRight(page)
    await button(page, 'Set credits').click()
    await expect(page.getByText('Set the beta credits of Carla')).toBeVisible()
    await expect.poll(async () => (await account(api, 'carla'))?.credits.ai_minutes.balance).toBe(before + 50)
  })

  test('an admin can make another account an admin', async ({ page }) => {
    await button(page, 'Actions for Carla').click()
    await page.getByRole('menuitem', { name: 'Make admin' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Make admin' }).click()
    await expect(row(page, 'Carla').getByText('Admin')).toBeVisible()
  })

  test('an account is deleted after its name was typed', async ({ page }) => {
    await button(page, 'Actions for Bob').click()
    await page.getByRole('menuitem', { name: 'Delete…' }).click()
    await page.getByLabel('Type bob to confirm').fill('bob')
    await expectToLookRight(page)
    await button(page, 'Delete permanently').click()
    await expect(row(page, 'bob@')).toHaveCount(0)
  })

  test('without mail, an invitation has a link to hand over, which the outbox contains', async ({ page, server }) => {
    await page.getByLabel('Email').fill('dora@example.com')
    await button(page, 'Invite').click()
    await expect(page.getByText('Created an invitation for dora@example.com')).toBeVisible()
    await expect(page.getByText(/sent/i)).toHaveCount(0)
    const link = page.getByLabel('Invitation link', { exact: true })
    await expect(link).toHaveValue(new RegExp(`^${server.url}/sign-up\\?invitation=`))
    await expect(page.getByText('Open invitations')).toBeVisible()
    await expectToLookRight(page)
    await openSettingsPage(page, 'Email')
    await expectToLookRight(page)
    await page.getByRole('list', { name: 'Emails in the outbox' }).getByText('dora@example.com').click()
    const mailed = page.getByLabel('Link in the email').first()
    await expect(mailed).toHaveValue(new RegExp(`^${server.url}/sign-up\\?invitation=`))
    await expectToLookRight(page)
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toHaveCount(0)
  })

  test('the server page shows the storage of each account', async ({ page }) => {
    await openSettingsPage(page, 'Server')
    await expect(page.getByText('Up to date')).toBeVisible()
    await expect(page.getByRole('table', { name: 'Storage by account' }).getByText('carla@example.com')).toBeVisible()
    await expectToLookRight(page)
  })
})

test.describe('as an admin of a server with mail', () => {
  test.use({ seed: 'accounts', settings: { SIGNUP: 'open', SMTP_URL: 'smtp://127.0.0.1:9' } })

  test('an invitation is sent, and the people page warns that sign-up is open', async ({ page, open, server }) => {
    await signIn(page, open, 'ada', server.facts['password'])
    await expect(page.getByText('Everyone who can reach this server can create an account')).toBeVisible()
    await page.getByLabel('Email').fill('dora@example.com')
    await button(page, 'Invite').click()
    await expect(page.getByText('Sent an invitation to dora@example.com')).toBeVisible()
    await expectToLookRight(page)
  })
})

test.describe('in single-user mode', () => {
  test('the settings offer no subscriptions', async ({ page, open }) => {
    await open('/settings/plan')
    await expect(page.getByRole('heading', { name: 'Storage', level: 1 })).toBeVisible()
    await expect(page.getByText('Subscription')).toHaveCount(0)
  })

  test('the profile belongs to the computer', async ({ page, open }) => {
    await open('/settings/profile')
    await expect(page.getByText('This account belongs to this computer')).toBeVisible()
    await expectToLookRight(page)
  })

  test('the people page does not mention tiers', async ({ page, open }) => {
    await open('/settings/people')
    await expect(row(page, 'owner')).toBeVisible()
    await expect(page.getByText(/tier|AI minutes/i)).toHaveCount(0)
  })

  test('a phone has a menu of the settings pages', async ({ page, open }) => {
    await page.setViewportSize({ width: 390, height: 844 })
    await open('/settings/people')
    await page.getByLabel('Settings page').selectOption({ label: 'Storage' })
    await expect(page.getByRole('heading', { level: 1, name: 'Storage', exact: true })).toBeVisible()
  })
})

/** Signs in with an account of the seed on the way to the people page. */
async function signIn(page: Page, open: (path: string) => Promise<void>, name: string, password = '') {
  await open('/sign-in?next=/settings/people')
  await page.getByLabel('Email').fill(`${name}@example.com`)
  await page.getByLabel('Password').fill(password)
  await button(page, 'Sign in').click()
}

/** Opens a page of the settings. */
async function openSettingsPage(page: Page, name: string) {
  await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name, exact: true }).click()
  await expect(page.getByRole('heading', { level: 1, name, exact: true })).toBeVisible()
}

interface Account {
  tier: string
  credits: { ai_minutes: { balance: number } }
}

const account = async (api: Api, name: string) =>
  (await api.ask<{ items: Account[] }>('GET', `/admin/users?q=${name}`)).items[0]
