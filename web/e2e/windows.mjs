// Opens a project in two windows. Changes of cuts, captions and words in one show in the other, and keep what is being typed
// and dragged there. A window without the event stream undoes the newest change of the other one.
//
// Environment:
//   BASE_URL  address of the server
//   SESSION   session cookie as name=value
//   PROJECT   UUID of an analyzed project with two cuts, two captions and speech
import { ask, check, enter, page, PATIENCE_MS, run, until } from './browser.mjs'

const { BASE_URL: base, SESSION: session, PROJECT: project } = process.env

let other

async function open(prepare) {
  const window = await page.context().newPage()
  window.setDefaultTimeout(PATIENCE_MS)
  if (prepare) await window.addInitScript(prepare)
  await window.goto(`${base}/projects/${project}`)
  await window.locator('[data-cut]').first().waitFor()
  return window
}

const saved = async (window) => Number(await window.getByTestId('total-saved').getAttribute('data-ms'))
const toggle = (window, n) => window.locator('[data-cut]').nth(n).getByRole('switch').click()
const undo = (window) => window.getByRole('button', { name: /^Undo/ }).click()
const stored = (window) => window.getByTestId('saved').filter({ hasText: 'All changes saved' }).waitFor()

// A cut that is toggled in one window changes in the other, and so do its undo and redo.
async function cuts() {
  const before = await saved(page)
  check((await saved(other)) === before, 'the windows differ from the start')
  await toggle(page, 0)
  await until('the other window shows the toggled cut', async () => (await saved(other)) !== before)
  const after = await saved(page)
  check((await saved(other)) === after, 'the windows differ after a cut was toggled')
  await undo(other)
  await until('the first window shows the undo', async () => (await saved(page)) === before)
  await page.getByRole('button', { name: /^Redo/ }).click()
  await until('the other window shows the redo', async () => (await saved(other)) === after)
  await undo(page)
  await until('the other window shows the second undo', async () => (await saved(other)) === before)
}

// A drag on the timeline survives a change of the other window.
async function drag() {
  const { items } = await ask('GET', `/projects/${project}/edits/`)
  const before = await saved(page)
  const edge = other.locator('canvas').last()
  const box = await edge.boundingBox()
  check(box && items.length > 1, 'there is no timeline')
  await other.mouse.move(box.x + 40, box.y + box.height - 40)
  await other.mouse.down()
  await other.mouse.move(box.x + 140, box.y + box.height - 40, { steps: 5 })
  await toggle(page, 1)
  await until('the window with the drag shows the change', async () => (await saved(other)) !== before)
  await other.mouse.move(box.x + 180, box.y + box.height - 40, { steps: 3 })
  await other.mouse.up()
  await other.keyboard.press('Delete')
  await until('the dragged footage is cut', async () =>
    (await ask('GET', `/projects/${project}/edits/`)).items.some((e) => e.type === 'manual'),
  )
  await stored(other)
  await undo(other)
  await undo(other)
  await until('both changes are undone', async () => (await saved(page)) === before)
}

const caption = (window, n) =>
  window.getByRole('list', { name: 'Caption lines' }).getByRole('listitem').nth(n).locator('textarea')
const captions = async () => (await ask('GET', `/projects/${project}/caption-lines/?page_size=200`)).items

// Typing in a caption survives changes of the other window to other captions and to the same one.
async function typing() {
  const before = await captions()
  for (const window of [page, other]) await window.getByRole('tab', { name: 'Captions' }).click()
  const field = caption(other, 0)
  await field.click()
  await field.press('End')
  await other.keyboard.type(' and')
  await caption(page, 1).fill('Changed in the first window')
  await caption(page, 1).press('Enter')
  await until('the other window shows the caption', async () =>
    (await caption(other, 1).inputValue()).startsWith('Changed'),
  )
  await caption(page, 0).fill('The same caption')
  await caption(page, 0).press('Enter')
  await until('the server has the caption', async () => (await captions())[0].text === 'The same caption')
  await until('the other window knows the change', () =>
    other.getByRole('button', { name: /^Revert|original/i }).count(),
  )
  await other.keyboard.type(' more')
  check((await field.inputValue()) === `${before[0].text} and more`, `the field has ${await field.inputValue()}`)
  await field.press('Enter')
  await until(
    'the first window shows what was typed',
    async () => (await caption(page, 0).inputValue()) === `${before[0].text} and more`,
  )
  for (let i = 0; i < 3; i++) {
    await undo(page)
    await stored(page)
  }
  const text = (lines) => lines.map((l) => l.text).join('|')
  await until('the captions are restored', async () => text(await captions()) === text(before))
  await until(
    'the other window shows the captions',
    async () => (await caption(other, 0).inputValue()) === before[0].text,
  )
}

const word = (window, text) => window.locator('[data-word]').filter({ hasText: text }).first()

// The field of a correction stays with its word when the other window changes the number of words before it.
async function correcting() {
  for (const window of [page, other]) await window.getByRole('tab', { name: 'Transcript' }).click()
  const { transcript } = await ask('GET', `/projects/${project}`)
  const words = transcript.words.map((w) => w.text.trim())
  const late = words.findLastIndex((w) => /^[a-z]{4,}$/i.test(w))
  const early = words.findIndex((w) => /^[a-z]{4,}$/i.test(w))
  check(early >= 0 && late > early, `the transcript is ${words.join(' ')}`)
  await other.locator(`[data-word="${late}"]`).click()
  await other.keyboard.press('F2')
  const field = other.getByRole('textbox', { name: /^Correct “/ })
  await field.fill('penultimate')
  await page.locator(`[data-word="${early}"]`).click()
  await page.keyboard.press('F2')
  await page.getByRole('textbox', { name: /^Correct “/ }).fill('one two three')
  await page.keyboard.press('Enter')
  await word(other, 'three').waitFor()
  check((await field.inputValue()) === 'penultimate', `the field has ${await field.inputValue()}`)
  await field.press('Enter')
  await word(page, 'penultimate').waitFor()
  const now = (await ask('GET', `/projects/${project}`)).transcript.words.map((w) => w.text.trim())
  const wanted = words.with(late, 'penultimate').toSpliced(early, 1, 'one', 'two', 'three')
  check(now.join(' ') === wanted.join(' '), `the transcript is ${now.join(' ')}`)
  for (let i = 0; i < 2; i++) {
    await undo(page)
    await stored(page)
  }
  await word(other, words[early]).waitFor()
}

// A window that gets no events undoes the newest change, which another window made, and then its own.
async function stale() {
  const deaf = await open(() => {
    window.EventSource = class {
      addEventListener() {}
      close() {}
    }
  })
  const before = await saved(page)
  await toggle(deaf, 0)
  await stored(deaf)
  const own = await saved(deaf)
  await until('the first window shows the change', async () => (await saved(page)) === own)
  await toggle(page, 1)
  await stored(page)
  check((await saved(deaf)) === own, 'the window without events has the change of the other one')
  await undo(deaf)
  await deaf.getByText('Another window had made a newer change.').waitFor()
  check((await deaf.getByText('Could not save').count()) === 0, 'the undo was refused')
  await until('the undo reverts the newest change', async () => (await saved(deaf)) === own)
  await undo(deaf)
  await until('the second undo reverts the own change', async () => (await saved(deaf)) === before)
  await until('the first window shows both', async () => (await saved(page)) === before)
  // The way back to an older state stops instead of undoing something else.
  await toggle(deaf, 0)
  await stored(deaf)
  await toggle(page, 1)
  await stored(page)
  const both = await saved(page)
  await deaf.getByRole('button', { name: 'History' }).click()
  await deaf.getByRole('button', { name: 'Before all changes' }).click()
  await deaf.getByText('Another window has changed the project.').waitFor()
  await until('the window is up to date', async () => (await saved(deaf)) === both)
  await deaf.keyboard.press('Escape')
  for (let i = 0; i < 2; i++) {
    await undo(deaf)
    await stored(deaf)
  }
  await until('both windows are as before', async () => (await saved(page)) === before)
  await deaf.close()
}

await run(
  async () => {
    await enter(base, session)
    await page.goto(`${base}/projects/${project}`)
    await page.locator('[data-cut]').first().waitFor()
    other = await open()
    await cuts()
    await drag()
    await typing()
    await correcting()
    await stale()
  },
  { viewport: { width: 1440, height: 900 } },
)
