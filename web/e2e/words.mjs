// Replaces a text in the transcript and the captions by keyboard, undoes it, and edits the vocabulary.
//
// Environment:
//   BASE_URL  address of the server
//   SESSION   session cookie as name=value
//   PROJECT   UUID of an analyzed project whose talk contains "small kitchen" and "window"
import { ask, check, enter, look, page, run, until } from './browser.mjs'

const { BASE_URL: base, SESSION: session, PROJECT: project } = process.env

// texts returns the transcript and the captions as the server has them.
async function texts() {
  const { transcript } = await ask('GET', `/projects/${project}`)
  const { items } = await ask('GET', `/projects/${project}/caption-lines/?page_size=200`)
  const words = transcript.words.map((w) => `${w.text.trim()}@${w.start_ms}-${w.end_ms}`)
  return { words: words.join(' '), captions: items.map((l) => l.text).join(' ') }
}

async function replaceByKeyboard() {
  const before = await texts()
  check(before.words.includes('small@'), `the transcript is ${before.words}`)
  await page.keyboard.press('Control+h')
  await page.keyboard.type('small kitchen')
  await page.getByRole('textbox', { name: 'Replace with' }).focus()
  await page.keyboard.type('photo studio set')
  await page.getByText('1 of 1 place').waitFor()
  await page.getByRole('list', { name: 'Places' }).getByText('photo studio set').waitFor()
  await look('replace')
  await page.getByText('1 of 1 place').waitFor()
  await page.getByRole('checkbox', { name: 'Add to vocabulary' }).check()
  await page.getByRole('textbox', { name: 'Replace with' }).focus()
  await page.keyboard.press('Enter')
  await page.getByText('Replaced 1 place').waitFor()
  await page.locator('[data-word]').filter({ hasText: 'studio' }).waitFor()
  const after = await texts()
  check(!after.words.includes('kitchen') && after.captions.includes('photo studio set'), JSON.stringify(after))
  await until('the term is in the vocabulary', async () =>
    (await ask('GET', `/projects/${project}`)).vocabulary.includes('photo studio set'),
  )
  await page.keyboard.press('Escape')
  await page.locator('[data-transcript]').focus()
  await page.keyboard.press('Control+z')
  await page.locator('[data-word]').filter({ hasText: 'kitchen' }).waitFor()
  await until('the texts are restored', async () => JSON.stringify(await texts()) === JSON.stringify(before))
  await page.keyboard.press('Control+Shift+z')
  await page.locator('[data-word]').filter({ hasText: 'studio' }).waitFor()
}

// Leaves out a place of a frequent word.
async function replaceSome() {
  await page.keyboard.press('Control+h')
  await page.getByRole('textbox', { name: 'Find in transcript' }).fill('the')
  await page.getByRole('textbox', { name: 'Replace with' }).fill('THE')
  const places = page.getByRole('list', { name: 'Places' }).getByRole('checkbox')
  await places.nth(1).waitFor()
  const all = await places.count()
  await places.first().uncheck()
  await page.getByText(`${all - 1} of ${all} places`).waitFor()
  await page.getByRole('button', { name: `Replace ${all - 1}`, exact: true }).click()
  await page.getByText(`Replaced ${all - 1} place`).waitFor()
  const { words } = await texts()
  check(words.split(' ').filter((w) => w.startsWith('THE@')).length > 0 && / the@/.test(words), words)
}

async function vocabularies() {
  await page
    .getByRole('button', { name: /More choices|choices/ })
    .first()
    .click()
  await page.getByText('Vocabulary (1)').click()
  const add = page.getByRole('textbox', { name: 'Add to project vocabulary' })
  await add.fill('Ada Lovelace, C++')
  await add.press('Enter')
  await page.getByText('Vocabulary (3)').waitFor()
  await page.getByRole('button', { name: 'Remove C++' }).click()
  await page.getByText('Vocabulary (2)').waitFor()
  await look('project-vocabulary') // the narrow window closes the popover
  await page.goto(`${base}/settings/words`)
  const list = page.getByRole('textbox', { name: 'Add to Vocabulary' })
  await list.fill(Array.from({ length: 24 }, (_, i) => `Name ${i}`).join('\n'))
  await list.press('Enter')
  await page.getByRole('searchbox', { name: 'Filter Vocabulary' }).fill('name 7')
  await page.getByText('1 of 24').waitFor()
  await page.getByRole('searchbox', { name: 'Filter Vocabulary' }).fill('')
  await look('vocabulary')
}

await run(async () => {
  await enter(base, session)
  await page.goto(`${base}/projects/${project}`)
  await page.locator('[data-word]').first().waitFor()
  await replaceByKeyboard()
  await replaceSome()
  await vocabularies()
})
