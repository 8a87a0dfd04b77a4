// Signs in through a provider, signs out, checks rejected sign-ins, and signs up with an emailed invitation on a server
// that requires one. If a step fails, the script prints the reason and exits with 1.
//
// Environment:
//   BASE_URL            URL of a new server with SIGNUP=invite and one provider, named home
//   USERNAME, PASSWORD  credentials at the provider, which serves the example pages of zitadel/oidc
//   OUTBOX              outbox folder of the server
import { ask, check, look, mailedLink, page, run } from './browser.mjs'

const { BASE_URL: base, USERNAME: username, PASSWORD: password, OUTBOX: outbox } = process.env

/** Returns the account of the page's session from the API. */
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
  check(page.url() === `${base}/`, `the sign-in ended at ${page.url()}`)
  const me = await account()
  check(me.oauth_providers.includes('home') && !me.has_password && me.is_admin, `the account is ${JSON.stringify(me)}`)
}

/** Invites Bob, and creates and revokes an invitation without an address. */
async function inviteBob() {
  await page.getByRole('button', { name: /^Account of/ }).click()
  await page.getByRole('menuitem', { name: 'Invite people' }).click()
  await page.getByRole('button', { name: 'Invite', exact: true }).click()
  await page.getByText('Created an invitation').waitFor()
  await page.getByLabel('Email').fill('bob@example.com')
  await page.getByRole('button', { name: 'Invite', exact: true }).click()
  await page.getByText('Sent an invitation to bob@example.com').waitFor()
  check(
    (await page.getByLabel('Invitation link', { exact: true }).inputValue()).startsWith(`${base}/sign-up?invitation=`),
    'the page shows no invitation link',
  )
  await page.getByText('Open invitations').waitFor()
  const revoke = page.getByRole('button', { name: 'Revoke the invitation link' })
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
  await page.getByText('started in another window').waitFor()
  await look('sign-in-refused')
  await page.getByRole('link', { name: 'Create account' }).click()
  await page.getByText('Sign-up requires an invitation').waitFor()
  await look('sign-up-invitation-only')
  await page.goto(`${base}/sign-up?invitation=forged`)
  await page.getByText('This invitation is not valid').waitFor()
}

async function acceptInvitation(link) {
  await page.goto(link)
  await page.getByText('You are invited').waitFor()
  check(
    (await page.getByLabel('Email').inputValue()) === 'bob@example.com',
    'the form does not contain the address of the invitation',
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
  { expected: ['/favicon.ico', '/auth/check-invitation'] }, // the provider has no icon, and the forged invitation is rejected
)
