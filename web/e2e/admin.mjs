// Looks after people, mails and the server, and sees what the owner of a machine is told of plans. Exits with 1 and a sentence where a
// step fails.
//
// Environment:
//   BASE_URL   address of a server with SIGNUP=invite, and with the accounts Ada, an admin, Bob and Carla at example.com
//   PASSWORD   of all of them
//   OWNER_URL  address with the launch token of a server in owner mode
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

  // Somebody else comes to the own pages instead.
  await signIn('bob@example.com')
  await page.getByRole('heading', { level: 1, name: 'Profile' }).waitFor()
  check(
    (await page.getByText('This server', { exact: true }).count()) === 0,
    'the pages of the server are offered to everybody',
  )
  await button('Account of Bob').click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await button('Sign in').waitFor()

  // People, by the keyboard alone where a menu is opened.
  await signIn('ada@example.com')
  await row('bob@').waitFor()
  await look('people')
  await page.getByLabel('Search people').fill('carla')
  await row('bob@').waitFor({ state: 'detached' })
  await page.getByLabel('Tier of Carla').selectOption('viral')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Put on Viral' }).click()
  await until('Carla is on Viral', async () => (await billing('carla')).tier === 'viral')
  await button('Actions for Carla').focus()
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Beta credits…' }).press('Enter')
  await page.getByLabel('AI minutes').fill('50')
  await look('beta')
  await button('Set the credits').click()
  await page.getByText('The beta credits of Carla are set').waitFor()
  const before = await billing('carla')
  check(before.credits.ai_minutes.balance === 2450, `Carla has ${before.credits.ai_minutes.balance} AI minutes`)
  await button('Actions for Carla').click()
  await page.getByRole('menuitem', { name: 'Make an admin' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Make an admin' }).click()
  await row('Carla').getByText('Admin').waitFor()
  await page.getByLabel('Search people').fill('')
  await button('Actions for Bob').click()
  await page.getByRole('menuitem', { name: 'Delete…' }).click()
  await page.getByLabel('Type bob to go on').fill('bob')
  await look('delete-person')
  await button('Delete for good').click()
  await row('bob@').waitFor({ state: 'detached' })

  // Invitations, and the mail that they make.
  await page.getByLabel('Email').fill('dora@example.com')
  await button('Invite').click()
  await page.getByText('A mail to dora@example.com is on its way').waitFor()
  const link = await page.getByLabel('Link of the invitation').inputValue()
  check(link.startsWith(`${base}/sign-up?invitation=`), `the link is ${link}`)
  await page.getByText('Not used yet').waitFor()
  await look('invitations')
  await to('Mail')
  await page.getByRole('list', { name: 'Mails in the outbox' }).getByText('dora@example.com').click()
  const mailed = await page.getByLabel('Link in the mail').first().inputValue()
  check(mailed.startsWith(`${base}/sign-up?invitation=`), `the mail leads to ${mailed}`)
  await look('mail-read')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await look('mail')

  // The server.
  await to('Server')
  await page.getByText('Up to date').waitFor()
  await page.getByRole('table', { name: 'Accounts by space' }).getByText('carla@example.com').waitFor()
  await look('server')

  // One's own machine.
  await page.goto(own)
  await button('New project').first().waitFor()
  await page.goto(`${new URL(own).origin}/settings/plan`)
  await page.getByText('This machine is yours').waitFor()
  check((await page.getByText('Upgrade').count()) === 0, 'plans are sold to the owner of a machine')
  await look('plan-owner')
  await to('Profile')
  await page.getByText('This account belongs to this machine').waitFor()
  await look('profile-owner')
})
