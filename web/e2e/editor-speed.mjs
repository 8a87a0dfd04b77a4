// Measures the editor on a long project in a real browser: frames while things scroll, seeks, new plans. Prints one JSON object.
//
// Environment:
//   BASE_URL  address of the server with its launch token
//   PROJECT   uuid of an analysed project
//   CHROMIUM  the browser; default /usr/bin/chromium
import { chromium } from 'playwright-core'

const launch = new URL(process.env.BASE_URL)
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', headless: true, args: ['--no-sandbox', '--disable-gpu'] })
const page = await browser.newPage({ viewport: { width: 1920, height: 1080 }, colorScheme: 'dark' })
page.setDefaultTimeout(60_000)

const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)] ?? -1

// frames moves something in each frame for some seconds and returns how long the frames took.
async function frames(move) {
  const took = await page.evaluate(
    ([what, ms]) =>
      new Promise((done) => {
        const canvas = document.querySelector('canvas[data-wave-top]')
        const box = canvas.getBoundingClientRect()
        const words = document.querySelector('[aria-label^="Transcript."]')
        const moves = {
          timeline: () => canvas.dispatchEvent(new WheelEvent('wheel', { deltaX: 24, bubbles: true, cancelable: true, clientX: box.left + 400, clientY: box.top + 90 })),
          transcript: () => (words.scrollTop += 48),
        }
        const out = []
        const begin = performance.now()
        let last = begin
        const step = (now) => {
          out.push(now - last)
          last = now
          if (now - begin > ms) return done(out.slice(2))
          moves[what]()
          requestAnimationFrame(step)
        }
        requestAnimationFrame(step)
      }),
    [move, 4000],
  )
  const sorted = [...took].sort((a, b) => a - b)
  const round = (n) => Math.round(n * 10) / 10
  return { Median: round(median(took)), P95: round(sorted[Math.floor(sorted.length * 0.95)]), Max: round(sorted.at(-1)), Late: took.filter((ms) => ms > 34).length, Of: took.length }
}

// seek presses on the overview, and waits for the picture of that place.
async function seek(share) {
  return page.evaluate(
    (share) =>
      new Promise((done) => {
        const overview = document.querySelector('canvas[aria-label="The whole recording"]').parentElement
        const box = overview.getBoundingClientRect()
        const video = document.querySelector('video[data-seen=true]')
        const at = { bubbles: true, clientX: box.left + box.width * share, clientY: box.top + 10, pointerId: 1, button: 0, isPrimary: true }
        const begin = performance.now()
        const shown = () => video.requestVideoFrameCallback(() => done(Math.round(performance.now() - begin)))
        shown()
        overview.setPointerCapture = () => undefined // made by hand, this pointer cannot be captured
        overview.dispatchEvent(new PointerEvent('pointerdown', at))
        overview.dispatchEvent(new PointerEvent('pointerup', at))
      }),
    share,
  )
}

// replan turns the pacing by one, and waits for the new length.
async function replan() {
  const thumb = page.getByRole('slider', { name: 'Pacing' })
  await thumb.focus()
  const changed = page.evaluate(
    () =>
      new Promise((done) => {
        const length = document.querySelector('[data-testid=total-result]')
        let begin = 0
        window.addEventListener('keydown', () => (begin = performance.now()), { once: true, capture: true })
        new MutationObserver((_, me) => {
          me.disconnect()
          requestAnimationFrame(() => done(Math.round(performance.now() - begin)))
        }).observe(length, { attributes: true, attributeFilter: ['data-ms'] })
      }),
  )
  await page.keyboard.press('ArrowRight')
  const took = await changed
  await page.waitForFunction(() => !document.querySelector('[aria-label=Lengths]').className.includes('accent-soft'))
  return took
}

try {
  await page.goto(launch.href)
  await page.getByRole('link', { name: /Three hours/ }).first().waitFor()
  const begin = Date.now()
  await page.goto(new URL(`/projects/${process.env.PROJECT}`, launch).href)
  await page.locator('[data-cut]').first().waitFor()
  await page.locator('[data-word]').first().waitFor()
  const Opened = Date.now() - begin
  await page.waitForLoadState('networkidle')
  const { Cuts, Words } = await page.evaluate(async (project) => {
    const get = async (path) => (await fetch(`api/v1/projects/${project}${path}`)).json()
    return { Cuts: (await get('/edits/')).items.length, Words: (await get('')).transcript.words.length }
  }, process.env.PROJECT)
  const Overview = await frames('timeline') // everything is in sight: each wheel draws it anew
  const Seek = []
  for (const share of [0.5, 0.1, 0.83, 0.31, 0.66, 0.2, 0.95]) Seek.push(await seek(share))
  for (let i = 0; i < 8; i++) await page.getByRole('button', { name: 'Zoom in' }).click()
  const Timeline = await frames('timeline')
  const Transcript = await frames('transcript')
  const Replan = []
  for (let i = 0; i < 5; i++) Replan.push(await replan())
  console.log(JSON.stringify({ Cuts, Words, Opened, Overview, Timeline, Transcript, Seek, SeekMedian: median(Seek), Replan, ReplanMedian: median(Replan) }))
} catch (error) {
  console.error(error.stack ?? error)
  process.exitCode = 1
} finally {
  await browser.close()
}
