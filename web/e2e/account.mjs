// Drives an account from an empty server to the first cuts, then through all its settings. If a step fails, the script
// prints the reason and exits with 1.
//
// Environment:
//   BASE_URL    URL of a server without accounts that sells subscriptions by the ledger and starts trials only on request
//   MIRROR_URL  URL of its model mirror; base.en almost stalls halfway until a request for /go
//   VIDEO       path of a recorded talk
//   OUTBOX      outbox folder of the server
//   MODELS      models folder of the server
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
    await page.getByRole('heading', { name: 'Create the first account' }).waitFor()
    await look('first-account')
    await page.getByLabel('Name', { exact: true }).fill('Ada')
    await page.getByLabel('Username').fill('ada')
    await page.getByLabel('Email').fill('ada@example.com')
    await page.getByLabel('Password').fill(password)
    await button('Create account').click()
    await page.getByText('in the outbox folder').waitFor()
    await page.goto(await mailedLink(outbox, '/verify-email'))
    await page.getByText('Your email address is verified').waitFor()
    await page.getByRole('link', { name: 'Sign in' }).click()
    await signIn(password)

    // A speech model, and during its download the first project, whose analysis waits for the model.
    await page.getByRole('heading', { name: 'Add a speech model' }).waitFor()
    await look('first-model')
    await button('Download base.en').click()
    await page.getByText('Downloading Base.').waitFor()
    await look('first-model-loading')
    await button('New project').click()
    await page.getByLabel('Name', { exact: true }).fill('Autumn gardens')
    await button('Create project').click()
    await page.getByText('Drop your recording here').waitFor()
    await page.getByLabel('Recordings to add').setInputFiles(video)
    await button('Waiting for the speech model…').waitFor()
    check((await fetch(`${mirror}/go`)).ok, 'the mirror did not respond')
    const project = page.url().split('/').pop()
    await until('the cuts are found', async () => (await ask('GET', `/projects/${project}`)).status === 'analyzed')
    const { transcript } = await ask('GET', `/projects/${project}`)
    check(transcript.words.length > 5, `the transcript has ${transcript.words.length} words`)

    // The settings, through the menu and the command palette.
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
    await button('Send link').click()
    const wrong = page.getByText(/password is wrong|wrong password|not right|incorrect/i)
    await wrong.waitFor()
    await page.getByLabel('Your password').fill(password)
    check((await wrong.count()) === 0, 'the message of a field stays after the field was changed')
    await button('Send link').click()
    await page.getByText('We sent a link to ada.l@example.com').waitFor()

    // Security.
    await to('Security')
    await button('New token').click()
    await page.getByLabel('Token name').fill('Upload script')
    await page.getByLabel('Expires').selectOption('30')
    await button('Create token').click()
    const token = await page.getByLabel('New token value').inputValue()
    const asked = await fetch(`${base}/api/v1/users/me`, { headers: { Authorization: `Bearer ${token}` } })
    check(asked.status === 200, `a request with the token returned ${asked.status}`)
    await button('Copy').click()
    check((await page.evaluate(() => navigator.clipboard.readText())) === token, 'the token was not copied')
    await look('security')
    await button('Revoke the token Upload script').click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('You have no access tokens').waitFor()
    check(
      (await fetch(`${base}/api/v1/users/me`, { headers: { Authorization: `Bearer ${token}` } })).status === 401,
      'a revoked token works',
    )
    const other = 'another long passphrase'
    await page.getByLabel('Current password').fill(password)
    await page.getByLabel('New password').fill(other)
    await button('Change password').click()
    await page.getByText('Your password has changed').waitFor()
    await to('Profile')

    // Subscription: trial, upgrade with its price, downgrade, cancellation.
    await to('Subscription')
    await button('Start trial').click()
    await page.getByText('Your trial has started').waitFor()
    await button('Upgrade to Hobby, monthly').click()
    await page.getByText('Charged now').waitFor()
    await look('upgrade')
    await button('Pay $9.00').click()
    await page.getByText('You are now subscribed to Hobby').waitFor()
    await button('Upgrade to Creator, monthly').click()
    await page.getByText('Credit for days already paid').waitFor()
    await button('Pay $10.00').click()
    await page.getByText('You are now subscribed to Creator').waitFor()
    await button('Downgrade to Hobby, monthly').click()
    await page.getByText('you cannot add new ones').waitFor()
    await button('Schedule downgrade').click()
    await page.getByText(/^Changes to Hobby, monthly, on/).waitFor()
    await section('AI minute history').getByText('Analyzed “Autumn gardens”').waitFor()
    await look('plan')
    const [download] = await Promise.all([page.waitForEvent('download'), button('Download CSV').click()])
    const csv = readFileSync(await download.path(), 'utf8')
    check(csv.split('\r\n').length === 6 && csv.includes(',-9.00,USD,'), `the invoices are\n${csv}`)
    await page.getByLabel('Message', { exact: true }).fill('How do I cut faster?')
    await button('Send').click()
    await page.getByText('Your message was sent').waitFor()
    await button('Cancel subscription…').click()
    check(await button('Cancel now').isDisabled(), 'a subscription can be cancelled without a reason')
    await page.getByLabel('Reason', { exact: true }).selectOption('too_expensive')
    await look('cancel')
    await button('Accept discount').click()
    await page.getByText('The next two renewals cost 30% less').waitFor()
    await button('Cancel subscription…').click()
    check((await button('Accept discount').count()) === 0, 'the discount is offered twice')
    await page.getByLabel('Reason', { exact: true }).selectOption('other')
    await button('Cancel now').click()
    await button('Yes, cancel now').click()
    await section('Free').getByText('Your subscription has ended').waitFor()
    await to('People')
    await page.getByRole('list', { name: 'Cancellation feedback' }).getByText('accepted the discount').waitFor()
    await look('people-feedback')

    // Presets.
    await to('Presets')
    await section('Analysis').getByRole('button', { name: 'New preset' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Short videos')
    await page.getByLabel('Spoken language').selectOption('en')
    await page.getByRole('slider', { name: 'Pacing' }).press('End')
    await page.getByRole('switch', { name: 'Use as default' }).click()
    await look('preset')
    await button('Create preset').click()
    await page.getByText('Pacing 100 · false starts 50 · English').waitFor()
    await button('Edit Short videos').click()
    await page.getByLabel('Name', { exact: true }).fill('Tight')
    await button('Save').click()
    await page.getByRole('list', { name: 'Analysis presets' }).getByText('Tight').waitFor()
    await section('Preview').getByRole('button', { name: 'New preset' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Upright')
    await page.getByText('9:16', { exact: true }).click()
    await page.getByLabel('Caption style').selectOption('karaoke')
    await look('preview-preset')
    await button('Create preset').click()
    await page.getByText('9:16 · karaoke captions').waitFor()
    await look('presets')
    await button('Delete Tight').click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('You have no analysis presets').waitFor()

    // Words.
    await to('Words')
    await page.getByRole('radio', { name: 'Fillers' }).click()
    const fillers = section('Fillers')
    await fillers.getByRole('textbox').fill('Basically')
    await fillers.getByRole('button', { name: 'Add' }).click()
    await fillers.getByRole('list', { name: 'Your words: Fillers' }).getByText('basically').waitFor()
    await fillers.getByRole('button', { name: 'um', exact: true }).click()
    await fillers.getByText('1 disabled').waitFor()
    await look('words')
    await fillers.getByRole('button', { name: 'Remove basically' }).click()
    await fillers.getByRole('list', { name: 'Your words: Fillers' }).waitFor({ state: 'detached' })

    // Models, storage, appearance, help.
    await to('Speech models')
    await page.getByText('In use').waitFor()
    const model = (name) =>
      page.getByRole('list', { name: 'Installed models' }).getByRole('listitem').filter({ hasText: name })
    copyFileSync(`${models}/ggml-base.en.bin`, `${models}/ggml-ours.bin`)
    await page.reload()
    await button('Use ours').click()
    await model('ours').getByText('In use').waitFor()
    await page.getByText('the model that you chose').waitFor()
    await page.reload()
    await model('ours').getByText('In use').waitFor()
    await look('models')
    await button('Use largest').click()
    await model('base.en').getByText('In use').waitFor()
    unlinkSync(`${models}/ggml-ours.bin`)
    await page.reload()
    await button('Delete base.en').click()
    const sure = page.getByRole('alertdialog')
    await sure.getByText('find only silences').waitFor()
    check(await sure.getByRole('button', { name: 'Delete' }).isDisabled(), 'a single click deletes the model in use')
    await sure.getByRole('textbox').fill('base.en')
    await sure.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No speech model is installed').waitFor()
    await to('Storage')
    await page.getByRole('list', { name: 'Projects by size' }).getByText('Autumn gardens').waitFor()
    await look('storage')
    await to('Appearance')
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.getByText('Light', { exact: true }).click()
    const theme = () => page.evaluate(() => document.documentElement.dataset.theme)
    check((await theme()) === 'light', 'the light theme was not applied')
    await page.reload()
    await page.getByRole('heading', { level: 1, name: 'Appearance' }).waitFor()
    check((await theme()) === 'light', 'the theme was lost after a reload')
    await page.getByText('System', { exact: true }).click()
    check((await theme()) === undefined, 'the theme does not follow the system')
    await look('appearance')
    await to('Help')
    await page.getByText('Open API reference').waitFor()
    const spilled = await page.evaluate(() =>
      [...document.querySelectorAll('dl > div')]
        .filter((row) => {
          const list = row.closest('section').getBoundingClientRect()
          return [...row.children].some((part) => part.getBoundingClientRect().left < list.left - 1)
        })
        .map((row) => row.textContent),
    )
    check(spilled.length === 0, `shortcuts leave their column: ${spilled}`)
    await look('help')

    // Sign out everywhere, then delete the account.
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
      await gone.getByRole('button', { name: 'Delete permanently' }).isDisabled(),
      'an account can be deleted without confirmation',
    )
    await gone.getByLabel('Type ada to confirm').fill('ada')
    await gone.getByLabel('Your password').fill('not the password')
    await gone.getByRole('button', { name: 'Delete permanently' }).click()
    await gone.getByText(/password is wrong/i).waitFor()
    await gone.getByLabel('Your password').fill(other)
    check((await gone.getByText(/password is wrong/i).count()) === 0, 'the message about the password stays')
    await look('delete-account')
    await gone.getByRole('button', { name: 'Delete permanently' }).click()
    await page.getByText('Your account was deleted').waitFor()
  },
  { expected: ['/auth/check', '/auth/request-email-change', '/users/me'] },
) // errors after signing out everywhere, and for the wrong passwords
