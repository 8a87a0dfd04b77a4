// Signs in at a provider in a real browser, signs out, is told of a refusal, and signs up with a mailed invitation on a server that
// takes nobody else. Exits with 1 and a sentence where a step fails.
//
// Environment:
//   BASE_URL      address of a fresh server with SIGNUP=invite and one provider, named home
//   USERNAME, PASSWORD  of somebody at the provider, whose pages are the example's of zitadel/oidc
//   OUTBOX        folder in which the server leaves its mails
import { ask, check, look, mailedLink, page, run } from './browser.mjs'

const { BASE_URL: base, USERNAME: username, PASSWORD: password, OUTBOX: outbox } = process.env

/** The account of the page's session, as the API has it. */
const account = () => ask('GET', '/users/me')

const home = () => page.getByRole('button', { name: 'New project' }).first().waitFor()

async function signInAtProvider() {
  await page.goto(`${base}/sign-in`)
  const button = page.getByRole('button', { name: 'Continue with home' })
  await button.waitFor()
  await look('sign-in')
  await button.click()
  await page.getByLabel('Username:').fill(username)
  await page.getByLabel('Password:').fill(password)
  await page.getByRole('button', { name: 'Login' }).click()
  await home()
  check(page.url() === `${base}/`, `the browser ended at ${page.url()}`)
  const me = await account()
  check(me.oauth_providers.includes('home') && !me.has_password && me.is_admin, `the account is ${JSON.stringify(me)}`)
}

/** Invites Bob, and somebody without an address whose invitation is revoked. */
async function inviteBob() {
  await page.getByRole('button', { name: /^Account of/ }).click()
  await page.getByRole('menuitem', { name: 'Invite people' }).click()
  await page.getByRole('button', { name: 'Invite', exact: true }).click()
  await page.getByText('The invitation is made').waitFor()
  await page.getByLabel('Email').fill('bob@example.com')
  await page.getByRole('button', { name: 'Invite', exact: true }).click()
  await page.getByText('A mail to bob@example.com is on its way').waitFor()
  check(
    (await page.getByLabel('Link of the invitation').inputValue()).startsWith(`${base}/sign-up?invitation=`),
    'no link is shown',
  )
  await page.getByText('Not used yet').waitFor()
  const revoke = page.getByRole('button', { name: 'Revoke the invitation of whoever has the link' })
  await revoke.click()
  await revoke.waitFor({ state: 'detached' })
}

async function signOut() {
  await page.getByRole('button', { name: /^Account of/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
}

async function refusals() {
  await page.goto(`${base}/api/v1/auth/oauth/callback/home?state=forged&code=x`)
  await page.getByText('began in another window').waitFor()
  await look('sign-in-refused')
  await page.getByRole('link', { name: 'Create an account' }).click()
  await page.getByText('By invitation only').waitFor()
  await look('sign-up-invitation-only')
  await page.goto(`${base}/sign-up?invitation=forged`)
  await page.getByText('This invitation does not work').waitFor()
}

async function acceptInvitation(link) {
  await page.goto(link)
  await page.getByText('You are invited').waitFor()
  check(
    (await page.getByLabel('Email').inputValue()) === 'bob@example.com',
    'the address of the invitation is not filled in',
  )
  await look('sign-up-invited')
  await page.getByLabel('Name', { exact: true }).fill('Bob')
  await page.getByLabel('Username').fill('bob')
  await page.getByLabel('Password').fill('a long enough passphrase')
  await page.getByRole('button', { name: 'Create account' }).click()
  await home()
  const me = await account()
  check(me.email === 'bob@example.com' && me.email_verified && !me.is_admin, `the account is ${JSON.stringify(me)}`)
}

await run(
  async () => {
    await signInAtProvider()
    await inviteBob()
    await signOut()
    await refusals()
    await acceptInvitation(await mailedLink(outbox, '/sign-up'))
  },
  { expected: ['/favicon.ico', '/auth/check-invitation'] }, // the provider has no icon; the forged invitation
)
