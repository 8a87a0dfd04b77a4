// Uses what surrounds the cuts: the review list with many kinds of cuts, several clips at once, chapters that are dragged and
// renamed in place, the punch-in of a join, music that is lowered under speech, and the waveform of a clip without video.
// Prints the output frame and the screenshot of the waveform as JSON.
//
// Environment:
//   BASE_URL  address of the server
//   SESSION   session cookie as name=value
//   PROJECT   uuid of a project with a video clip of 8 s with cuts of five kinds, one of them active from 2 to 3 s, and two
//             audio clips; placed music
//   PICTURE   path for the screenshot of the waveform
import { Buffer } from 'node:buffer'
import { ask, check, enter, look, page, run, settled, until } from './browser.mjs'

const { BASE_URL: base, SESSION: session, PROJECT: project, PICTURE: picture } = process.env

const saved = () => page.getByText('All changes saved').waitFor()
const clips = async () => (await ask('GET', `/projects/${project}/clips/`)).items.map((c) => c.name)
const chapters = async () => (await ask('GET', `/projects/${project}/markers/`)).items
const settings = async () => (await ask('GET', `/projects/${project}`)).export_settings

// The place of a project time on the timeline.
async function place(ms) {
  const canvas = page.locator('canvas[data-wave-top]')
  const box = await canvas.boundingBox()
  const { waveTop, startMs, msPerPx } = await canvas.evaluate((c) => ({ ...c.dataset }))
  return { x: box.x + (ms - Number(startMs)) / Number(msPerPx), ruler: box.y + 10, wave: box.y + Number(waveTop) + 40 }
}

async function goTo(ms) {
  const at = await place(ms)
  await page.mouse.click(at.x, at.ruler)
  await settled()
}

// A common laptop window shows six cuts next to the filters of five kinds.
async function sixCuts() {
  await page.locator('[data-cut]').first().waitFor()
  const kinds = await page.getByRole('switch', { name: /^All / }).count()
  check(kinds >= 5, `${kinds} kinds have a filter`)
  const rows = await page.getByRole('grid', { name: 'Cuts' }).evaluate((grid) => {
    const box = grid.getBoundingClientRect()
    const whole = (row) => row.getBoundingClientRect().bottom <= Math.min(box.bottom, window.innerHeight) + 1
    return [...grid.querySelectorAll('[data-cut]')].filter(whole).length
  })
  check(rows >= 6, `${rows} cuts are in view`)
  await page.getByRole('combobox', { name: 'Length of the cuts' }).waitFor()
  await look('cuts')
}

// Filters leave no hidden cut among the chosen ones. A list without a match can show all cuts again.
async function filterCuts() {
  const rows = async () => Number(await page.getByRole('grid', { name: 'Cuts' }).getAttribute('aria-rowcount'))
  const bar = page.getByRole('toolbar', { name: 'Chosen cuts' })
  const length = page.getByRole('combobox', { name: 'Length of the cuts' })
  const all = await rows()
  await page.getByRole('button', { name: 'Choose several cuts' }).click()
  await bar.getByRole('button', { name: 'All' }).click()
  await bar.getByText(`${all} cuts`).waitFor()
  await length.selectOption({ label: '< 0.25 s' })
  await bar.getByText('Choose cuts in the list').waitFor()
  check((await rows()) === all - 1, `${await rows()} of ${all} cuts are short`)
  await bar.getByRole('button', { name: 'Choose none' }).click()
  await page.getByRole('radio', { name: /below 50%/ }).click()
  await page.getByText('No cut matches the filters above.').waitFor()
  await look('no-match')
  await page.getByRole('button', { name: 'Show all cuts' }).click()
  await until('all cuts are listed', async () => (await rows()) === all)
  check((await length.inputValue()) === '', 'the list is still limited to short cuts')
}

// Chooses clips, moves them together, and removes two at once.
async function manyClips() {
  await page.getByRole('tab', { name: 'Clips' }).click()
  const row = (name) => page.locator('[data-clip]').filter({ hasText: name }).getByRole('button').first()
  const choose = async () => {
    await row('one.wav').click()
    await row('two.wav').click({ modifiers: ['Control'] })
    await page.getByRole('toolbar', { name: 'Chosen clips' }).getByText('2 clips').waitFor()
  }
  await choose()
  await look('clips')
  await choose() // a phone shows one pane at a time
  await page.keyboard.press('Alt+ArrowUp')
  await until('both clips are first', async () => (await clips()).join() === 'one.wav,two.wav,main.mp4')
  await page.keyboard.press('Control+z')
  await until('the order is restored', async () => (await clips()).join() === 'main.mp4,one.wav,two.wav')
  await page.getByRole('button', { name: 'Choose none' }).click()
  await page.getByRole('toolbar', { name: 'Chosen clips' }).waitFor({ state: 'detached' })
  await row('two.wav').dragTo(row('main.mp4'), { targetPosition: { x: 60, y: 4 } })
  await until('the dragged clip is first', async () => (await clips()).join() === 'two.wav,main.mp4,one.wav')
  await page.keyboard.press('Control+z')
  await until('the order is restored', async () => (await clips()).join() === 'main.mp4,one.wav,two.wav')
}

// Shows captions in the preview, which changes no export.
async function showCaptions() {
  const exported = async () => JSON.stringify(await settings())
  const before = await exported()
  const toggle = page.getByRole('button', { name: /^(Show|Hide) captions$/ })
  await toggle.click()
  check((await toggle.getAttribute('aria-pressed')) === 'true', 'captions are not shown')
  await page.keyboard.press('e')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('tab', { name: 'Captions' }).click()
  check(!(await dialog.getByRole('switch', { name: 'Burn in captions' }).isChecked()), 'an export would have captions')
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await until('the focus returns from the dialog', () => toggle.evaluate((e) => e === document.activeElement))
  check((await exported()) === before, `showing captions changed the export to ${await exported()}`)
  await toggle.click()
}

// Adds a file in the assets pane and places it at the playhead. Its menu offers what the playhead allows and hides it, and
// undo removes it.
async function addAsset() {
  await page.getByRole('tab', { name: 'Assets' }).click()
  const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
  await page
    .getByLabel('Add files')
    .setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer: Buffer.from(png, 'base64') })
  await page.getByRole('button', { name: 'Place dot.png at the playhead' }).click()
  const block = page.locator('[data-placement]').filter({ hasText: 'dot.png' })
  await block.waitFor()
  await saved()
  const placed = async () =>
    (await ask('GET', `/projects/${project}/edits/`)).items.find((e) => e.visual_mode === 'cutaway')
  check((await placed())?.active, 'the placed image is not in the video')
  const item = (name) => page.getByRole('menuitem', { name })
  await block.focus()
  await page.keyboard.press('Shift+F10')
  await item('Set start to playhead').waitFor()
  for (const name of ['Set end to playhead', 'Split at playhead'])
    check((await item(name).getAttribute('aria-disabled')) === 'true', `${name} is offered at the start of the asset`)
  await look('asset-menu')
  await page.keyboard.press('Escape')
  await item('Hide asset').waitFor({ state: 'detached' })
  const { end_ms: end } = await placed()
  await page.keyboard.press(']')
  await saved()
  check((await placed()).end_ms === end, `the asset was trimmed to ${(await placed()).end_ms} ms`)
  await block.click({ button: 'right' })
  await item('Hide asset').click()
  await until('the asset is hidden', async () => (await placed()).active === false)
  await page.locator('body').click({ position: { x: 640, y: 24 } })
  for (let i = 0; i < 2; i++) await page.keyboard.press('Control+z')
  await until('the asset is gone', async () => !(await placed()))
  await page.getByRole('tab', { name: /^Cuts/ }).click()
}

// Moves a chapter by dragging its flag and by keys, renames it in place, and undoes each as one step.
async function chapterFlags() {
  await goTo(4000)
  await page.keyboard.press('m')
  const field = page.getByRole('textbox', { name: 'Title of the chapter' })
  await field.press('Escape')
  const flag = page.getByRole('button', { name: /^Chapter 1, at / })
  await flag.waitFor()
  const [{ uuid, time_ms: start }] = await chapters()
  const box = await flag.boundingBox()
  const target = await place(6000)
  await page.mouse.move(box.x + 6, box.y + 8)
  await page.mouse.down()
  await page.mouse.move(target.x - 20, box.y + 8, { steps: 6 })
  await page.mouse.move(target.x + 6, box.y + 8, { steps: 3 })
  await page.mouse.up()
  const timeOf = async () => (await chapters()).find((m) => m.uuid === uuid).time_ms
  await until('the chapter has moved', async () => Math.abs((await timeOf()) - 6000) < 200)
  await flag.dblclick()
  await field.waitFor()
  await look('chapter-title')
  await field.fill('Afternoon')
  await field.press('Enter')
  const named = page.getByRole('button', { name: /^Afternoon, at / })
  await named.waitFor()
  await until('the title is stored', async () => (await chapters())[0].name === 'Afternoon')
  const before = await timeOf()
  await named.focus()
  await page.keyboard.press('Alt+ArrowRight')
  await until('the chapter is one frame later', async () => {
    const by = (await timeOf()) - before
    return by > 20 && by < 50
  })
  for (let i = 0; i < 3; i++) await page.keyboard.press('Control+z') // key, title and drag
  await until('the chapter is back', async () => (await timeOf()) === start && (await chapters())[0].name === '')
  const track = await page.evaluate(
    async (url) => (await fetch(url)).text(),
    `/api/v1/projects/${project}/chapters.vtt`,
  )
  check(/^WEBVTT\n\n00:00:00.000 --> .*\nIntro\n/.test(track), `the chapters are ${track}`)
  await named.or(flag).first().click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Rename chapter' }).click()
  await field.press('Escape')
  await page.getByRole('tab', { name: 'Exports' }).click()
  await page.getByRole('link', { name: 'Chapters, .vtt' }).waitFor()
  await page.getByRole('tab', { name: /^Cuts/ }).click()
}

const scale = () =>
  page.getByTestId('footage').evaluate((e) => Number(/scale\(([\d.]+)\)/.exec(e.style.transform)?.[1] ?? 1))

// Punches in after one cut, by the menu of the timeline.
async function punchIn() {
  const cut = await place(2500)
  await page.mouse.click(cut.x, cut.wave, { button: 'right' })
  const item = page.getByRole('menuitem', { name: 'Punch-in after this cut' })
  await item.waitFor()
  await item.focus()
  await page.keyboard.press('ArrowRight')
  await page.getByRole('menuitemradio', { name: 'Punch in' }).waitFor()
  await look('join-menu')
  await page.getByRole('menuitemradio', { name: 'Punch in' }).click()
  await until('the join is stored', async () => (await settings())?.punch_in?.joins?.[0]?.size === 'in')
  await goTo(3600)
  await until('the preview is enlarged', async () => (await scale()) === 1.15)
  await goTo(1000)
  await until('the preview is as recorded', async () => (await scale()) === 1)
}

// Lowers the placed music while someone speaks.
async function duckMusic() {
  await page.locator('[data-placement]').first().click()
  const toggle = page.getByRole('switch', { name: 'Lower the asset while someone speaks' })
  await toggle.click()
  await until('the switch is stored', async () =>
    (await ask('GET', `/projects/${project}/edits/`)).items.some((e) => e.audio_duck_under_voice),
  )
  await page.getByLabel('Fade in').fill('0.5')
  await page.keyboard.press('Enter')
  await page.getByRole('switch', { name: 'Start again at the end of the file' }).click()
  await until('fade and loop are stored', async () =>
    (await ask('GET', `/projects/${project}/edits/`)).items.some((e) => e.loop && e.fade_in_ms === 500),
  )
  for (let i = 0; i < 2; i++) await page.keyboard.press('Control+z')
  await look('placed-music')
  await saved()
}

// Shows the waveform of a clip without video, changes its color and returns a frame of it.
async function waveform() {
  await goTo(10_000)
  const bars = page.locator('[data-testid=audio-clip] canvas[data-bar]')
  await bars.waitFor()
  await page.keyboard.press('e')
  const dialog = page.getByRole('dialog')
  await dialog.waitFor()
  await dialog.getByRole('button', { name: 'Waveform color: #ffd60a' }).click()
  await dialog.getByRole('combobox', { name: 'Cover' }).selectOption({ label: 'cover.png' })
  await look('export-audio-clips')
  await until('the cover is stored', async () => (await settings())?.audio_clips?.cover_asset_file_id)
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await page.waitForFunction(() => document.querySelector('[data-testid=audio-clip] img')?.complete)
  await settled()
  await page.getByTestId('stage').screenshot({ path: picture })
  await look('waveform')
  const [minutes, seconds] = (await page.getByTestId('position').textContent()).split(':').map(Number)
  return { seconds: 60 * minutes + seconds }
}

await run(
  async () => {
    await enter(base, session)
    await page.goto(`${base}/projects/${project}`)
    await sixCuts()
    await filterCuts()
    await manyClips()
    await chapterFlags()
    await punchIn()
    await duckMusic()
    await showCaptions()
    await addAsset()
    return await waveform()
  },
  { viewport: { width: 1366, height: 768 } },
)
