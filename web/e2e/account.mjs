// From an empty server to the first cuts, and through everything that an account can be set to. Exits with 1 and a sentence where a
// step fails.
//
// Environment:
//   BASE_URL    address of a server without accounts, which sells plans by the ledger and gives trials only when asked
//   MIRROR_URL  where its models come from; base.en all but stops half way until /go is asked for
//   VIDEO       a recording of a talk
//   OUTBOX      folder in which the server leaves its mails
//   MODELS      folder of its models
import { copyFileSync, readFileSync, unlinkSync } from 'node:fs'
import { ask, check, look, mailedLink, page, run, until } from './browser.mjs'

const { BASE_URL: base, MIRROR_URL: mirror, VIDEO: video, OUTBOX: outbox, MODELS: models } = process.env
const password = 'a long enough passphrase'

await run(
  async () => {
    const button = (name, exact = true) => page.getByRole('button', { name, exact })
    const section = (name) => page.getByRole('region', { name, exact: true })
    const to = async (name) => {
      await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name, exact: true }).click()
      await page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
    }
    const signIn = async (secret) => {
      await page.getByLabel('Email').fill('ada@example.com')
      await page.getByLabel('Password').fill(secret)
      await button('Sign in').click()
    }

    // The first account.
    await page.goto(base)
    await page.getByRole('heading', { name: 'Welcome. Make the first account' }).waitFor()
    await look('first-account')
    await page.getByLabel('Name', { exact: true }).fill('Ada')
    await page.getByLabel('Username').fill('ada')
    await page.getByLabel('Email').fill('ada@example.com')
    await page.getByLabel('Password').fill(password)
    await button('Create account').click()
    await page.getByText('lies in the folder outbox').waitFor()
    await page.goto(await mailedLink(outbox, '/verify-email'))
    await page.getByText('Your address is confirmed').waitFor()
    await page.getByRole('link', { name: 'Sign in' }).click()
    await signIn(password)

    // A speech model, and meanwhile the first project; the search for cuts waits for the model.
    await page.getByRole('heading', { name: 'Let it understand what is said' }).waitFor()
    await look('first-model')
    await button('Download base.en').click()
    await page.getByText('Base is on its way').waitFor()
    await look('first-model-loading')
    await button('New project').click()
    await page.getByLabel('Name', { exact: true }).fill('Autumn gardens')
    await button('Create project').click()
    await page.locator('input[type=file]').first().setInputFiles(video)
    const find = button('Find cuts when the model is here')
    await find.waitFor()
    await until('the clip is read', () => find.isEnabled())
    await find.click()
    await button('Waiting for the speech model…').waitFor()
    check((await fetch(`${mirror}/go`)).ok, 'the mirror does not answer')
    const project = page.url().split('/').pop()
    await until('the cuts are found', async () => (await ask('GET', `/projects/${project}`)).status === 'analyzed')
    const { transcript } = await ask('GET', `/projects/${project}`)
    check(transcript.words.length > 5, `${transcript.words.length} words were heard`)

    // The way to the settings, by the menu and by keys.
    await page.getByRole('link', { name: 'All projects' }).click()
    await button(/^Account of/, false).click()
    await page.getByRole('menuitem', { name: 'Settings' }).click()
    await page.getByRole('heading', { level: 1, name: 'Profile' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByPlaceholder('Go to a project or page').fill('autumn')
    await page.getByRole('option', { name: 'Autumn gardens' }).waitFor()
    await look('palette')
    await page.getByPlaceholder('Go to a project or page').fill('secur')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Security' }).waitFor()

    // Profile.
    await to('Profile')
    await look('profile')
    await page.getByLabel('Name', { exact: true }).fill('Ada Lovelace')
    await button('Save').click()
    await button('Account of Ada Lovelace').waitFor()
    await section('Email').getByRole('button', { name: 'Change' }).click()
    await page.getByLabel('New email').fill('ada.l@example.com')
    await page.getByLabel('Your password').fill('not the password')
    await button('Send the link').click()
    await page.getByText(/password is wrong|wrong password|not right/i).waitFor()
    await page.getByLabel('Your password').fill(password)
    await button('Send the link').click()
    await page.getByText('A link is on its way to ada.l@example.com').waitFor()

    // Security.
    await to('Security')
    await button('New token').click()
    await page.getByLabel('What it is for').fill('Upload script')
    await page.getByLabel('It works for').selectOption('30')
    await button('Make it').click()
    const token = await page.getByLabel('The new token').inputValue()
    const asked = await fetch(`${base}/api/v1/users/me`, { headers: { Authorization: `Bearer ${token}` } })
    check(asked.status === 200, `the token answers ${asked.status}`)
    await button('Copy').click()
    check((await page.evaluate(() => navigator.clipboard.readText())) === token, 'the token was not copied')
    await look('security')
    await button('Revoke the token Upload script').click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('No program has a token of yours').waitFor()
    check(
      (await fetch(`${base}/api/v1/users/me`, { headers: { Authorization: `Bearer ${token}` } })).status === 401,
      'a revoked token works',
    )
    const other = 'another long passphrase'
    await page.getByLabel('Current password').fill(password)
    await page.getByLabel('New password').fill(other)
    await button('Change the password').click()
    await page.getByText('Your password is set').waitFor()
    await to('Profile')

    // Plan: the trial, an upgrade with what it costs, a downgrade, the way out.
    await to('Plan')
    await button('Start the trial').click()
    await page.getByText('Your trial has begun').waitFor()
    await button('Upgrade to Hobby by the month').click()
    await page.getByText('Charged now').waitFor()
    await look('upgrade')
    await button('Pay $9.00').click()
    await page.getByText('You are on Hobby').waitFor()
    await button('Upgrade to Creator by the month').click()
    await page.getByText('Days that you have paid for already').waitFor()
    await button('Pay $10.00').click()
    await page.getByText('You are on Creator').waitFor()
    await button('Change to Hobby by the month').click()
    await page.getByText('only new ones are refused').waitFor()
    await button('Schedule the change').click()
    await page.getByText(/^Hobby by the month from/).waitFor()
    await section('AI minutes, one by one').getByText('Analysed “Autumn gardens”').waitFor()
    await look('plan')
    const [download] = await Promise.all([page.waitForEvent('download'), button('Download as a table').click()])
    const csv = readFileSync(await download.path(), 'utf8')
    check(csv.split('\r\n').length === 6 && csv.includes(',-9.00,USD,'), `the invoices are\n${csv}`)
    await page.getByLabel('Message', { exact: true }).fill('How do I cut faster?')
    await button('Send').click()
    await page.getByText('Your message is on its way').waitFor()
    await button('Cancel the plan…').click()
    check(await button('End it now').isDisabled(), 'a plan ends without a reason')
    await page.getByLabel('Why', { exact: true }).selectOption('too_expensive')
    await look('cancel')
    await button('Take the discount').click()
    await page.getByText('The next two renewals cost 30 % less').waitFor()
    await button('Cancel the plan…').click()
    check((await button('Take the discount').count()) === 0, 'the discount is offered twice')
    await page.getByLabel('Why', { exact: true }).selectOption('other')
    await button('End it now').click()
    await button('Yes, end it now').click()
    await page.getByText('Your paid plan has ended').waitFor()
    await to('People')
    await page.getByRole('list', { name: 'What people said' }).getByText('took the discount').waitFor()
    await look('people-feedback')

    // Presets.
    await to('Presets')
    await button('New preset').click()
    await page.getByLabel('Name', { exact: true }).fill('Short videos')
    await page.getByLabel('Language spoken').selectOption('en')
    await page.getByRole('slider', { name: 'Pacing' }).press('End')
    await page.getByRole('switch', { name: 'Take it by default' }).click()
    await look('preset')
    await button('Make the preset').click()
    await page.getByText('Pacing 100 · false starts 50 · English').waitFor()
    await button('Edit Short videos').click()
    await page.getByLabel('Name', { exact: true }).fill('Tight')
    await button('Save').click()
    await page.getByRole('list', { name: 'Analysis presets' }).getByText('Tight').waitFor()
    await button('New look').click()
    await page.getByLabel('Name', { exact: true }).fill('Upright')
    await page.getByText('9:16', { exact: true }).click()
    await page.getByLabel('Style of the captions').selectOption('karaoke')
    await look('look')
    await button('Make the look').click()
    await page.getByText('9:16 · karaoke captions').waitFor()
    await look('presets')
    await button('Delete Tight').click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('You have none yet. Make one for each kind').waitFor()

    // Words.
    await to('Words')
    const fillers = page.getByRole('region', { name: 'Fillers' })
    await fillers.getByRole('textbox').fill('Basically')
    await fillers.getByRole('button', { name: 'Add' }).click()
    await fillers.getByRole('list', { name: 'Your fillers' }).getByText('basically').waitFor()
    await fillers.getByRole('button', { name: 'um', exact: true }).click()
    await fillers.getByText('1 of them left out').waitFor()
    await look('words')
    await fillers.getByRole('button', { name: 'Take out basically' }).click()
    await fillers.getByRole('list', { name: 'Your fillers' }).waitFor({ state: 'detached' })

    // Models, storage, appearance, help.
    await to('Speech models')
    await page.getByText('In use').waitFor()
    const model = (name) =>
      page.getByRole('list', { name: 'Installed models' }).getByRole('listitem').filter({ hasText: name })
    copyFileSync(`${models}/ggml-base.en.bin`, `${models}/ggml-ours.bin`)
    await page.reload()
    await button('Use ours').click()
    await model('ours').getByText('In use').waitFor()
    await page.getByText('The chosen one is used.').waitFor()
    await page.reload()
    await model('ours').getByText('In use').waitFor()
    await look('models')
    await button('Use the largest').click()
    await model('base.en').getByText('In use').waitFor()
    unlinkSync(`${models}/ggml-ours.bin`)
    await page.reload()
    await button('Delete base.en').click()
    const sure = page.getByRole('alertdialog')
    await sure.getByText('finds silences alone').waitFor()
    check(
      await sure.getByRole('button', { name: 'Delete' }).isDisabled(),
      'the model in use is deleted by a single click',
    )
    await sure.getByRole('textbox').fill('base.en')
    await sure.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('There is no model yet').waitFor()
    await to('Storage')
    await page.getByRole('list', { name: 'Projects by size' }).getByText('Autumn gardens').waitFor()
    await look('storage')
    await to('Appearance')
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.getByText('Light', { exact: true }).click()
    const theme = () => page.evaluate(() => document.documentElement.dataset.theme)
    check((await theme()) === 'light', 'Light was not taken')
    await page.reload()
    await page.getByRole('heading', { level: 1, name: 'Appearance' }).waitFor()
    check((await theme()) === 'light', 'the theme was forgotten')
    await page.getByText('As the system', { exact: true }).click()
    check((await theme()) === undefined, 'the system is not followed')
    await look('appearance')
    await to('Help')
    await page.getByText('Open the API reference').waitFor()
    await look('help')

    // The end: signed out everywhere, then the account deleted.
    await to('Security')
    await button('Sign out everywhere').click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Sign out everywhere' }).click()
    await page.getByText('1 session ended').waitFor()
    await signIn(other)
    await button('New project').first().waitFor()
    await page.goto(`${base}/settings/profile`)
    await button('Delete my account').click()
    const gone = page.getByRole('alertdialog')
    check(
      await gone.getByRole('button', { name: 'Delete for good' }).isDisabled(),
      'an account is deleted without a word',
    )
    await gone.getByLabel('Type ada to go on').fill('ada')
    await gone.getByLabel('Your password').fill(other)
    await look('delete-account')
    await gone.getByRole('button', { name: 'Delete for good' }).click()
    await page.getByText('Your account is deleted').waitFor()
  },
  { expected: ['/auth/check', '/auth/request-email-change'] },
) // signed out elsewhere; the wrong password
