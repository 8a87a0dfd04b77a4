// Measures a long project in a real browser: first paint and script size, frames while scrolling, seeks, and new settings.
// Prints one JSON object; a failed step exits with 1 and a message.
//
// Environment:
//   BASE_URL  address of the server with its launch token
//   PROJECT   uuid of an analyzed project
import { ask, page, run } from './browser.mjs'

const launch = new URL(process.env.BASE_URL)
const project = process.env.PROJECT
/** Duration of a scroll and the longest time of any step, in milliseconds. */
const SCROLL_MS = 3_000
const LONGEST_MS = 20_000

const round = (n) => Math.round(n * 10) / 10
const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1] ?? -1

// firstScreen opens the project list with an empty cache and returns the time of the paint and the size of the scripts.
async function firstScreen() {
  const Paint = []
  let Script = 0
  for (let i = 0; i < 5; i++) {
    const network = await page.context().newCDPSession(page)
    await network.send('Network.clearBrowserCache')
    await page.goto(launch.origin)
    await page
      .getByRole('link', { name: /Three hours/ })
      .first()
      .waitFor()

    await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length > 0)
    const seen = await page.evaluate(() => {
      const scripts = performance.getEntriesByType('resource').filter((r) => r.name.endsWith('.js'))
      return {
        paint: Math.max(performance.getEntriesByName('first-contentful-paint')[0].startTime, window.contentAt ?? 0),
        script: scripts.reduce((sum, r) => sum + r.encodedBodySize, 0),
      }
    })

    Paint.push(Math.round(seen.paint))
    Script = Math.max(Script, seen.script)
    await network.detach()
  }

  return { Paint, PaintMedian: median(Paint), Script }
}

// noteContent notes when the first frame with a project is drawn.
function noteContent() {
  const look = () => {
    if (location.pathname !== '/') return
    if (!document.querySelector('[data-result]')) return requestAnimationFrame(look)
    requestAnimationFrame(() => (window.contentAt = performance.now()))
  }

  requestAnimationFrame(look)
}

// frames moves something in each frame and returns the durations of the frames and the processor time of each.
async function frames(metrics, what) {
  const before = await metrics()
  const took = await page.evaluate(
    ([what, ms]) =>
      new Promise((done) => {
        const canvas = document.querySelector('canvas[data-wave-top]')
        const box = canvas.getBoundingClientRect()
        const words = document.querySelector('[data-transcript]')
        const moves = {
          timeline: () =>
            canvas.dispatchEvent(
              new WheelEvent('wheel', {
                deltaX: 24,
                bubbles: true,
                cancelable: true,
                clientX: box.left + 400,
                clientY: box.top + 90,
              }),
            ),
          zoom: () =>
            canvas.dispatchEvent(
              new WheelEvent('wheel', {
                deltaY: Math.sin(performance.now() / 400) * 30,
                ctrlKey: true,
                bubbles: true,
                cancelable: true,
                clientX: box.left + 400,
                clientY: box.top + 90,
              }),
            ),
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
    [what, SCROLL_MS],
  )

  const after = await metrics()
  const sorted = took.toSorted((a, b) => a - b)
  const each = (name) => round(((after[name] - before[name]) * 1000) / (took.length + 2))
  return {
    Median: round(median(took)),
    P95: round(sorted[Math.floor(sorted.length * 0.95)]),
    Max: round(sorted.at(-1)),
    Of: took.length,
    Work: each('TaskDuration'),
    Script: each('ScriptDuration'),
  }
}

// seek clicks on the ruler and waits for the frame of that place.
async function seek(share) {
  return page.evaluate(
    ([share, longest]) =>
      new Promise((done, fail) => {
        const canvas = document.querySelector('canvas[data-wave-top]')
        const box = canvas.getBoundingClientRect()
        const video = document.querySelector('video[data-seen=true]')
        const at = {
          bubbles: true,
          clientX: box.left + box.width * share,
          clientY: box.top + 10,
          pointerId: 1,
          button: 0,
          buttons: 1,
          isPrimary: true,
        }

        setTimeout(() => fail(new Error(`no picture came of ${share} of the recording`)), longest)
        canvas.setPointerCapture = () => undefined // made by hand, this pointer cannot be captured
        const begin = performance.now()
        video.requestVideoFrameCallback(() => done(Math.round(performance.now() - begin)))
        canvas.dispatchEvent(new PointerEvent('pointerdown', at))
        canvas.dispatchEvent(new PointerEvent('pointerup', at))
      }),
    [share, LONGEST_MS],
  )
}

// replan changes the pacing by ten and waits for the frame with the new length.
async function replan(key) {
  await page.getByRole('slider', { name: 'Pacing' }).focus()
  await page.evaluate(() => {
    const length = document.querySelector('[data-testid=total-result]')
    let begin = 0
    window.addEventListener('keydown', () => (begin = performance.now()), { once: true, capture: true })
    window.replanned = new Promise((done) => {
      new MutationObserver((_, me) => {
        me.disconnect()
        requestAnimationFrame(() => done(Math.round(performance.now() - begin)))
      }).observe(length, { attributes: true, attributeFilter: ['data-ms'] })
    })
  })

  const kept = page.waitForResponse((r) => r.request().method() === 'GET' && r.url().endsWith('/edits'))
  await page.keyboard.press(key)
  await kept
  const took = await page.evaluate(
    (longest) =>
      Promise.race([
        window.replanned,
        new Promise((_, fail) => setTimeout(() => fail(new Error('the length did not change')), longest)),
      ]),
    LONGEST_MS,
  )

  await page.waitForFunction(() => !document.querySelector('[aria-label=Durations]').className.includes('accent-soft'))
  return took
}

await run(
  async () => {
    await page.addInitScript(noteContent)
    await page.goto(launch.href)
    await page
      .getByRole('link', { name: /Three hours/ })
      .first()
      .waitFor()

    const First = await firstScreen()
    const begin = Date.now()
    await page.goto(new URL(`/projects/${project}`, launch).href)
    await page.locator('[data-cut]').first().waitFor()
    await page.locator('[data-word]').first().waitFor()
    const Opened = Date.now() - begin
    await page.waitForFunction(() => document.querySelector('video[data-seen=true]')?.readyState >= 2)
    const Cuts = (await ask('GET', `/projects/${project}/edits/`)).items.length
    const Words = (await ask('GET', `/projects/${project}`)).transcript.words.length
    const cdp = await page.context().newCDPSession(page)
    await cdp.send('Performance.enable', { timeDomain: 'threadTicks' }) // processor time, whatever else the machine does
    const metrics = async () =>
      Object.fromEntries((await cdp.send('Performance.getMetrics')).metrics.map((m) => [m.name, m.value]))

    const Zoom = await frames(metrics, 'zoom')
    await page.keyboard.press('z') // everything is in sight
    const Seek = []
    for (const share of [0.5, 0.1, 0.83, 0.31, 0.66, 0.2, 0.95]) Seek.push(await seek(share))
    for (let i = 0; i < 8; i++) await page.keyboard.press('+')
    const Timeline = await frames(metrics, 'timeline')
    const Transcript = await frames(metrics, 'transcript')
    await page.getByRole('button', { name: /^Pacing/ }).click()
    const Replan = []
    for (const key of ['PageDown', 'PageUp', 'PageDown', 'PageUp', 'PageDown', 'PageUp']) Replan.push(await replan(key))
    return {
      First,
      Cuts,
      Words,
      Opened,
      Zoom,
      Timeline,
      Transcript,
      Seek,
      SeekMedian: median(Seek),
      Replan,
      ReplanLeast: Math.min(...Replan),
    }
  },
  { viewport: { width: 1920, height: 1080 } },
)
