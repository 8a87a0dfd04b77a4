// Drives the main flow in a real browser: open the launch address, make a project, upload a recording, find the cuts, reject one by
// the keyboard, play across a cut, export, download. Prints one JSON object; exits with 1 and a sentence where a step fails.
//
// Environment:
//   BASE_URL     address of the server with its launch token: http://127.0.0.1:8420/?launch=…
//   VIDEO        path of the recording to upload
//   OUT_DIR      folder for the download and the screenshots
//   CHROMIUM     the browser; default /usr/bin/chromium
//   SCREENSHOTS  "0" takes none; default: every state at 1280x720 and 1920x1080, dark and light
//   TIMEOUT_MS   longest wait for ingest, analysis and export each; default 300000
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { chromium } from 'playwright-core'

const need = (name) => process.env[name] ?? fail(`${name} is not set`)
const launchURL = need('BASE_URL')
const video = need('VIDEO')
const outDir = need('OUT_DIR')
const timeout = Number(process.env.TIMEOUT_MS ?? 300_000)
const screenshots = process.env.SCREENSHOTS !== '0'
const SIZES = [[1280, 720], [1920, 1080]]

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
page.setDefaultTimeout(30_000)
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
  const saved = () => page.waitForResponse((r) => r.url().includes(`/edits/${uuid}`) && r.request().method() === 'PATCH' && r.ok())
  for (const key of ['x', 'Control+z', 'Control+Shift+z']) {
    const answer = saved()
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
