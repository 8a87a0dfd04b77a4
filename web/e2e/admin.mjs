// Drives the admin pages for people, emails and the server, and checks the subscription page in single-user mode. If a
// step fails, the script prints the reason and exits with 1.
//
// Environment:
//   BASE_URL   URL of a server with SIGNUP=invite and the accounts Ada (an admin), Bob and Carla at example.com
//   PASSWORD   password of all accounts
//   OWNER_URL  URL with the launch token of a server in single-user mode
import { ask, check, look, page, run, until } from './browser.mjs'

const { BASE_URL: base, OWNER_URL: own, PASSWORD: password } = process.env

await run(async () => {
  const button = (name) => page.getByRole('button', { name, exact: true })
  const row = (name) => page.getByRole('row', { name: new RegExp(name) })
  const to = async (name) => {
    await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name, exact: true }).click()
    await page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
  }
  const signIn = async (email) => {
    await page.goto(`${base}/sign-in?next=/settings/people`)
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password').fill(password)
    await button('Sign in').click()
  }
  const billing = async (name) => (await ask('GET', `/admin/users?q=${name}`)).items[0]

  // Other users are redirected to their own settings.
  await signIn('bob@example.com')
  await page.getByRole('heading', { level: 1, name: 'Profile' }).waitFor()
  check(
    (await page.getByRole('link', { name: 'People' }).count()) === 0,
    'users who are not admins see the admin pages',
  )
  await button('Account of Bob').click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await button('Sign in').waitFor()

  // People, with menus opened by keyboard.
  await signIn('ada@example.com')
  await row('bob@').waitFor()
  await look('people')
  await page.getByLabel('Search accounts').fill('carla')
  await row('bob@').waitFor({ state: 'detached' })
  await page.getByLabel('Tier of Carla').selectOption('viral')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Move to Viral' }).click()
  await until('Carla is on Viral', async () => (await billing('carla')).tier === 'viral')
  await button('Actions for Carla').focus()
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Beta credits…' }).press('Enter')
  await page.getByLabel('AI minutes').fill('50')
  await look('beta')
  await button('Set credits').click()
  await page.getByText('Set the beta credits of Carla').waitFor()
  const before = await billing('carla')
  check(before.credits.ai_minutes.balance === 2450, `Carla has ${before.credits.ai_minutes.balance} AI minutes`)
  await button('Actions for Carla').click()
  await page.getByRole('menuitem', { name: 'Make admin' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Make admin' }).click()
  await row('Carla').getByText('Admin').waitFor()
  await page.getByLabel('Search accounts').fill('')
  await button('Actions for Bob').click()
  await page.getByRole('menuitem', { name: 'Delete…' }).click()
  await page.getByLabel('Type bob to confirm').fill('bob')
  await look('delete-person')
  await button('Delete permanently').click()
  await row('bob@').waitFor({ state: 'detached' })

  // Invitations and their emails.
  await page.getByLabel('Email').fill('dora@example.com')
  await button('Invite').click()
  await page.getByText('Sent an invitation to dora@example.com').waitFor()
  const link = await page.getByLabel('Invitation link', { exact: true }).inputValue()
  check(link.startsWith(`${base}/sign-up?invitation=`), `the link is ${link}`)
  await page.getByText('Open invitations').waitFor()
  await look('invitations')
  await to('Email')
  await page.getByRole('list', { name: 'Emails in the outbox' }).getByText('dora@example.com').click()
  const mailed = await page.getByLabel('Link in the email').first().inputValue()
  check(mailed.startsWith(`${base}/sign-up?invitation=`), `the email contains ${mailed}`)
  await look('mail-read')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await look('mail')

  // The server.
  await to('Server')
  await page.getByText('Up to date').waitFor()
  await page.getByRole('table', { name: 'Storage by account' }).getByText('carla@example.com').waitFor()
  await look('server')

  // Single-user mode.
  await page.goto(own)
  await button('New project').first().waitFor()
  await page.goto(`${new URL(own).origin}/settings/plan`)
  await page.getByRole('heading', { name: 'Storage', level: 1 }).waitFor()
  check((await page.getByText('Subscription').count()) === 0, 'single-user mode offers subscriptions')
  await to('Profile')
  await page.getByText('This account belongs to this computer').waitFor()
  await look('profile-owner')
  await to('People')
  await row('owner').waitFor()
  check((await page.getByText(/tier|AI minutes/i).count()) === 0, 'single-user mode speaks of tiers')
  // A phone has a menu of the pages.
  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByLabel('Settings page').selectOption({ label: 'Storage' })
  await page.getByRole('heading', { level: 1, name: 'Storage', exact: true }).waitFor()
})
