// Drives the main flow in a real browser: open the launch address, create a project, upload a recording and find cuts.
// Reject a cut by keyboard, cut words, move and split a cut, place an asset, save and apply a draft, change a shortcut, and
// undo everything. Export and download. Prints one JSON object; a failed step exits with 1 and a message.
//
// Environment:
//   BASE_URL     address of the server with its launch token: http://127.0.0.1:8420/?launch=…
//   VIDEO        path of the recording to upload
//   DOWNLOADS    folder for the download
import { Buffer } from 'node:buffer'
import { basename, join } from 'node:path'
import { ask, check, look, page, PATIENCE_MS, run, settled, until } from './browser.mjs'

const { BASE_URL: launchURL, VIDEO: video, DOWNLOADS: downloads, OUT_DIR: outDir } = process.env

const total = async (name) => Number(await page.getByTestId(`total-${name}`).getAttribute('data-ms'))
const totals = async () => ({
  original_ms: await total('original'),
  saved_ms: await total('saved'),
  result_ms: await total('result'),
})

async function openAndCreate() {
  await page.goto(launchURL)
  await page.getByRole('button', { name: 'New project' }).first().waitFor()
  check(!page.url().includes('launch='), 'the address still contains the launch token')
  await look('01-projects-empty')
  await page.getByRole('button', { name: 'New project' }).first().click()
  await page.getByLabel('Name').fill('Autumn garden talk')
  await look('02-new-project')
  await page.getByRole('button', { name: 'Create project' }).click()
  await page.getByText('Drop your recording here').waitFor()
  await look('03-project-empty')
}

async function upload() {
  const network = await page.context().newCDPSession(page)
  const limit = (uploadThroughput) =>
    network.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput,
    })
  if (outDir) await limit(1_000_000) // slow enough to see the progress
  await page.getByLabel('Recordings to add').setInputFiles(video)
  await page.getByText(basename(video)).first().waitFor()
  await look('04-uploading')
  await limit(-1)
}

// The analysis starts without another click.
async function analyze() {
  await page.getByText('Finding cuts…').first().waitFor()
  // Silences appear while the transcription still runs.
  await page.getByText(/\d+ silences found/).waitFor()
  check((await totals()).saved_ms > 0, 'the provisional silences are not cut')
  await look('07-analyzing')
  // Three minutes are transcribed, which takes long on a busy machine.
  await page
    .locator('[data-cut]')
    .first()
    .waitFor({ timeout: 10 * PATIENCE_MS })
  await page.getByRole('tab', { name: 'Transcript' }).click()
  await look('08-cuts')
}

// Rejects the second cut by keyboard, then undoes and redoes it.
async function toggleByKeyboard() {
  const before = await totals()
  await page.locator('body').click({ position: { x: 640, y: 24 } })
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  const selected = page.locator('[data-cut][aria-selected=true]')
  await selected.waitFor()
  const uuid = await selected.getAttribute('data-cut')
  const wasActive = (await selected.getAttribute('data-active')) === 'true'
  for (const [key, method, part] of [
    ['x', 'PATCH', `/edits/${uuid}`],
    ['Control+z', 'POST', '/edit-history/undo'],
    ['Control+Shift+z', 'POST', '/edit-history/redo'],
  ]) {
    const answer = answered(method, part)
    await page.keyboard.press(key)
    await answer
  }
  const active = (await page.locator(`[data-cut="${uuid}"]`).getAttribute('data-active')) === 'true'
  check(active !== wasActive, 'X did not toggle the selected cut')
  const after = await totals()
  check(after.result_ms !== before.result_ms, 'toggling a cut did not change the duration of the result')
  await look('09-cut-rejected')
  return { uuid, active, before, after }
}

const answered = (method, part) =>
  page.waitForResponse((r) => r.request().method() === method && r.url().includes(part) && r.ok())
const project = () => new URL(page.url()).pathname.split('/').pop()
const edits = async () => (await ask('GET', `/projects/${project()}/edits/`)).items
const sameTotals = (a, b) => a.result_ms === b.result_ms && a.saved_ms === b.saved_ms
const saved = () =>
  page.waitForFunction(() => document.querySelector('[data-testid=saved]').textContent.includes('All changes saved'))

// undo undoes one change and waits until it is saved.
async function undo(key = 'Control+z') {
  await page.keyboard.press(key)
  await saved()
}

// Selects words by mouse and by keyboard, cuts them, restores them, and finds one.
async function cutWords() {
  const before = await totals()
  // Two adjacent words that are not cut.
  const first = await page.evaluate(() => {
    const words = [...document.querySelectorAll('[data-word]')]
    const gone = (w) => w.classList.contains('removed-text')
    return Number(words.find((w, i) => i > 1 && words[i + 1] && !gone(w) && !gone(words[i + 1])).dataset.word)
  })
  const marked = [first, first + 1]
  const [from, to] = await Promise.all(marked.map((n) => page.locator(`[data-word="${n}"]`).boundingBox()))
  await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2)
  await page.mouse.down()
  await page.mouse.move(to.x + to.width / 2, to.y + to.height / 2, { steps: 6 })
  await page.waitForFunction(() => document.body.textContent.includes('2 words'))
  await page.mouse.up()
  await look('09a-words-marked')
  let answer = answered('POST', '/edits/')
  await page.keyboard.press('Delete')
  await answer
  await page.locator(`[data-word="${marked[0]}"].removed-text`).waitFor()
  check((await totals()).result_ms < before.result_ms, 'cutting words did not shorten the result')
  await look('09b-words-cut')
  answer = answered('POST', '/edit-history/undo')
  await undo()
  await answer
  check(sameTotals(await totals(), before), 'undo did not restore the words')
  await undo('Control+Shift+z')
  check((await totals()).result_ms < before.result_ms, 'redo did not cut the words again')
  await undo()

  await page.locator(`[data-word="${marked[0]}"]`).click()
  await page.keyboard.press('Shift+ArrowRight')
  await page.keyboard.press('Shift+ArrowRight')
  await page.waitForFunction(() => document.body.textContent.includes('2 words'))
  await page.keyboard.press('Delete')
  await page.locator(`[data-word="${marked[1]}"].removed-text`).waitFor()
  await undo()
  check(sameTotals(await totals(), before), 'undo did not restore the words that were cut by keyboard')

  const word = (await page.locator(`[data-word="${marked[1]}"]`).textContent()).replace(/\W/g, '')
  await page.keyboard.press('Control+f')
  await page.getByLabel('Find in transcript').fill(word)
  await page.keyboard.press('Enter')
  await page
    .getByRole('search')
    .getByText(/^\d+ of \d+$/)
    .waitFor()
  await look('09c-found')
  await page.keyboard.press('Escape')
}

// Moves a cut by its handle, trims it by an end and splits it, and undoes each.
async function dragAndSplit() {
  const before = await totals()
  const list = (await edits()).filter((e) => e.active && e.type === 'silence' && e.end_ms - e.start_ms > 500)
  const cut = list[1]
  const place = async (ms) => {
    const canvas = page.locator('canvas[data-wave-top]')
    const [box, top, start, scale] = [
      await canvas.boundingBox(),
      ...(await Promise.all(
        ['data-wave-top', 'data-start-ms', 'data-ms-per-px'].map(async (a) => Number(await canvas.getAttribute(a))),
      )),
    ]
    return {
      x: box.x + (ms - start) / scale,
      handle: box.y + top + 10,
      middle: box.y + top + 40,
      ruler: box.y + 10,
      scale,
    }
  }
  const drag = async (fromMs, byMs, row, edit = cut) => {
    const [from, to] = [await place(fromMs), await place(fromMs + byMs)]
    const answer = answered('PATCH', `/edits/${edit.uuid}`)
    await page.keyboard.down('Alt') // without snapping
    await page.mouse.move(from.x, from[row])
    await page.mouse.down()
    await page.mouse.move(to.x, to[row], { steps: 5 })
    await page.mouse.up()
    await page.keyboard.up('Alt')
    const { start_ms, end_ms } = await (await answer).json()
    return { start_ms, end_ms, within: 2 * from.scale + 40 }
  }
  await page.locator('canvas[data-wave-top]').click({ position: { x: 2, y: 10 } })
  for (let n = 0; n < 4; n++) await page.keyboard.press('+')
  await page.keyboard.press('Escape')
  const other = list[0]
  check((await page.locator('[data-cut][aria-selected=true]').count()) === 0, 'a cut is selected')
  const trimmed = await drag(other.end_ms, -100, 'middle', other)
  check(
    trimmed.start_ms === other.start_ms && Math.abs(trimmed.end_ms - other.end_ms + 100) < trimmed.within,
    `the end of a cut that was not selected was dragged to ${trimmed.end_ms} ms from ${other.end_ms} ms`,
  )
  await undo()
  await page.locator('[role=grid][aria-label=Cuts]').evaluate((list) => (list.scrollTop = 0))
  await page.locator(`[data-cut="${cut.uuid}"]`).click({ position: { x: 60, y: 12 } })
  await settled()
  const middle = Math.round((cut.start_ms + cut.end_ms) / 2)
  let now = await drag(middle, 300, 'handle')
  check(
    Math.abs(now.start_ms - cut.start_ms - 300) < now.within && now.end_ms - now.start_ms === cut.end_ms - cut.start_ms,
    `the cut was moved to ${now.start_ms}-${now.end_ms} ms from ${cut.start_ms}-${cut.end_ms} ms`,
  )
  await undo()
  now = await drag(cut.end_ms, -150, 'middle')
  check(
    now.start_ms === cut.start_ms && Math.abs(now.end_ms - cut.end_ms + 150) < now.within,
    `the end was dragged to ${now.end_ms} ms from ${cut.end_ms} ms`,
  )
  await undo()
  const at = await place(middle)
  await page.mouse.click(at.x, at.ruler)
  const made = answered('POST', '/edits/')
  await page.keyboard.press('s')
  await made
  await saved()
  const halves = (await edits()).filter((e) => e.start_ms >= cut.start_ms && e.end_ms <= cut.end_ms && e.active)
  check(
    halves.length === 2 && halves[0].end_ms === halves[1].start_ms,
    `splitting gave ${JSON.stringify(halves.map((e) => [e.start_ms, e.end_ms]))}`,
  )
  await look('09d-split')
  await undo()
  check(sameTotals(await totals(), before), 'undo did not restore the dragged and split cut')
  await page.keyboard.press('z')
}

// Resizes the window to narrow and back: the timeline and the transcript keep their positions.
async function resizeWindow() {
  const canvas = page.locator('canvas[data-wave-top]')
  const words = page.getByRole('group', { name: /^Transcript/ })
  const place = async () => ({
    scale: Number(await canvas.getAttribute('data-ms-per-px')),
    start: Number(await canvas.getAttribute('data-start-ms')),
    row: await words.evaluate(
      (box) =>
        [...box.querySelectorAll('[data-index]')].find(
          (row) => row.getBoundingClientRect().bottom > box.getBoundingClientRect().top + 16, // the padding
        )?.dataset.index,
    ),
  })
  for (let n = 0; n < 4; n++) await page.keyboard.press('+')
  await words.evaluate((box) => (box.scrollTop = 0.4 * (box.scrollHeight - box.clientHeight)))
  await settled()
  const before = await place()
  check(before.row > 0 && before.start > 0, `the panes did not scroll: ${JSON.stringify(before)}`)
  for (const width of [900, 1280]) {
    await page.setViewportSize({ width, height: 720 })
    await settled()
    if (width === 900) await page.getByRole('tab', { name: 'Transcript' }).click()
    const now = await until('the timeline has its position again', async () => {
      const now = await place()
      // The row of the caret stays visible, which can move a low pane by a row.
      return Math.abs(now.scale - before.scale) < 0.001 && Math.abs(now.row - before.row) <= 2 && now
    })
    check(
      Math.abs(now.start - before.start) < 2 * before.scale,
      `at ${width} px the timeline went from ${before.start} to ${now.start} ms`,
    )
  }
  await page.keyboard.press('z')
}

// Uploads an image to the library, drags it to the timeline, changes it, moves it by keyboard, and removes it.
async function placeAsset() {
  const picture = Buffer.from(
    await page.evaluate(() => {
      const canvas = Object.assign(document.createElement('canvas'), { width: 320, height: 180 })
      canvas.getContext('2d').fillStyle = 'teal'
      canvas.getContext('2d').fillRect(0, 0, 320, 180)
      return canvas.toDataURL('image/png').split(',')[1]
    }),
    'base64',
  )
  const begun = await ask('POST', '/assets/presign', {
    filename: 'lake.png',
    content_type: 'image/png',
    size_bytes: picture.length,
    display_name: 'Lake in autumn',
    tags: ['water'],
  })
  check(
    (
      await fetch(new URL(begun.upload_url, page.url()), {
        method: 'PUT',
        headers: { 'Content-Type': 'image/png' },
        body: picture,
      })
    ).ok,
    'the server did not accept the image',
  )
  await ask('POST', `/assets/${begun.user_asset_id}/confirm`)
  await page.reload()
  await page.locator('[data-cut]').first().waitFor()
  await page.getByRole('tab', { name: 'Assets' }).click()
  await page.getByLabel('Search assets').fill('wat')
  const asset = page.locator('[data-asset][draggable=true]')
  await asset.waitFor()
  let answer = answered('POST', '/edits/')
  await asset.dragTo(page.getByTestId('asset-lane'), { targetPosition: { x: 300, y: 12 } })
  const placed = await (await answer).json()
  check(
    placed.type === 'asset' && placed.end_ms - placed.start_ms === 5000,
    `the asset was placed as ${JSON.stringify(placed)}`,
  )
  check(placed.visual_mode === 'cutaway', 'a placed image does not fill the frame')
  await page.getByRole('radio', { name: 'Overlay' }).click()
  await page.getByRole('button', { name: 'Bottom right' }).waitFor()
  await saved()
  answer = answered('PATCH', '/edits/')
  await page.getByRole('button', { name: 'Bottom right' }).click()
  await answer
  await page.getByLabel('Width', { exact: true }).fill('30')
  answer = answered('PATCH', '/edits/')
  await page.keyboard.press('Enter')
  check((await (await answer).json()).overlay_size_percent === 30, 'the width of the asset was not changed')
  await look('09e-asset-placed')
  await page.locator('[data-placement]').focus()
  answer = answered('PATCH', '/edits/')
  await page.keyboard.press('Control+ArrowRight')
  check((await (await answer).json()).start_ms > placed.start_ms, 'the asset did not move by a frame')
  answer = answered('DELETE', '/edits/')
  await page.keyboard.press('Delete')
  await answer
  await undo()
  check(
    (await edits()).some((e) => e.type === 'asset' && e.overlay_size_percent === 30),
    'undo did not restore the asset',
  )
  await undo('Control+Shift+z')
  check(!(await edits()).some((e) => e.type === 'asset'), 'redo did not remove the asset')
  await page.getByRole('tab', { name: /Cuts/ }).click()
  await page.getByRole('tab', { name: 'Transcript' }).click()
}

// Saves a draft, changes a cut, and applies the draft.
async function draft() {
  const before = await totals()
  await page.getByRole('button', { name: /Drafts/ }).click()
  await page.getByLabel('Draft name').fill('Long version')
  let answer = answered('POST', '/drafts/')
  await page.keyboard.press('Enter')
  await answer
  await page.locator('[data-draft]').first().waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('switch', { name: 'All silences' }).click()
  await saved()
  check(!sameTotals(await totals(), before), 'switching all silences changed nothing')
  await page.getByRole('button', { name: /Drafts/ }).click()
  await look('09f-drafts')
  await page.getByRole('button', { name: 'Apply' }).first().click()
  await saved()
  check(sameTotals(await totals(), before), 'applying the draft did not restore its cuts')
  await page.getByRole('button', { name: 'Compare runs' }).click()
  await page.getByRole('dialog', { name: 'Compare runs' }).waitFor()
  await look('09g-runs')
  await page.keyboard.press('Escape')
}

// Assigns a shortcut that is taken, expects the warning, assigns another one, uses it, and resets all shortcuts.
async function changeKeys() {
  await page.keyboard.press('?')
  await page.locator('[data-command=zoomAll]').click()
  await page.keyboard.press('s')
  await page.getByText('is assigned to “Split at playhead”').waitFor()
  await look('09h-keys')
  await page.keyboard.press('q')
  await page.locator('[data-command=zoomAll]').getByText('Q').waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('+')
  await page.keyboard.press('q')
  await page.waitForFunction(() => document.querySelector('button[aria-label="Zoom to fit"]').disabled)
  await page.keyboard.press('?')
  await page.getByRole('button', { name: 'Reset all shortcuts' }).click()
  await page.keyboard.press('Escape')
}

async function exportAndDownload() {
  await page.keyboard.press('e')
  await page.getByRole('dialog').waitFor()
  await page.getByRole('radio', { name: '9:16' }).click()
  await look('11-export-dialog')
  await page.getByRole('radio', { name: 'As recorded' }).first().click()
  const shown = await totals()
  await page.getByRole('dialog').getByRole('button', { name: 'Export', exact: true }).click()
  await page.locator('[data-export]').first().waitFor()
  await look('12-exporting')
  await page.locator('[data-export][data-status=completed]').first().waitFor()
  await look('13-exported')
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download' }).first().click(),
  ])
  const download = join(downloads, 'download.mp4')
  await file.saveAs(download)
  return { download, filename: file.suggestedFilename(), totals: shown }
}

async function lookAround() {
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  await look('14-keys')
  await page.keyboard.press('Escape')
  await page.getByRole('tab', { name: /Clips/ }).click()
  await page.getByRole('tab', { name: /Cuts/ }).click()
  await look('15-clips')
  await page.getByRole('link', { name: 'All projects' }).click()
  await page.getByRole('heading', { name: 'Projects' }).waitFor()
  await look('16-projects')
  await page.getByLabel('Search projects and transcripts').fill('autumn')
  await page.getByRole('heading', { name: 'Transcripts' }).waitFor()
  await page.waitForLoadState('networkidle').catch(() => undefined)
  await look('17-search')
}

await run(async () => {
  await openAndCreate()
  await upload()
  await analyze()
  const toggled = await toggleByKeyboard()
  await cutWords()
  await dragAndSplit()
  await resizeWindow()
  await placeAsset()
  await draft()
  await changeKeys()
  const exported = await exportAndDownload()
  const rendered = (await ask('GET', `/projects/${project()}/exports/`)).items[0]
  check(
    Math.abs(rendered.duration_ms - exported.totals.result_ms) <= 1,
    `the page promised ${exported.totals.result_ms} ms, the export is ${rendered.duration_ms} ms long`,
  )
  const result = { toggled, ...exported, edits: await edits(), export: rendered }
  await page.getByRole('tab', { name: /Cuts/ }).click()
  await lookAround()
  return result
})
