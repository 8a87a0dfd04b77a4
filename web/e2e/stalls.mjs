// Plays a project with cuts: in a browser that reports no frames, and with videos whose time stands. Playback passes every
// cut and ends at the last one. web/e2e/playback.spec.ts tests what does not need media that plays.
//
// Environment:
//   BASE_URL  address of the server
//   SESSION   session cookie as name=value
//   PROJECT   uuid of a project with cuts
//   CUTS      [[start, end], …] of the cuts, in milliseconds
//   LENGTH    milliseconds of the result
import { check, enter, page, reportNoFrames, run, until } from './browser.mjs'

const { BASE_URL: base, SESSION: session, PROJECT: project } = process.env
const cuts = JSON.parse(process.env.CUTS)

const button = (name) => page.getByRole('button', { name, exact: true })
const waiting = () => page.getByRole('status', { name: 'Loading the video' })

const position = () =>
  page.getByTestId('position').evaluate((e) => {
    const [minutes, seconds] = e.textContent.split(':')
    return Math.round(Number(minutes) * 60_000 + Number(seconds) * 1000)
  })

// open loads the project with a change to the browser, which runs in the page first.
async function open(change) {
  if (change) await page.addInitScript(change)
  await page.goto(`${base}/projects/${project}`)
  await page.locator(`[data-testid=total-result][data-ms="${process.env.LENGTH}"]`).waitFor()
  await page.waitForFunction(() => document.querySelector('video[data-seen=true]')?.readyState >= 2)
  await page.evaluate(notePositions)
}

// notePositions keeps all positions that the page shows in window.positions, in milliseconds.
function notePositions() {
  const shown = document.querySelector('[data-testid=position]')
  window.positions = []
  new MutationObserver(() => {
    const [minutes, seconds] = shown.textContent.split(':')
    window.positions.push(Math.round(Number(minutes) * 60_000 + Number(seconds) * 1000))
  }).observe(shown, { childList: true, characterData: true, subtree: true })
}

// ends waits for the end of playback and checks the way to it.
async function ends(what, from, to, crossed) {
  await button('Play').waitFor()
  const seen = await page.evaluate(() => window.positions.splice(0))
  const way = seen.slice(seen.findIndex((ms) => ms >= from))
  check(
    way.every((ms, i) => i === 0 || ms >= way[i - 1]),
    `${what}: playback went back: ${way}`,
  )

  const cut = way.filter((ms) => crossed.some(([start, end]) => ms > start + 20 && ms < end - 20))
  check(cut.length === 0, `${what}: the clock showed cut footage: ${cut}`)
  const end = await position()
  check(Math.abs(end - to) <= 20, `${what}: playback ended at ${end} ms, want ${to}`)
  const frozen = () =>
    page.evaluate(() => {
      const still = document.querySelector('[data-testid=footage] canvas')
      return still.width > 0 && still.getContext('2d').getImageData(still.width / 2, still.height / 2, 1, 1).data[3] > 0
    })

  await until(`${what}: the freeze frame is gone`, async () => !(await frozen()))
}

const end = cuts.at(-1)[0]

async function atSpeeds() {
  await button('Play').click()
  await ends('normal speed', 0, end, cuts)
  await page.locator('body').click({ position: { x: 640, y: 24 } })
  await page.keyboard.press('Home')
  await until('the playhead is at the start', async () => (await position()) === 0)
  await page.keyboard.press('l')
  await page.keyboard.press('l')
  await ends('double speed', 0, end, cuts)
}

async function withCut() {
  await page.keyboard.press('Home')
  for (const [i, cut] of cuts.slice(0, -1).entries()) {
    await page.keyboard.press('ArrowDown')
    await until(`cut ${i + 1} is selected`, async () => Math.abs((await position()) - cut[0]) < 50)
    await page.evaluate(() => window.positions.splice(0))
    const began = page.waitForFunction((start) => window.positions.some((ms) => ms < start), cut[0])
    await page.keyboard.press('a')
    await began
    // An audition plays 1.5 s of the result after the cut.
    const [next] = cuts.slice(i + 1)
    const rest = 1500 - (next[0] - cut[1])
    await ends(`with cut ${i + 1}`, 0, rest > 0 ? Math.min(next[1] + rest, end) : cut[1] + 1500, cuts)
  }
}

// Both decks play at a rate of zero at the first cut: their time stands, as with a sound device that does not start.
async function standing() {
  await page.keyboard.press('Home')
  await until('the playhead is at the start', async () => (await position()) === 0)
  await button('Play').click()
  await until('it plays', async () => (await position()) > 0)
  await page.evaluate(() => (document.querySelector('video[data-seen=true]').playbackRate = 0))
  await waiting().waitFor()
  await waiting().waitFor({ state: 'detached' })
  await ends('after a stand', 0, end, cuts)
}

// neverStarts replaces play of the hidden deck until its file is loaded again.
async function neverStarts() {
  await page.keyboard.press('Home')
  await until('the playhead is at the start', async () => (await position()) === 0)
  await page.evaluate(() => {
    const video = document.querySelector('video[data-seen=false]')
    video.play = () => new Promise(() => {})
    video.addEventListener('emptied', () => delete video.play, { once: true })
  })

  await button('Play').click()
  await waiting().waitFor()
  await ends('past a deck that never starts', 0, end, cuts)
}

// noteRates counts in window.rates the rates that are set in vain and the inaudible ones.
function noteRates() {
  window.rates = { set: 0, same: 0, standing: 0, inaudible: 0 }
  const { get, set } = Object.getOwnPropertyDescriptor(HTMLMediaElement.prototype, 'playbackRate')
  const { play } = HTMLMediaElement.prototype
  HTMLMediaElement.prototype.play = function () {
    this.startedAt = this.currentTime
    return play.call(this)
  }

  Object.defineProperty(HTMLMediaElement.prototype, 'playbackRate', {
    get,
    set(rate) {
      const before = get.call(this)
      window.rates.set++
      if (rate === before) window.rates.same++
      else if (!this.paused && this.currentTime === this.startedAt) window.rates.standing++
      if (rate !== 1 && Math.abs(rate - before) < 0.045) window.rates.inaudible++
      set.call(this, rate)
    },
  })
}

await run(async () => {
  await enter(base, session)
  await open(noteRates)
  await button('Play').click()
  await ends('with frames', 0, end, cuts)
  const rates = await page.evaluate(() => window.rates)
  check(rates.same + rates.standing + rates.inaudible === 0, `rates were set in vain: ${JSON.stringify(rates)}`)
  await standing()
  await neverStarts()
  await open(reportNoFrames)
  await atSpeeds()
  await withCut()
})
