// Edits captions and their speakers by keyboard and by dragging, searches and replaces in them, imports a file, and undoes all of it.
// Then saves a frame and exports the audio alone.
//
// Environment:
//   BASE_URL  address of the server
//   SESSION   session cookie as name=value
//   PROJECT   UUID of an analyzed project with at least three captions
import { readFile } from 'node:fs/promises'
import { Buffer } from 'node:buffer'
import { ask, check, enter, look, page, run, until } from './browser.mjs'

const { BASE_URL: base, SESSION: session, PROJECT: project } = process.env

const lines = async () => (await ask('GET', `/projects/${project}/caption-lines/?page_size=200`)).items
const state = async () => JSON.stringify((await lines()).map((l) => [l.text, l.start_ms, l.end_ms]))
const undone = (before) => until('undo restores the captions', async () => (await state()) === before)
const undo = () => page.getByRole('button', { name: /^Undo/ }).click()

const list = (page) => page.getByRole('list', { name: 'Caption lines' })
const field = (n) => list(page).getByRole('listitem').nth(n).locator('textarea')

// Splits a caption at the cursor, merges it again, deletes and adds one, all by keyboard.
async function byKeyboard() {
  const before = await state()
  const [first] = await lines()
  await field(0).click()
  await page.keyboard.press('Home')
  const offset = first.text.indexOf(' ') + 1
  for (let i = 0; i < offset; i++) await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Control+Enter')
  await until('the caption is split', async () => (await lines())[0].text === first.text.slice(0, offset).trim())
  await until('the second part has the focus', () => field(1).evaluate((e) => e === document.activeElement))
  await look('captions-split')
  const [head, tail] = await lines()
  check(head.end_ms === tail.start_ms && tail.end_ms === first.end_ms, JSON.stringify([head, tail]))
  await page.keyboard.press('Alt+ArrowUp')
  await until('the first part has the focus', () => field(0).evaluate((e) => e === document.activeElement))
  await page.keyboard.press('Control+j')
  await until('the parts are merged', async () => (await lines())[0].text === first.text)
  await until('the caption has the focus', () => field(0).evaluate((e) => e === document.activeElement))
  await page.keyboard.press('Control+Shift+Backspace')
  await until('the caption is deleted', async () => (await lines())[0].uuid !== first.uuid)
  for (let i = 0; i < 3; i++) await undo()
  await undone(before)
}

// Gives a caption a speaker by keyboard.
async function speaker() {
  const first = async () => (await lines())[0].speaker ?? ''
  await field(0).click()
  await page.keyboard.press('Alt+s')
  const name = list(page).getByRole('listitem').nth(0).locator('[data-caption-speaker]')
  await until('the field for the speaker has the focus', () => name.evaluate((e) => e === document.activeElement))
  await page.keyboard.type('Ana')
  await page.keyboard.press('Enter')
  await until('the caption has the speaker', async () => (await first()) === 'Ana')
  await look('captions-speaker')
  await undo()
  await until('undo takes the speaker away', async () => (await first()) === '')
}

// Types a start and an end, and moves the end with the arrow keys.
async function times() {
  const before = await state()
  const [first] = await lines()
  await field(0).click()
  const end = page.getByRole('textbox', { name: /^End of/ })
  await end.press('ArrowDown')
  await until('the end has moved', async () => (await lines())[0].end_ms === first.end_ms - 100)
  const start = page.getByRole('textbox', { name: /^Start of/ })
  await start.fill(((first.start_ms + 150) / 1000).toFixed(3))
  await start.press('Enter')
  await until('the start has moved', async () => (await lines())[0].start_ms === first.start_ms + 150)
  await undo()
  await undo()
  await undone(before)
}

// Drags the end of a caption on the timeline.
async function drag() {
  const before = await state()
  const [first] = await lines()
  const block = page.locator(`[data-caption="${first.uuid}"]`)
  await block.waitFor()
  await look('captions-lane')
  const box = await block.locator('[data-edge=right]').boundingBox()
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
  await page.mouse.down()
  await page.mouse.move(box.x - 12, box.y + box.height / 2, { steps: 4 })
  await page.mouse.up()
  await until('the end has moved', async () => (await lines())[0].end_ms < first.end_ms)
  check((await lines())[0].start_ms === first.start_ms, 'the start has moved')
  await block.dblclick()
  await until('the text has the focus', () => field(0).evaluate((e) => e === document.activeElement))
  await page.keyboard.press('Escape')
  await undo()
  await undone(before)
}

// Replaces a word in all captions, and shows only the captions that have it.
async function replace() {
  const before = await state()
  const [first] = await lines()
  const word = first.text.split(' ')[0]
  await page.keyboard.press('Control+Shift+h')
  await page.getByRole('textbox', { name: 'Find in captions' }).fill(word)
  await page.getByText(/^\d+ captions?$/).waitFor()
  await page.getByRole('textbox', { name: 'Replace with' }).fill('Anything')
  await page.getByText(/^\d+ of \d+ places?$/).waitFor()
  await look('captions-replace')
  await page.getByRole('textbox', { name: 'Replace with' }).press('Enter')
  await until('the text is replaced', async () => (await lines())[0].text.startsWith('Anything'))
  const { transcript } = await ask('GET', `/projects/${project}`)
  check(!transcript.words.some((w) => w.text.includes('Anything')), 'the transcript has changed')
  await page.getByRole('button', { name: 'Close', exact: true }).click()
  await undo()
  await undone(before)
}

// Imports a subtitle file, looks at the history, and undoes it there after a reload.
async function importFile() {
  const before = await state()
  const file = {
    name: 'talk.srt',
    mimeType: 'application/x-subrip',
    buffer: Buffer.from(
      '\ufeff1\r\n00:00:00,500 --> 00:00:02,000\r\nFirst\r\n\r\n2\r\n00:00:02,500 --> 00:00:04,000\r\nSecond\r\n',
    ),
  }
  const choose = async () => {
    await page.getByLabel(/^Subtitle file/).setInputFiles(file)
    await page
      .getByRole('dialog')
      .getByText(/“talk.srt” replaces/)
      .waitFor()
  }
  await choose()
  await look('captions-import') // a narrow window closes the dialog
  await choose()
  await page.getByRole('dialog').getByRole('button', { name: 'Import' }).click()
  await page.getByText('Imported 2 captions').waitFor()
  check((await lines()).map((l) => l.text).join() === 'First,Second', await state())
  await page.getByLabel(/^Subtitle file/).setInputFiles({
    name: 'latin.srt',
    mimeType: 'application/x-subrip',
    buffer: Buffer.from([0x31, 0x0a, 0xe9, 0x80, 0xff]),
  })
  await page.getByText('The file is not UTF-8 text.').waitFor()
  await page.reload()
  await page.getByRole('button', { name: 'History' }).click()
  await page.getByText('Import captions').waitFor()
  await look('captions-history')
  await page.keyboard.press('Escape')
  await undo()
  await undone(before)
}

// Gives the clip a transcript and removes it again.
async function transcript() {
  await page.getByRole('tab', { name: /^Clips/ }).click()
  await page.getByLabel(/^Transcript of /).setInputFiles({
    name: 'spoken.vtt',
    mimeType: 'text/vtt',
    buffer: Buffer.from('WEBVTT\n\n00:00.700 --> 00:03.400\nhello everyone and welcome back to the channel\n'),
  })
  await page.getByText('Imported spoken.vtt').waitFor()
  await page.getByText('Transcript: spoken.vtt').waitFor()
  await look('clip-transcript')
  await page.locator('[data-clip]').click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Remove transcript' }).click()
  await page.getByText('Transcript: spoken.vtt').waitFor({ state: 'detached' })
}

// Saves the frame at the playhead in both file types, and exports the audio alone.
async function stillAndAudio() {
  for (const [keys, extension, start] of [
    ['Shift+S', '.png', '89504e47'],
    ['Alt+Shift+S', '.jpg', 'ffd8ff'],
  ]) {
    const [saved] = await Promise.all([page.waitForEvent('download'), page.keyboard.press(keys)])
    const name = saved.suggestedFilename()
    const bytes = await readFile(await saved.path())
    check(name.endsWith(extension) && bytes.toString('hex').startsWith(start), `${name} has ${bytes.length} bytes`)
  }
  await page.getByRole('button', { name: 'Export', exact: true }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Export video' })
  await dialog.getByLabel('File type').selectOption('opus')
  await dialog.getByText(/^Audio only, about/).waitFor()
  await look('export-audio')
  await dialog.getByRole('button', { name: 'Export', exact: true }).click()
  await until('the export is finished', async () => {
    const { items } = await ask('GET', `/projects/${project}/exports/`)
    return items[0]?.status === 'completed' && items[0]
  })
  const { items } = await ask('GET', `/projects/${project}/exports/`)
  check(items[0].content_type === 'audio/ogg' && items[0].width === null, JSON.stringify(items[0]))
  const { filename } = await ask('GET', `/exports/${items[0].uuid}/download-url`)
  check(filename.endsWith('.opus'), filename)
  await look('export-finished')
}

await run(async () => {
  await enter(base, session)
  await page.goto(`${base}/projects/${project}`)
  await page.getByRole('tab', { name: 'Captions' }).click()
  await list(page).waitFor()
  await byKeyboard()
  await speaker()
  await times()
  await drag()
  await replace()
  await importFile()
  await transcript()
  await stillAndAudio()
})
