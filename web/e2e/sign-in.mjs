// Signs in at a provider in a real browser, signs out, is told of a refusal, and signs up with a mailed invitation on a server that
// takes nobody else. Exits with 1 and a sentence where a step fails.
//
// Environment:
//   BASE_URL      address of a fresh server with SIGNUP=invite and one provider, named home
//   USERNAME, PASSWORD  of somebody at the provider, whose pages are the example's of zitadel/oidc
//   OUTBOX        folder in which the server leaves its mails
//   OUT_DIR       folder for the screenshots; empty takes none
//   CHROMIUM      the browser; default /usr/bin/chromium
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'

const { BASE_URL: base, USERNAME: username, PASSWORD: password, OUTBOX: outbox, OUT_DIR: outDir } = process.env

function check(ok, message) {
  if (!ok) throw new Error(message)
}

const profile = mkdtempSync(join(tmpdir(), 'roughcut-e2e-'))
const context = await chromium.launchPersistentContext(profile, {
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  headless: true,
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  viewport: { width: 1280, height: 800 },
})
const page = context.pages()[0] ?? (await context.newPage())
page.setDefaultTimeout(60_000)
const problems = []
page.on('pageerror', (error) => problems.push(`page error: ${error.message}`))

async function shoot(name) {
  if (!outDir) return
  mkdirSync(outDir, { recursive: true })
  for (const scheme of ['dark', 'light']) {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
    await page.evaluate(settled)
    await page.screenshot({ path: join(outDir, `${name}-${scheme}.png`) })
  }
}

// settled waits, in the page, until transitions have ended and two frames have been drawn in the new colours.
async function settled() {
  const frame = () => new Promise((done) => requestAnimationFrame(done))
  await frame()
  await Promise.allSettled(document.getAnimations().map((animation) => animation.finished))
  await frame()
}

/** The account of the page's session, as the API has it. */
const account = () => page.evaluate(async () => (await fetch('/api/v1/users/me')).json())

const home = () => page.getByRole('button', { name: 'New project' }).first().waitFor()

async function signInAtProvider() {
  await page.goto(`${base}/sign-in`)
  const button = page.getByRole('button', { name: 'Continue with home' })
  await button.waitFor()
  await shoot('sign-in')
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
  check((await page.getByLabel('Link of the invitation').inputValue()).startsWith(`${base}/sign-up?invitation=`), 'no link is shown')
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
  await shoot('sign-in-refused')
  await page.getByRole('link', { name: 'Create an account' }).click()
  await page.getByText('By invitation only').waitFor()
  await shoot('sign-up-invitation-only')
  await page.goto(`${base}/sign-up?invitation=forged`)
  await page.getByText('This invitation does not work').waitFor()
}

/** The link of the invitation in the outbox. The mail may be a moment away. */
async function mailedLink() {
  for (let tries = 0; tries < 300; tries++) {
    for (const name of readdirSync(outbox).filter((n) => n.endsWith('.eml'))) {
      const text = readFileSync(join(outbox, name), 'utf8').replace(/=\r?\n/g, '').replaceAll('=3D', '=')
      const link = /http\S+\/sign-up\?invitation=[\w.-]+/.exec(text)
      if (link) return link[0]
    }
    await page.waitForTimeout(100)
  }
  throw new Error('no invitation was mailed')
}

async function acceptInvitation(link) {
  await page.goto(link)
  await page.getByText('You are invited').waitFor()
  check((await page.getByLabel('Email').inputValue()) === 'bob@example.com', 'the address of the invitation is not filled in')
  await shoot('sign-up-invited')
  await page.getByLabel('Name', { exact: true }).fill('Bob')
  await page.getByLabel('Username').fill('bob')
  await page.getByLabel('Password').fill('a long enough passphrase')
  await page.getByRole('button', { name: 'Create account' }).click()
  await home()
  const me = await account()
  check(me.email === 'bob@example.com' && me.email_verified && !me.is_admin, `the account is ${JSON.stringify(me)}`)
}

let failed = false
try {
  await signInAtProvider()
  await inviteBob()
  await signOut()
  await refusals()
  await acceptInvitation(await mailedLink())
  check(problems.length === 0, problems.join('\n'))
} catch (error) {
  failed = true
  console.error(`${error.message}\nat ${page.url()}\n${problems.join('\n')}`)
  if (outDir) await page.screenshot({ path: join(outDir, 'failed.png') })
} finally {
  await context.close()
  rmSync(profile, { recursive: true, force: true })
}
process.exit(failed ? 1 : 0)
