// Corrects a word, selects and cuts words, replaces a text in the transcript and the captions by keyboard, undoes all of it,
// and edits the vocabulary.
//
// Environment:
//   BASE_URL  address of the server
//   SESSION   session cookie as name=value
//   PROJECT   UUID of an analyzed project whose talk contains "small kitchen", "morning" and "window"
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

const word = (text) => page.locator('[data-word]').filter({ hasText: text }).first()
const removed = (locator) =>
  locator.evaluate((e) => window.getComputedStyle(e).textDecorationLine.includes('line-through'))

// Corrects a word in place; the captions and the search follow, and undo restores it. Typing keeps the full stop.
async function correctWord() {
  const before = await texts()
  const last = page.locator('[data-word]').filter({ hasText: '.' }).first()
  const pauses = await page.locator('[data-pause]').count()
  await last.dblclick()
  await page.keyboard.press('F2')
  await page.getByRole('textbox', { name: /^Correct “/ }).waitFor()
  check((await page.locator('[data-pause]').count()) === pauses, 'the field hides a pause')
  await page.keyboard.type('harbor')
  await page.keyboard.press('Enter')
  await word('harbor.').waitFor()
  await page.keyboard.press('Control+z')
  await until('the sentence is restored', async () => JSON.stringify(await texts()) === JSON.stringify(before))
  check(/window/i.test(before.words) && /window/i.test(before.captions), JSON.stringify(before))
  await word(/window/i).click()
  await page.keyboard.press('F2')
  const field = page.getByRole('textbox', { name: /^Correct “/ })
  await field.waitFor()
  await look('correct')
  await field.fill('casement')
  await field.press('Enter')
  await word('casement').waitFor()
  const after = await texts()
  check(after.captions.includes('casement') && !/window/i.test(after.words), JSON.stringify(after))
  await until('the search finds the corrected word', async () =>
    (await ask('GET', '/search?kind=transcript&q=casement')).items.some((hit) => hit.project_uuid === project),
  )
  await page.keyboard.press('Control+z')
  await word(/window/i).waitFor()
  await until('the correction is undone', async () => JSON.stringify(await texts()) === JSON.stringify(before))
  await word(/window/i).click()
  await page.keyboard.press('F2')
  await field.fill('something else')
  await field.press('Escape')
  await word(/window/i).waitFor()
  check(JSON.stringify(await texts()) === JSON.stringify(before), 'Escape has changed the text')
}

// Pauses are chips; words and sentences are selected by clicks, keys and the context menu.
async function select() {
  const chips = page.locator('[data-pause]')
  await chips.first().waitFor()
  const cutChip = page
    .locator('[data-pause]')
    .and(page.getByLabel(/ stays$|, cut$/))
    .first()
  check(await removed(cutChip), 'the chip of a cut pause has no strike-through')
  await cutChip.click()
  await page.locator('[data-cut][aria-selected=true]').waitFor()
  const bar = page.getByText(/^\d+ words?, /)
  await word(/morning/i).dblclick()
  await page.getByText(/^1 word, /).waitFor()
  await word(/morning/i).click({ clickCount: 3 })
  await until('a triple click selects the sentence', async () => !/^1 word, /.test(await bar.textContent()))
  const sentence = await bar.textContent()
  await word(/morning/i).dblclick()
  await page.keyboard.press('Alt+Shift+ArrowRight')
  await until('the keys select the same sentence', async () => (await bar.textContent()) === sentence)
  const menu = page.getByRole('menu', { name: 'Words' })
  const openByKey = async () => {
    await word(/morning/i).dblclick()
    await page.locator('[data-transcript]').focus()
    await page.keyboard.press('Shift+F10')
    await menu.waitFor()
  }
  await openByKey()
  await look('word-menu') // a narrow window closes the menu
  await page.keyboard.press('Escape')
  await openByKey()
  await menu.getByRole('menuitem', { name: 'Correct the text' }).click()
  await page.getByRole('textbox', { name: /^Correct “morning/i }).press('Escape')
  await word(/morning/i).click({ button: 'right' })
  await menu.getByRole('menuitem', { name: /^Cut/ }).click()
  await until('the word is cut', () => removed(word(/morning/i)))
  await page.getByRole('tab', { name: 'Captions' }).click()
  await page.getByText('Partly cut').first().waitFor()
  await look('captions')
  await page.getByRole('tab', { name: 'Transcript' }).click()
  await page.keyboard.press('Control+z')
  await until('the word is restored', async () => !(await removed(word(/morning/i))))
}

// Cuts and restores all matches of a search, each in one undoable step.
async function cutMatches() {
  await page.keyboard.press('Control+f')
  await page.getByRole('textbox', { name: 'Find in transcript' }).fill('the')
  const cut = page.getByRole('button', { name: /^Cut (all )?\d+ match/ })
  await cut.waitFor()
  await cut.click()
  await cut.waitFor({ state: 'detached' })
  const found = page.locator('.word-found')
  for (const match of await found.all()) check(await removed(match), `${await match.textContent()} is not cut`)
  await look('matches')
  await page.getByRole('button', { name: /^Restore (all )?\d+ match/ }).click()
  await cut.waitFor()
  for (const match of await found.all()) check(!(await removed(match)), `${await match.textContent()} is cut`)
  await page.getByRole('textbox', { name: 'Find in transcript' }).press('Escape')
  await page.keyboard.press('Control+z')
  await page.keyboard.press('Control+z')
}

// Cuts five words and restores the one in the middle: exactly that word comes back.
async function restoreWord() {
  const said = (await ask('GET', `/projects/${project}`)).transcript.words
  const cuts = async () =>
    (await ask('GET', `/projects/${project}/edits/?page_size=200`)).items
      .filter((e) => e.active && e.type !== 'asset')
      .map((e) => `${e.start_ms}-${e.end_ms}`)
  const before = await cuts()
  const all = (await ask('GET', `/projects/${project}/edits/?page_size=200`)).items.filter((e) => e.active)
  const near = (i) => all.some((e) => e.start_ms < said[i + 4].end_ms + 500 && e.end_ms > said[i].start_ms - 500)
  const first = said.findIndex((_, i) => i > 0 && i + 4 < said.length && !near(i))
  check(first > 0, 'no five words are clear of cuts')
  await page.locator(`[data-word="${first}"]`).click()
  for (let i = 0; i < 5; i++) await page.keyboard.press('Shift+ArrowRight')
  await page.getByText(/^5 words, /).waitFor()
  await page.keyboard.press('Delete')
  await until('the words are cut', async () => (await cuts()).length === before.length + 1)
  const whole = (await cuts()).find((c) => !before.includes(c)).split('-')
  await page.locator(`[data-word="${first + 2}"]`).dblclick()
  await page
    .getByRole('button', { name: /^Restore/ })
    .first()
    .click()
  const { start_ms, end_ms } = said[first + 2]
  await until('the word is restored', async () => (await cuts()).length === before.length + 2)
  const left = (await cuts()).filter((c) => !before.includes(c))
  check(
    left.join() === `${whole[0]}-${start_ms},${end_ms}-${whole[1]}`,
    `of the cut ${whole.join('-')} the restored word at ${start_ms}-${end_ms} leaves ${left}`,
  )
  for (let i = 0; i < 2; i++) await page.keyboard.press('Control+z')
  await until('undo restores the cuts', async () => (await cuts()).join() === before.join())
}

const saved = () => page.getByText('All changes saved').waitFor()
const edits = async () => (await ask('GET', `/projects/${project}/edits/`)).items
const markers = async () => (await ask('GET', `/projects/${project}/markers/`)).items

// The place of a project time on the timeline.
async function place(ms) {
  const canvas = page.locator('canvas[data-wave-top]')
  const box = await canvas.boundingBox()
  const { waveTop, startMs, msPerPx } = await canvas.evaluate((c) => ({ ...c.dataset }))
  return { x: box.x + (ms - Number(startMs)) / Number(msPerPx), ruler: box.y + 10, wave: box.y + Number(waveTop) + 40 }
}

// Splits the footage twice, removes the segment between the splits by a click and Delete, and starts a chapter.
async function segments() {
  await page.locator('canvas[data-words-lane]').waitFor()
  const [from, to] = [15_000, 16_000]
  for (const ms of [from, to]) {
    const at = await place(ms)
    await page.mouse.click(at.x, at.ruler)
    await page.keyboard.press('s')
    await until('the split is stored', async () => (await markers()).some((m) => Math.abs(m.time_ms - ms) < 60))
  }
  const [first, second] = (await markers()).map((m) => m.time_ms)
  const at = await place((first + second) / 2)
  await page.mouse.click(at.x, at.wave)
  await page.getByText(/^Selected: /).waitFor()
  await look('segment')
  const inside = await place((first + second) / 2)
  await page.mouse.click(inside.x, inside.wave)
  await page.keyboard.press('Delete')
  const cut = await until('the segment is cut', async () =>
    (await edits()).find((e) => e.type === 'manual' && e.start_ms === first && e.end_ms === second),
  )
  // The edge of a cut that is not selected can be dragged.
  await page.keyboard.press('Escape')
  const edge = await place(second)
  await page.mouse.move(edge.x, edge.wave)
  await page.mouse.down()
  await page.mouse.move(edge.x + 30, edge.wave, { steps: 5 })
  await page.mouse.up()
  await until('the end of the cut has moved', async () =>
    (await edits()).some((e) => e.uuid === cut.uuid && e.end_ms > second + 100),
  )
  await page.keyboard.press('Control+z')
  await page.mouse.click(edge.x + 60, edge.ruler)
  await page.keyboard.press('m')
  const title = page.getByRole('textbox', { name: 'Title of the chapter' })
  await title.waitFor()
  check((await title.inputValue()) !== '', 'the spoken words do not propose a title for the chapter')
  await page.keyboard.type('Morning light') // replaces the selected proposal
  await title.press('Enter')
  await page.getByRole('button', { name: /^Morning light, at / }).waitFor()
  await until('the chapter has its title', async () => (await markers()).some((m) => m.name === 'Morning light'))
  await look('chapter')
  const text = await page.evaluate(async (url) => (await fetch(url)).text(), `/api/v1/projects/${project}/chapters.txt`)
  check(/^0:00 Intro\n0:\d\d Morning light\n$/.test(text), `the chapters are ${text}`)
  await page.getByRole('tab', { name: 'Exports' }).click()
  check(
    (await page.getByRole('link', { name: 'Chapters, .txt' }).getAttribute('href')) ===
      `/api/v1/projects/${project}/chapters.txt`,
    'the exports have no link to the chapters',
  )
  await page.getByRole('tab', { name: /^Cuts/ }).click()
  await page.reload() // undo works afterwards
  await page.getByRole('button', { name: /^Morning light, at / }).waitFor()
  await page.getByRole('button', { name: /^Undo/ }).and(page.locator(':enabled')).waitFor()
  for (let i = 0; i < 2; i++) await page.keyboard.press('Control+z') // title and chapter
  await until('the chapter is gone', async () => (await markers()).every((m) => m.kind === 'split'))
  await saved()
}

// Chooses two cuts, rejects them together and undoes it; filters by length; six cuts fit into a common laptop window.
async function chooseCuts() {
  const viewport = page.viewportSize()
  await page.setViewportSize({ width: 1366, height: 768 })
  await page.keyboard.press('Escape')
  const rows = page.locator('[data-cut]')
  const list = page.getByRole('grid', { name: 'Cuts' })
  const shown = await list.evaluate((grid) => {
    const box = grid.getBoundingClientRect()
    return [...grid.querySelectorAll('[data-cut]')].filter(
      (row) => row.getBoundingClientRect().bottom <= box.bottom + 1,
    ).length
  })
  check(shown >= 6, `${shown} cuts are in view`)
  await look('cuts')
  await rows.nth(0).click()
  await rows.nth(2).click({ modifiers: ['Control'], position: { x: 60, y: 10 } })
  const active = async () => (await edits()).filter((e) => e.active).length
  const before = await active()
  await page
    .getByRole('toolbar', { name: 'Chosen cuts' })
    .getByText(/^2 cuts, /)
    .waitFor()
  await look('chosen')
  await page.keyboard.press('n')
  await until('both cuts are rejected', async () => (await active()) === before - 2)
  await page.keyboard.press('Control+z')
  await until('both cuts are accepted', async () => (await active()) === before)
  await list.focus()
  await page.keyboard.press('Control+a')
  await page.getByText(new RegExp(`^${(await edits()).length} cuts, `)).waitFor()
  await page.keyboard.press('Escape')
  await chooseByClicks()
  await page.getByRole('combobox', { name: 'Length of the cuts' }).selectOption('500')
  const short = (await edits()).filter((e) => e.end_ms - e.start_ms < 500).length
  await until('the list has the short cuts only', async () => (await rows.count()) === short)
  await page.getByRole('combobox', { name: 'Length of the cuts' }).selectOption('')
  await page.setViewportSize(viewport)
  await decideOnPhone()
}

// A thumb on Accept goes to the first cut, and then decides on it.
async function decideOnPhone() {
  const viewport = page.viewportSize()
  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByRole('tab', { name: /^Cuts/ }).click()
  const chosen = page.locator('[data-cut][aria-selected=true]')
  await until('no cut is selected', async () => {
    await page.keyboard.press('Escape')
    return (await chosen.count()) === 0
  })
  const active = async () => (await edits()).filter((e) => e.active).length
  const before = await active()
  const reject = page.getByRole('toolbar', { name: 'Cuts to review' }).getByRole('button', { name: 'Reject' })
  await reject.click()
  await chosen.waitFor()
  check((await active()) === before, 'a cut that no one has seen is rejected')
  await reject.click()
  await until('the cut is rejected', async () => (await active()) === before - 1)
  await page.keyboard.press('Control+z')
  await until('the cut is accepted', async () => (await active()) === before)
  await page.setViewportSize({ width: 911, height: 512 }) // a laptop at 150 %
  await page.getByRole('tab', { name: /^Cuts/ }).click()
  const list = page.getByRole('grid', { name: 'Cuts' })
  await list.scrollIntoViewIfNeeded()
  const { height } = await list.boundingBox()
  check(height >= 90, `the list of cuts is ${height} px high`)
  await page.setViewportSize(viewport)
}

// The bar below the list shows its whole text, before and after all cuts are chosen by clicks.
async function chooseByClicks() {
  const bar = page.getByRole('toolbar', { name: 'Chosen cuts' })
  const status = bar.getByRole('status')
  const whole = async () =>
    check(await status.evaluate((e) => e.scrollWidth <= e.clientWidth), 'the bar cuts off its text')
  await page.getByRole('button', { name: 'Choose several cuts' }).click()
  await bar.getByText('Choose cuts in the list').waitFor()
  await whole()
  await bar.getByRole('button', { name: 'All' }).click()
  await bar.getByText(/^\d+ cuts$/).waitFor()
  await whole()
  await bar.getByRole('button', { name: 'Choose none' }).click()
}

// Keys work after a click on a button and at a slider; several steps of a slider are one change.
async function keysEverywhere() {
  const pacing = page.getByRole('slider', { name: 'Pacing' })
  await pacing.focus()
  const at = async () => Number(await pacing.getAttribute('aria-valuenow'))
  const from = await at()
  let saves = 0
  const count = (request) => {
    if (request.url().endsWith('/replan') && !JSON.parse(request.postData()).dry_run) saves++
  }
  page.on('request', count)
  for (let i = 0; i < 6; i++) await page.keyboard.press('ArrowRight')
  check((await at()) === from + 6, `six steps lead from ${from} to ${await at()}`)
  await until('the turn is saved', () => saves > 0)
  await saved()
  check(saves === 1 && (await at()) === from + 6, `${saves} saves at ${await at()}`)
  await page.keyboard.press('Control+z')
  await until('undo restores the pacing', async () => (await at()) === from)
  page.off('request', count)
  await page.getByRole('button', { name: 'Zoom in' }).click()
  await page.keyboard.press('Space')
  await page.getByRole('button', { name: 'Pause', exact: true }).waitFor()
  await page.keyboard.press('Space')
  await page.getByRole('button', { name: 'Play', exact: true }).waitFor()
  await page.keyboard.press('z')
  await editInReverse()
}

// Rejects and accepts all silences while the video plays backward.
async function editInReverse() {
  const at = await place(20_000)
  await page.mouse.click(at.x, at.ruler)
  await page.keyboard.press('j')
  await page.getByRole('button', { name: 'Pause', exact: true }).waitFor()
  const silences = page.getByRole('switch', { name: 'All silences' })
  for (const on of ['false', 'true']) {
    await silences.click()
    await until('the silences are switched', async () => (await silences.getAttribute('aria-checked')) === on)
  }
  await page.keyboard.press('k')
  await page.getByRole('button', { name: 'Play', exact: true }).waitFor()
  await saved()
}

// Renames a clip in place.
async function renameClip() {
  await page.getByRole('tab', { name: /^Clips/ }).click()
  await page.locator('[data-clip] [data-thumbnail]').waitFor()
  await look('clips')
  await page.locator('[data-clip] button').first().focus()
  await page.keyboard.press('F2')
  const field = page.getByRole('textbox', { name: /^New name for / })
  await field.press('Escape')
  await page.keyboard.press('F2') // the clip has the focus again
  await field.fill('Kitchen, take 1')
  await field.press('Enter')
  await until('the clip has its name', async () =>
    (await ask('GET', `/projects/${project}/clips/`)).items.some((c) => c.name === 'Kitchen, take 1'),
  )
  await until('the focus is on the renamed clip', () =>
    page.evaluate(() => document.activeElement.textContent.includes('Kitchen, take 1')),
  )
  await page.getByRole('tab', { name: 'Transcript' }).click()
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
  await correctWord()
  await select()
  await cutMatches()
  await restoreWord()
  await segments()
  await chooseCuts()
  await keysEverywhere()
  await renameClip()
  await replaceByKeyboard()
  await replaceSome()
  await vocabularies()
})
