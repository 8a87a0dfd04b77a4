// Renames the speakers of a transcript by pointer and keyboard, undoes one name, and joins two speakers.
//
// Environment:
//   BASE_URL  address of the server
//   SESSION   session cookie as name=value
//   PROJECT   UUID of an analyzed project in which SPEAKER_00, SPEAKER_01 and SPEAKER_00 take turns
import { ask, check, enter, look, page, run, until } from './browser.mjs'

const { BASE_URL: base, SESSION: session, PROJECT: project } = process.env

// speakers returns the speaker of each word, as the server has them.
const speakers = async () =>
  (await ask('GET', `/projects/${project}`)).transcript.words
    .map((w) => w.speaker)
    .filter((s, i, all) => s !== all[i - 1])

const named = (name) => page.getByRole('button', { name: `Rename the speaker ${name} everywhere` })

// rename types a name into the field of a speaker and ends with a key.
async function rename(before, after, key = 'Enter') {
  await named(before).first().click()
  const field = page.getByRole('textbox', { name: `New name of the speaker ${before}` })
  await field.focus()
  await page.keyboard.press('Control+a')
  await page.keyboard.type(after)
  await page.keyboard.press(key)
}

const are = (...names) =>
  until(`the speakers are ${names}`, async () => JSON.stringify(await speakers()) === JSON.stringify(names))

await run(async () => {
  await enter(base, session)
  await page.goto(`${base}/projects/${project}`)
  await named('SPEAKER_00').first().waitFor()
  check((await named('SPEAKER_00').count()) === 2, 'a name starts each turn')
  await rename('SPEAKER_00', 'nobody', 'Escape')
  await named('SPEAKER_00').first().waitFor()
  await rename('SPEAKER_00', 'Ada Lovelace')
  await named('Ada Lovelace').nth(1).waitFor()
  await are('Ada Lovelace', 'SPEAKER_01', 'Ada Lovelace')
  await look('renamed')
  await named('SPEAKER_01').focus()
  await page.keyboard.press('Enter')
  await page.keyboard.type('Ada Lovelace')
  await page.keyboard.press('Enter')
  await are('Ada Lovelace')
  await page.locator('[data-transcript]').focus()
  await page.keyboard.press('Control+z')
  await named('SPEAKER_01').waitFor()
  await rename('SPEAKER_01', 'Grace Hopper')
  await named('Grace Hopper').waitFor()
  await are('Ada Lovelace', 'Grace Hopper', 'Ada Lovelace')
})
