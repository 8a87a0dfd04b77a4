// Drives the main flow in a real browser: open the launch address, make a project, upload a recording, find the cuts, reject one by
// the keyboard; cut words, move and split a cut, place an asset, save and apply a draft, change a key, and take all of it back; play
// across a cut, export, download. Prints one JSON object; exits with 1 and a sentence where a step fails, or where axe finds a
// serious obstacle on a screen.
//
// Environment:
//   BASE_URL     address of the server with its launch token: http://127.0.0.1:8420/?launch=…
//   VIDEO        path of the recording to upload
//   OUT_DIR      folder for the download and the screenshots
//   CHROMIUM     the browser; default /usr/bin/chromium
//   SCREENSHOTS  "0" takes none; default: every state at 1280x720 and 1920x1080, dark and light
//   TIMEOUT_MS   longest wait for ingest, analysis and export each; default 300000
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { chromium } from 'playwright-core'

const need = (name) => process.env[name] ?? fail(`${name} is not set`)
const launchURL = need('BASE_URL')
const video = need('VIDEO')
const outDir = need('OUT_DIR')
const timeout = Number(process.env.TIMEOUT_MS ?? 300_000)
const screenshots = process.env.SCREENSHOTS !== '0'
const SIZES = [[1280, 720], [1920, 1080], [768, 1024]]

function fail(message) {
  console.error(message)
  process.exit(1)
}

function check(ok, message) {
  if (!ok) throw new Error(message)
}

const profile = mkdtempSync(join(tmpdir(), 'roughcut-e2e-'))
mkdirSync(outDir, { recursive: true })
const context = await chromium.launchPersistentContext(profile, {
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  headless: true,
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--autoplay-policy=no-user-gesture-required'],
  viewport: { width: 1280, height: 720 },
  colorScheme: 'dark',
  acceptDownloads: true,
})
const page = context.pages()[0] ?? (await context.newPage())
page.setDefaultTimeout(90_000)
const problems = []
page.on('pageerror', (error) => problems.push(`page error: ${error.message}`))
page.on('console', (message) => message.type() === 'error' && problems.push(`console: ${message.text()} ${message.location().url}`))

async function shoot(name) {
  if (!screenshots) return
  for (const scheme of ['dark', 'light']) {
    await page.emulateMedia({ colorScheme: scheme })
    for (const [width, height] of SIZES) {
      await page.setViewportSize({ width, height })
      await page.evaluate(settled)
      await page.screenshot({ path: join(outDir, `${name}-${scheme}-${height}.png`) })
    }
  }
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.setViewportSize({ width: SIZES[0][0], height: SIZES[0][1] })
}

// settled waits, in the page, until transitions have ended and two frames have been drawn.
async function settled() {
  const frame = () => new Promise((done) => requestAnimationFrame(done))
  await frame()
  await Promise.allSettled(document.getAnimations().filter((a) => a.effect?.getComputedTiming().iterations !== Infinity).map((a) => a.finished))
  await frame()
  await frame()
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

// accessible fails where axe finds something that keeps people out of what is on the page.
async function accessible(screen) {
  await page.evaluate(settled)
  const found = await page.evaluate(async (source) => {
    if (!window.axe) new Function(source)()
    const { violations } = await window.axe.run(document, { resultTypes: ['violations'] })
    return violations.filter((v) => v.impact === 'serious' || v.impact === 'critical').map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160)).join(' | ')}`)
  }, axeSource)
  check(found.length === 0, `${screen} keeps people out:\n${found.join('\n')}`)
}

const total = async (name) => Number(await page.getByTestId(`total-${name}`).getAttribute('data-ms'))
const totals = async () => ({ original_ms: await total('original'), saved_ms: await total('saved'), result_ms: await total('result') })

async function openAndCreate() {
  await page.goto(launchURL)
  await page.getByRole('button', { name: 'New project' }).first().waitFor()
  check(!page.url().includes('launch='), 'the launch token stayed in the address')
  await shoot('01-projects-empty')
  await page.getByRole('button', { name: 'New project' }).first().click()
  await page.getByLabel('Name').fill('Autumn garden talk')
  await shoot('02-new-project')
  await page.getByRole('button', { name: 'Create project' }).click()
  await page.getByText('Drop your recording here').waitFor()
  await shoot('03-project-empty')
}

async function upload() {
  const network = await context.newCDPSession(page)
  const limit = (uploadThroughput) => network.send('Network.emulateNetworkConditions', { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput })
  if (screenshots) await limit(1_000_000)
  await page.getByLabel('Recordings to add').setInputFiles(video)
  await page.getByText(basename(video)).first().waitFor()
  await shoot('04-uploading')
  await limit(-1)
  await page.getByRole('button', { name: 'Find cuts' }).waitFor({ timeout })
  await shoot('05-reading')
  await page.waitForFunction(() => [...document.querySelectorAll('button')].some((b) => b.textContent?.includes('Find cuts') && !b.disabled), undefined, { timeout })
  await page.getByTestId('total-original').waitFor()
  await shoot('06-ready')
}

async function analyze() {
  await page.getByRole('button', { name: 'Find cuts' }).click()
  await page.getByText('Finding cuts…').waitFor()
  await shoot('07-analyzing')
  await page.locator('[data-cut]').first().waitFor({ timeout })
  await shoot('08-cuts')
}

// Rejects the second cut by keys alone, and takes it back and again with undo and redo.
async function toggleByKeyboard() {
  const before = await totals()
  await page.locator('body').click({ position: { x: 640, y: 24 } })
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  const selected = page.locator('[data-cut][aria-selected=true]')
  await selected.waitFor()
  const uuid = await selected.getAttribute('data-cut')
  const wasActive = (await selected.getAttribute('data-active')) === 'true'
  for (const key of ['x', 'Control+z', 'Control+Shift+z']) {
    const answer = answered('PATCH', `/edits/${uuid}`)
    await page.keyboard.press(key)
    await answer
  }
  const active = (await page.locator(`[data-cut="${uuid}"]`).getAttribute('data-active')) === 'true'
  check(active !== wasActive, 'X did not toggle the selected cut')
  const after = await totals()
  check(after.result_ms !== before.result_ms, 'toggling a cut did not change the new length')
  await shoot('09-cut-rejected')
  return { uuid, active, before, after }
}

const answered = (method, part) => page.waitForResponse((r) => r.request().method() === method && r.url().includes(part) && r.ok())
const edits = () => page.evaluate(async () => (await (await fetch(`api/v1/projects/${location.pathname.split('/').pop()}/edits/`)).json()).items)
const sameTotals = (a, b) => a.result_ms === b.result_ms && a.saved_ms === b.saved_ms
const saved = () => page.waitForFunction(() => document.querySelector('[data-testid=saved]').textContent.includes('All changes saved'))

// undo takes one act back and waits until that is saved.
async function undo(key = 'Control+z') {
  await page.keyboard.press(key)
  await saved()
}

// Marks words with the mouse and by keys, cuts them, brings them back, and finds one.
async function cutWords() {
  const before = await totals()
  // Two words beside each other that are not cut.
  const first = await page.evaluate(() => {
    const words = [...document.querySelectorAll('[data-word]')]
    const gone = (w) => w.classList.contains('line-through')
    return Number(words.find((w, i) => i > 1 && words[i + 1] && !gone(w) && !gone(words[i + 1])).dataset.word)
  })
  const marked = [first, first + 1]
  const [from, to] = await Promise.all(marked.map((n) => page.locator(`[data-word="${n}"]`).boundingBox()))
  await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2)
  await page.mouse.down()
  await page.mouse.move(to.x + to.width / 2, to.y + to.height / 2, { steps: 6 })
  await page.waitForFunction(() => document.body.textContent.includes('2 words'))
  await page.mouse.up()
  await shoot('09a-words-marked')
  let answer = answered('POST', '/edits/')
  await page.keyboard.press('Delete')
  await answer
  await page.locator(`[data-word="${marked[0]}"].line-through`).waitFor()
  check((await totals()).result_ms < before.result_ms, 'cutting words did not shorten the result')
  await shoot('09b-words-cut')
  answer = answered('DELETE', '/edits/')
  await undo()
  await answer
  check(sameTotals(await totals(), before), 'undo did not bring the words back')
  await undo('Control+Shift+z')
  check((await totals()).result_ms < before.result_ms, 'redo did not cut the words again')
  await undo()

  await page.locator(`[data-word="${marked[0]}"]`).click()
  await page.keyboard.press('Shift+ArrowRight')
  await page.keyboard.press('Shift+ArrowRight')
  await page.waitForFunction(() => document.body.textContent.includes('2 words'))
  await page.keyboard.press('Delete')
  await page.locator(`[data-word="${marked[1]}"].line-through`).waitFor()
  await undo()
  check(sameTotals(await totals(), before), 'words that were cut by keys did not come back')

  const word = (await page.locator(`[data-word="${marked[1]}"]`).textContent()).replace(/\W/g, '')
  await page.keyboard.press('Control+f')
  await page.getByLabel('Find in the transcript').fill(word)
  await page.keyboard.press('Enter')
  await page.getByRole('search').getByText(/^\d+ of \d+$/).waitFor()
  await shoot('09c-found')
  await accessible('the editor')
  await page.keyboard.press('Escape')
}

// Moves a cut by its handle, stretches it by an end, splits it, each taken back again.
async function dragAndSplit() {
  const before = await totals()
  const list = (await edits()).filter((e) => e.active && e.type === 'silence' && e.end_ms - e.start_ms > 500)
  const cut = list[1]
  const place = async (ms) => {
    const canvas = page.locator('canvas[data-wave-top]')
    const [box, top, start, scale] = [await canvas.boundingBox(), ...(await Promise.all(['data-wave-top', 'data-start-ms', 'data-ms-per-px'].map(async (a) => Number(await canvas.getAttribute(a)))))]
    return { x: box.x + (ms - start) / scale, handle: box.y + top + 10, middle: box.y + top + 40, ruler: box.y + 10, scale }
  }
  const drag = async (fromMs, byMs, row) => {
    const [from, to] = [await place(fromMs), await place(fromMs + byMs)]
    const answer = answered('PATCH', `/edits/${cut.uuid}`)
    await page.keyboard.down('Alt') // without catching
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
  await page.locator('[role=grid][aria-label=Cuts]').evaluate((list) => (list.scrollTop = 0))
  await page.locator(`[data-cut="${cut.uuid}"]`).click({ position: { x: 60, y: 12 } })
  await page.evaluate(settled)
  const middle = Math.round((cut.start_ms + cut.end_ms) / 2)
  let now = await drag(middle, 300, 'handle')
  check(Math.abs(now.start_ms - cut.start_ms - 300) < now.within && now.end_ms - now.start_ms === cut.end_ms - cut.start_ms, `the cut was moved to ${now.start_ms}-${now.end_ms} ms from ${cut.start_ms}-${cut.end_ms} ms`)
  await undo()
  now = await drag(cut.end_ms, -150, 'middle')
  check(now.start_ms === cut.start_ms && Math.abs(now.end_ms - cut.end_ms + 150) < now.within, `the end was dragged to ${now.end_ms} ms from ${cut.end_ms} ms`)
  await undo()
  const at = await place(middle)
  await page.mouse.click(at.x, at.ruler)
  const made = answered('POST', '/edits/')
  await page.keyboard.press('s')
  await made
  await saved()
  const halves = (await edits()).filter((e) => e.start_ms >= cut.start_ms && e.end_ms <= cut.end_ms && e.active)
  check(halves.length === 2 && halves[0].end_ms === halves[1].start_ms, `splitting gave ${JSON.stringify(halves.map((e) => [e.start_ms, e.end_ms]))}`)
  await shoot('09d-split')
  await undo()
  check(sameTotals(await totals(), before), 'what was dragged and split was not taken back')
  await page.keyboard.press('z')
}

// Puts a picture into the library, drags it onto the timeline, changes it, moves it by keys, and removes it.
async function placeAsset() {
  await page.evaluate(async () => {
    const { csrf_token } = await (await fetch('api/v1/auth/check')).json()
    const headers = { 'X-CSRF-Token': csrf_token, 'Content-Type': 'application/json' }
    const canvas = Object.assign(document.createElement('canvas'), { width: 320, height: 180 })
    canvas.getContext('2d').fillStyle = 'teal'
    canvas.getContext('2d').fillRect(0, 0, 320, 180)
    const file = await new Promise((done) => canvas.toBlob(done, 'image/png'))
    const body = JSON.stringify({ filename: 'lake.png', content_type: 'image/png', size_bytes: file.size, display_name: 'Lake in autumn', tags: ['water'] })
    const begun = await (await fetch('api/v1/assets/presign', { method: 'POST', headers, body })).json()
    await fetch(begun.upload_url, { method: 'PUT', headers: { 'Content-Type': 'image/png' }, body: file })
    await fetch(`api/v1/assets/${begun.user_asset_id}/confirm`, { method: 'POST', headers })
  })
  await page.reload()
  await page.locator('[data-cut]').first().waitFor()
  await page.getByRole('tab', { name: 'Assets' }).click()
  await page.getByLabel('Search assets').fill('wat')
  const asset = page.locator('[data-asset][draggable=true]')
  await asset.waitFor()
  let answer = answered('POST', '/edits/')
  await asset.dragTo(page.getByTestId('asset-lane'), { targetPosition: { x: 300, y: 12 } })
  const placed = await (await answer).json()
  check(placed.type === 'asset' && placed.end_ms - placed.start_ms === 5000, `the asset was placed as ${JSON.stringify(placed)}`)
  await page.getByRole('button', { name: 'Bottom right' }).waitFor()
  await saved()
  answer = answered('PATCH', '/edits/')
  await page.getByRole('button', { name: 'Bottom right' }).click()
  await answer
  await page.getByLabel('Width').fill('30')
  answer = answered('PATCH', '/edits/')
  await page.keyboard.press('Enter')
  check((await (await answer).json()).overlay_size_percent === 30, 'the width of the asset was not changed')
  await shoot('09e-asset-placed')
  await accessible('a placed asset')
  await page.locator('[data-placement]').focus()
  answer = answered('PATCH', '/edits/')
  await page.keyboard.press('Control+ArrowRight')
  check((await (await answer).json()).start_ms > placed.start_ms, 'the asset did not move by a frame')
  answer = answered('DELETE', '/edits/')
  await page.keyboard.press('Delete')
  await answer
  await undo()
  check((await edits()).some((e) => e.type === 'asset' && e.overlay_size_percent === 30), 'undo did not bring the asset back as it was')
  await undo('Control+Shift+z')
  check(!(await edits()).some((e) => e.type === 'asset'), 'redo did not remove the asset')
  await page.getByRole('tab', { name: /Cuts/ }).click()
  await page.getByRole('tab', { name: 'Transcript' }).click()
}

// Saves the choices as a draft, changes one, and applies the draft.
async function draft() {
  const before = await totals()
  await page.getByRole('button', { name: /Drafts/ }).click()
  await page.getByLabel('Name of the draft').fill('Long version')
  let answer = answered('POST', '/drafts/')
  await page.keyboard.press('Enter')
  await answer
  await page.locator('[data-draft]').first().waitFor()
  await accessible('the drafts')
  await page.keyboard.press('Escape')
  await page.getByRole('switch', { name: 'All silences' }).click()
  await saved()
  check(!sameTotals(await totals(), before), 'switching all silences changed nothing')
  await page.getByRole('button', { name: /Drafts/ }).click()
  await shoot('09f-drafts')
  await page.getByRole('button', { name: 'Apply' }).first().click()
  await saved()
  check(sameTotals(await totals(), before), 'applying the draft did not bring its choices back')
  await page.getByRole('button', { name: 'Compare runs' }).click()
  await page.getByRole('dialog', { name: 'Compare runs' }).waitFor()
  await shoot('09g-runs')
  await accessible('the comparison of runs')
  await page.keyboard.press('Escape')
}

// Gives undo a key that is taken, sees that said, and uses the new key.
async function changeKeys() {
  await page.keyboard.press('?')
  await page.locator('[data-command=zoomAll]').click()
  await page.keyboard.press('s')
  await page.getByText('does “Split at the playhead” already').waitFor()
  await shoot('09h-keys')
  await accessible('the keys')
  await page.keyboard.press('q')
  await page.locator('[data-command=zoomAll]').getByText('Q').waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('+')
  await page.keyboard.press('q')
  await page.waitForFunction(() => document.querySelector('button[aria-label="Show everything"]').disabled)
  await page.keyboard.press('?')
  await page.getByRole('button', { name: 'All keys as they were at first' }).click()
  await page.keyboard.press('Escape')
}

// Plays from just before an active cut, and watches the place in the recording jump over it.
async function playAcrossCut() {
  const span = await page.evaluate(async () => {
    const project = location.pathname.split('/').pop()
    const { items } = await (await fetch(`api/v1/projects/${project}/edits/`)).json()
    const all = items.filter((e) => e.active).sort((a, b) => a.start_ms - b.start_ms)
    const listed = [...document.querySelectorAll('[data-cut]')].map((row) => row.getAttribute('data-cut'))
    // One that is in the list, long enough to be missed, with kept footage before it.
    const clear = (e) => e.start_ms > 1200 && e.end_ms - e.start_ms > 200 && !all.some((o) => o !== e && o.start_ms < e.start_ms && o.end_ms > e.start_ms - 300)
    const found = { ...all.find((e) => listed.includes(e.uuid) && clear(e)) }
    for (const e of all) if (e.start_ms <= found.end_ms && e.end_ms > found.end_ms) found.end_ms = e.end_ms
    return { uuid: found.uuid, start_ms: found.start_ms, end_ms: found.end_ms }
  })
  check(span.uuid, 'no listed cut is fit to be played across')
  await page.locator(`[data-cut="${span.uuid}"]`).click({ position: { x: 60, y: 12 } })
  await page.keyboard.press('Shift+ArrowLeft')
  const played = await page.evaluate(async ({ start_ms, end_ms }) => {
    const seen = []
    const deck = () => document.querySelector('video[data-seen=true]')
    document.querySelector('button[aria-label=Play]').click()
    const begin = performance.now()
    while (performance.now() - begin < 15_000) {
      await new Promise((done) => requestAnimationFrame(done))
      const video = deck()
      if (!video.paused && !video.seeking) seen.push(Math.round(video.currentTime * 1000))
      if (seen.at(-1) > end_ms + 800) break
    }
    document.querySelector('button[aria-label=Pause]')?.click()
    return { seen, start_ms, end_ms }
  }, span)
  const inside = played.seen.filter((ms) => ms > span.start_ms + 60 && ms < span.end_ms - 20)
  check(played.seen.some((ms) => ms <= span.start_ms + 60), 'playback did not run before the cut')
  check(played.seen.some((ms) => ms >= span.end_ms - 20), `playback did not reach what follows the cut at ${span.start_ms}-${span.end_ms} ms; it ran from ${played.seen[0]} to ${played.seen.at(-1)} ms (${played.seen.length} looks)`)
  check(inside.length === 0, `playback showed ${inside.length} frames of footage that is cut, from ${inside[0]} ms`)
  await shoot('10-played')
  return { cut: span, positions: played.seen.length }
}

async function exportAndDownload() {
  await page.keyboard.press('e')
  await page.getByRole('dialog').waitFor()
  await page.getByRole('radio', { name: '9:16' }).click()
  await shoot('11-export-dialog')
  await page.getByRole('radio', { name: '16:9' }).click()
  await page.getByRole('radio', { name: '720p' }).click()
  const shown = await totals()
  await page.getByRole('dialog').getByRole('button', { name: 'Export', exact: true }).click()
  await page.locator('[data-export]').first().waitFor()
  await shoot('12-exporting')
  await page.locator('[data-export][data-status=completed]').first().waitFor({ timeout })
  await shoot('13-exported')
  const [file] = await Promise.all([page.waitForEvent('download', { timeout }), page.getByRole('button', { name: 'Download' }).first().click()])
  const path = join(outDir, 'download.mp4')
  await file.saveAs(path)
  return { path, suggested: file.suggestedFilename(), totals: shown }
}

async function lookAround() {
  if (!screenshots) return
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keys' }).waitFor()
  await shoot('14-keys')
  await page.keyboard.press('Escape')
  await page.getByRole('tab', { name: /Clips/ }).click()
  await page.getByRole('tab', { name: /Cuts/ }).click()
  await shoot('15-clips')
  await page.getByRole('link', { name: 'All projects' }).click()
  await page.getByRole('heading', { name: 'Projects' }).waitFor()
  await shoot('16-projects')
  await page.getByLabel('Search projects and what is said in them').fill('autumn')
  await page.getByRole('heading', { name: 'Said in recordings' }).waitFor()
  await page.waitForLoadState('networkidle').catch(() => undefined)
  await shoot('17-search')
}

let code = 0
try {
  await openAndCreate()
  await upload()
  await analyze()
  const toggled = await toggleByKeyboard()
  await cutWords()
  await dragAndSplit()
  await placeAsset()
  await draft()
  await changeKeys()
  const played = await playAcrossCut()
  const exported = await exportAndDownload()
  const project = new URL(page.url()).pathname.split('/').pop()
  const record = await page.evaluate(async (uuid) => {
    const get = async (path) => (await (await fetch(`api/v1/projects/${uuid}/${path}/`)).json()).items
    return { edits: await get('edits'), export: (await get('exports'))[0] }
  }, project)
  await page.getByRole('tab', { name: /Cuts/ }).click()
  await lookAround()
  check(Math.abs(record.export.duration_ms - exported.totals.result_ms) <= 1, `the page promised ${exported.totals.result_ms} ms, the export is ${record.export.duration_ms} ms long`)
  console.log(JSON.stringify({ project, download: exported.path, filename: exported.suggested, totals: exported.totals, toggled, played, problems, ...record }))
} catch (error) {
  code = 1
  console.error(`the main flow failed: ${error.stack ?? error}`)
  for (const problem of problems) console.error(problem)
  await page.screenshot({ path: join(outDir, 'failed.png') }).catch(() => undefined)
} finally {
  await context.close()
  rmSync(profile, { recursive: true, force: true })
}
process.exit(code)
