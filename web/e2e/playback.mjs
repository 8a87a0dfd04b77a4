// Plays a project and a trimmed asset in a real browser, and checks the frames and the audio. A failed step exits
// with 1 and a message.
//
// Environment:
//   BASE_URL  address of the server
//   SESSION   session cookie as name=value
//   PROJECT   UUID of an analyzed project with a group of three takes; Roughcut proposes the third
//   ASSET     UUID of a video in the library
import { ask, check, enter, page, PATIENCE_MS, run, until } from './browser.mjs'

const { BASE_URL: base, SESSION: session, PROJECT: project, ASSET: asset } = process.env

const edits = async () => (await ask('GET', `/projects/${project}/edits/?page_size=200`)).items

const position = () =>
  page.getByTestId('position').evaluate((e) => {
    const [minutes, seconds] = e.textContent.split(':')
    return Number(minutes) * 60_000 + Number(seconds) * 1000
  })

// The position and the level of the audio at one moment: between two calls a loaded machine may play on.
const heard = () =>
  page.getByTestId('position').evaluate((e) => {
    const [minutes, seconds] = e.textContent.split(':')
    return { ms: Number(minutes) * 60_000 + Number(seconds) * 1000, level: window.level() }
  })

async function open() {
  await page.goto(`${base}/projects/${project}`)
  await page.locator('[data-cut]').first().waitFor()
  await page.getByTestId('total-original').waitFor()
  await page.locator('body').click({ position: { x: 640, y: 24 } })
}

const select = (uuid) => page.locator(`[data-cut="${uuid}"]`).click({ position: { x: 60, y: 12 } })

// Plays the second take, and checks that playback stops at its end.
async function take() {
  await open()
  for (let i = 0; i < 20 && (await page.locator('[data-takes]').count()) === 0; i++)
    await page.keyboard.press('ArrowDown')
  const { takes } = (await ask('GET', `/projects/${project}/take-groups/`)).items[0]
  await page.keyboard.press('Shift+Digit2')
  await until('take 2 plays', async () => {
    const ms = await position()
    return ms > takes[1].start_ms + 100 && ms < takes[1].end_ms
  })

  await page.getByRole('button', { name: 'Play', exact: true }).waitFor()
  const end = await position()
  check(Math.abs(end - takes[1].end_ms) < 60, `take 2 ends at ${takes[1].end_ms} ms and stopped at ${end} ms`)
}

// Plays from just before an active cut, and checks that the playhead jumps over it and that no frame of it is shown.
async function acrossCut() {
  await open()
  const all = (await edits()).filter((e) => e.active && e.type !== 'asset').sort((a, b) => a.start_ms - b.start_ms)
  // One that is long enough to be missed, with kept footage before it.
  const clear = (e) =>
    e.start_ms > 1200 &&
    e.end_ms - e.start_ms > 200 &&
    !all.some((o) => o !== e && o.start_ms < e.start_ms && o.end_ms > e.start_ms - 300)

  const span = { ...all.find(clear) }
  for (const e of all) if (e.start_ms <= span.end_ms && e.end_ms > span.end_ms) span.end_ms = e.end_ms
  check(span.uuid, 'no cut is fit to be played across')
  await select(span.uuid)
  await page.keyboard.press('Shift+ArrowLeft')
  const played = await page.evaluate(
    async ([end_ms, patience]) => {
      const [seen, shown] = [[], []]
      const still = document.querySelector('[data-testid=stage] canvas')
      const covered = () =>
        still.width > 0 && still.getContext('2d').getImageData(still.width / 2, still.height / 2, 1, 1).data[3] > 0

      document.querySelector('button[aria-label=Play]').click()
      const begin = performance.now()
      let last = begin
      while (last - begin < patience && !(seen.at(-1) > end_ms + 800)) {
        const now = await new Promise((done) => requestAnimationFrame(done))
        const video = document.querySelector('video[data-seen=true]')
        if (!video.paused && !video.seeking) {
          seen.push(Math.round(video.currentTime * 1000))
          // The first look of a page that was kept from drawing comes before the player's.
          if (now - last < 100 && !covered()) shown.push(seen.at(-1))
        }

        last = now
      }

      document.querySelector('button[aria-label=Pause]')?.click()
      return { seen, shown }
    },
    [span.end_ms, PATIENCE_MS],
  )

  const inside = played.shown.filter((ms) => ms > span.start_ms + 60 && ms < span.end_ms - 20)
  check(
    played.seen.some((ms) => ms <= span.start_ms + 60),
    'playback did not run before the cut',
  )

  check(
    played.seen.some((ms) => ms >= span.end_ms - 20),
    `playback did not reach what follows the cut at ${span.start_ms}-${span.end_ms} ms; it ran from ${played.seen[0]} to ${played.seen.at(-1)} ms (${played.seen.length} looks)`,
  )

  check(inside.length === 0, `playback showed ${inside.length} frames of footage that is cut, from ${inside[0]} ms`)
}

// Plays a muted cut and measures the audio: the background of the recording, not silence and not the voice.
async function roomTone() {
  const { uuid, start_ms, end_ms } = (await edits()).find((e) => e.type === 'false_start')
  await ask('PATCH', `/edits/${uuid}`, { action: 'mute' })
  await open()
  await select(uuid)
  await page.keyboard.press('Space')
  const loudest = { inside: 0, after: 0 }
  await until('playback has passed the mute', async () => {
    const { ms, level } = await heard()
    const place = ms > start_ms + 100 && ms < end_ms - 100 ? 'inside' : ms > end_ms + 100 ? 'after' : null
    if (place) loudest[place] = Math.max(loudest[place], level)
    return loudest.after > 0.02
  })

  await page.keyboard.press('Space')
  check(loudest.inside > 1e-4 && loudest.inside < 5e-3, `the muted cut plays at ${loudest.inside} of full scale`)
}

// tap adds window.level, which measures the audio that the page plays as a root mean square.
function tap() {
  const connect = window.AudioNode.prototype.connect
  window.AudioNode.prototype.connect = function (to, ...rest) {
    if (to instanceof window.AudioDestinationNode && !window.level) {
      const analyser = new window.AnalyserNode(this.context, { fftSize: 2048 })
      const samples = new Float32Array(analyser.fftSize)
      window.level = () => {
        analyser.getFloatTimeDomainData(samples)
        return Math.hypot(...samples) / Math.sqrt(samples.length)
      }

      connect.call(this, analyser)
    }

    return connect.call(this, to, ...rest)
  }
}

// Plays a trim with a cut from 40 to 60 % of an asset, and checks that no frame of the cut is shown.
async function trim() {
  await page.goto(`${base}/library`)
  await page
    .locator(`[data-asset="${asset}"][data-status=uploaded]`)
    .getByRole('button', { name: /^Actions for/ })
    .click()

  await page.getByRole('menuitem', { name: 'Trim' }).click()
  await page.locator('[data-wave]').waitFor()
  const track = await page.locator('[data-track]').boundingBox()
  const at = (share) => [track.x + share * track.width, track.y + track.height / 2]
  await page.mouse.click(...at(0.4))
  await page.getByRole('button', { name: 'Cut from here' }).click()
  await page.mouse.click(...at(0.6))
  await page.getByRole('button', { name: 'Cut to here' }).click()
  await page.locator('[data-cut-mark]').waitFor()
  await page.mouse.click(...at(0.35))
  await page.getByRole('button', { name: 'Play result' }).click()
  const { length, seen, shown } = await page.evaluate(async (patience) => {
    const media = document.querySelector('[data-bench]')
    const [seen, shown] = [[], []]
    const start = performance.now()
    let last = start
    while (last - start < patience && !(seen.at(-1) > media.duration * 0.65)) {
      const now = await new Promise((done) => requestAnimationFrame(done))
      if (!media.paused && !media.seeking) {
        seen.push(media.currentTime)
        if (now - last < 100) shown.push(media.currentTime) // after a pause in painting, the page may run before the player has skipped the cut
      }

      last = now
    }

    return { length: media.duration, seen, shown }
  }, PATIENCE_MS)

  const inside = shown.filter((s) => s > length * 0.42 && s < length * 0.58)
  check(
    seen.at(-1) > length * 0.58 && inside.length === 0,
    `playback showed ${inside.length} cut frames among ${shown.length}`,
  )
}

await run(
  async () => {
    await enter(base, session)
    await page.addInitScript(tap)
    await take()
    await acrossCut()
    await roomTone()
    await trim()
  },
  { viewport: { width: 1440, height: 900 } },
)
