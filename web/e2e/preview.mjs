// Shows a project in the player with several settings of exports and takes pictures of what is shown, plays over a cut, and goes through the export
// dialog. Prints one JSON object; exits with 1 and a sentence where a step fails, or where axe finds a serious obstacle.
//
// Environment:
//   BASE_URL  address of the server
//   COOKIE    name=value of a session
//   PROJECT   uuid of a project with captions, and with a cut from 2 to 3 s
//   LOOKS     a list of {name, settings} as JSON
//   PICTURES  folder for the pictures of the player
//   OUT_DIR   folder for the screenshots; empty takes none
//   CHROMIUM  the browser; default /usr/bin/chromium
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'

const { BASE_URL: base, COOKIE: cookie, PROJECT: project, PICTURES: pictures, OUT_DIR: outDir } = process.env
const looks = JSON.parse(process.env.LOOKS)
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const SIZES = [[1280, 720], [1920, 1080], [768, 1024]]
/** Where pictures are taken, as a part of the recording. */
const PLACES = [0.12, 0.68]

function check(ok, message) {
  if (!ok) throw new Error(message)
}

const profile = mkdtempSync(join(tmpdir(), 'roughcut-e2e-'))
if (outDir) mkdirSync(outDir, { recursive: true })
const context = await chromium.launchPersistentContext(profile, {
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  headless: true,
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--autoplay-policy=no-user-gesture-required'],
  viewport: { width: 1920, height: 1080 },
  deviceScaleFactor: 2,
  colorScheme: 'dark',
})
const page = context.pages()[0] ?? (await context.newPage())
page.setDefaultTimeout(30_000)
const problems = []
page.on('pageerror', (error) => problems.push(`page error: ${error.message}`))
page.on('console', (message) => message.type() === 'error' && problems.push(`console: ${message.text()}`))

async function settled() {
  const frame = () => new Promise((done) => requestAnimationFrame(done))
  await frame()
  await Promise.allSettled(document.getAnimations().filter((a) => a.effect?.getComputedTiming().iterations !== Infinity).map((a) => a.finished))
  await frame()
  await frame()
}

async function shoot(name) {
  for (const scheme of outDir ? ['dark', 'light'] : []) {
    await page.emulateMedia({ colorScheme: scheme })
    for (const [width, height] of SIZES) {
      await page.setViewportSize({ width, height })
      await page.evaluate(settled)
      await page.screenshot({ path: join(outDir, `preview-${name}-${scheme}-${height}.png`), scale: 'css' })
    }
  }
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.setViewportSize({ width: 1920, height: 1080 })
  await page.evaluate(settled)
}

async function accessible(screen) {
  await page.evaluate(settled)
  const found = await page.evaluate(async (source) => {
    if (!window.axe) new Function(source)()
    const { violations } = await window.axe.run(document, { resultTypes: ['violations'] })
    return violations.filter((v) => v.impact === 'serious' || v.impact === 'critical').map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160)).join(' | ')}`)
  }, axe)
  check(found.length === 0, `${screen} keeps people out:\n${found.join('\n')}`)
}

// shown waits until the picture, the captions and the placed assets are those of the place.
async function shown() {
  await page.waitForFunction(() => {
    const video = document.querySelector('video[data-seen=true]')
    const images = [...document.querySelectorAll('[data-overlay] img')]
    return video && !video.seeking && video.readyState >= 2 && document.querySelector('[data-testid=titles]').dataset.caption && images.every((i) => i.complete) && document.fonts.check('12px "Inter SemiBold"') && document.fonts.check('12px "Inter ExtraBold"')
  })
  await page.evaluate(settled)
}

async function take(look, place) {
  const ruler = page.locator('canvas[data-wave-top]')
  const box = await ruler.boundingBox()
  await page.mouse.click(box.x + box.width * place, box.y + 10)
  await page.keyboard.press('ArrowRight')
  await shown()
  const [minutes, seconds] = (await page.getByTestId('position').textContent()).split(':').map(Number)
  const frame = Math.round((minutes * 60 + seconds) * 25)
  const path = join(pictures, `${look}-${frame}.png`)
  await page.getByTestId('stage').screenshot({ path })
  return { look, frame, path }
}

// join plays over the cut and measures how long no new frame was shown there.
async function playOverJoin() {
  const ruler = page.locator('canvas[data-wave-top]')
  const box = await ruler.boundingBox()
  await page.mouse.click(box.x + box.width * 0.15, box.y + 10)
  await shown()
  return page.evaluate(async () => {
    const frames = []
    for (const video of document.querySelectorAll('video[data-seen]')) {
      const seen = (now, { mediaTime, expectedDisplayTime }) => {
        if (video.dataset.seen === 'true' && !video.paused) frames.push({ at: expectedDisplayTime, mediaTime })
        video.requestVideoFrameCallback(seen)
      }
      video.requestVideoFrameCallback(seen)
    }
    document.querySelector('button[aria-label=Play]').click()
    const end = performance.now() + 15_000
    while (performance.now() < end && (frames.at(-1)?.mediaTime ?? 0) < 3.8) await new Promise((done) => setTimeout(done, 50))
    document.querySelector('button[aria-label=Pause]')?.click()
    frames.sort((a, b) => a.at - b.at)
    const gaps = frames.slice(1).map((f, i) => ({ ms: f.at - frames[i].at, join: frames[i].mediaTime < 2.01 && f.mediaTime > 2.9 }))
    const others = gaps.filter((g) => !g.join).map((g) => g.ms)
    return {
      gap_ms: Math.round(gaps.find((g) => g.join)?.ms ?? -1), usual_ms: Math.round(others.toSorted((a, b) => a - b)[others.length >> 1] ?? -1), frames: frames.length,
      inside: frames.filter((f) => f.mediaTime > 2.02 && f.mediaTime < 2.98).length,
    }
  })
}

async function dialog() {
  await page.keyboard.press('e')
  const box = page.getByRole('dialog')
  await box.waitFor()
  await box.getByRole('button', { name: /Shorts/ }).click()
  await shoot('dialog-picture')
  await accessible('the picture settings')
  await box.getByRole('tab', { name: 'Sound' }).click()
  await box.getByRole('switch', { name: 'Reduce background noise' }).click()
  await shoot('dialog-sound')
  await accessible('the sound settings')
  await box.getByRole('tab', { name: 'Captions' }).click()
  for (const style of ['Karaoke', 'Boxed']) {
    await box.getByRole('radio', { name: style }).click()
    await shoot(`dialog-captions-${style.toLowerCase()}`)
  }
  await accessible('the caption settings')
  await box.getByRole('tab', { name: 'Words' }).click()
  await shoot('dialog-words')
  await box.getByRole('button', { name: /Small file/ }).click()
  check((await box.getByTestId('estimate').textContent()).startsWith('about '), 'there is no estimate of the size')
  await box.getByRole('button', { name: 'Export', exact: true }).click()
  await page.locator('[data-export][data-status=completed]').waitFor()
  await shoot('exported')
  await accessible('the list of exports')
  const settings = await page.evaluate(async () => (await (await fetch(`api/v1/projects/${location.pathname.split('/').pop()}/exports/`)).json()).items[0].export_settings)
  check(settings.resolution === '720p' && settings.captions.style === 'boxed' && settings.audio.noise_reduction && settings.audio.target_lufs === -16, `the export got ${JSON.stringify(settings)}`)
}

// captions changes the text of a line and takes it back.
async function captions() {
  await page.getByRole('tab', { name: 'Captions', exact: true }).click()
  const line = page.getByRole('list', { name: 'Caption lines' }).getByRole('textbox').first()
  const said = await line.inputValue()
  await line.fill('Other words')
  await line.press('Enter')
  const back = page.getByRole('button', { name: `Back to what was said: ${said}` })
  await back.waitFor()
  await shoot('captions')
  await accessible('the caption lines')
  const text = () => page.evaluate(async () => (await (await fetch(`api/v1/projects/${location.pathname.split('/').pop()}/caption-lines/`)).json()).items[0].text)
  check((await text()) === 'Other words', `the caption is ${await text()}`)
  await page.keyboard.press('Control+z')
  await back.waitFor({ state: 'detached' })
  check((await line.inputValue()) === said, 'undo did not bring the caption back')
}

try {
  await context.addCookies([{ name: cookie.split('=')[0], value: cookie.slice(cookie.indexOf('=') + 1), url: base }])
  await page.goto(base)
  await page.getByRole('button', { name: 'New project' }).first().waitFor()
  const shots = []
  for (const { name, settings } of looks) {
    await page.evaluate((kept) => localStorage.setItem('roughcut.export', kept), JSON.stringify(settings))
    await page.goto(`${base}/projects/${project}`)
    await page.locator('canvas[data-wave-top]').waitFor()
    await page.locator('video[data-seen=true]').waitFor()
    for (const place of PLACES) shots.push(await take(name, place))
    if (name === 'karaoke') await shoot('player-upright')
  }
  const gap = await playOverJoin()
  check(gap.inside === 0, `${gap.inside} frames of footage that is cut were shown`)
  await shoot('player')
  await accessible('the player')
  await dialog()
  await captions()
  check(problems.length === 0, problems.join('\n'))
  console.log(JSON.stringify({ shots, join: gap }))
} catch (error) {
  console.error(error.message, problems.join('\n'))
  if (outDir) await page.screenshot({ path: join(outDir, 'preview-failed.png') })
  process.exitCode = 1
} finally {
  await context.close()
  rmSync(profile, { recursive: true, force: true })
}
