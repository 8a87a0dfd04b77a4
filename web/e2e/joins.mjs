// Plays a project across its cuts. Records screenshots as JPEG files and the audio that the page plays.
// Prints one JSON object: the times between frames at a cut and elsewhere, the time while the page could not draw,
// and the share of a processor that the machine provided. A failed step exits with 1 and a message.
//
// Environment:
//   BASE_URL  address of the server
//   SESSION   session cookie as name=value
//   PROJECT   uuid of a project with cuts
//   CUTS      [[start, end], …] of the cuts, in milliseconds
//   LENGTH    milliseconds of the result
//   PICTURES  folder for screenshots and audio
import { Buffer } from 'node:buffer'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { clearInterval, setInterval } from 'node:timers'
import { check, enter, page, PATIENCE_MS, run, settled, until } from './browser.mjs'

const { BASE_URL: base, SESSION: session, PROJECT: project, PICTURES: pictures } = process.env
const cuts = JSON.parse(process.env.CUTS)

// tap records the audio that the page plays, losslessly.
function tap() {
  const connect = window.AudioNode.prototype.connect
  window.AudioNode.prototype.connect = function (to, ...rest) {
    if (to instanceof window.AudioDestinationNode && !window.recorder) {
      const stream = new window.MediaStreamAudioDestinationNode(this.context, { channelCount: 1 })
      window.recorder = new window.MediaRecorder(stream.stream, { mimeType: 'audio/webm;codecs=pcm' })
      window.recorded = []
      window.recorder.addEventListener('dataavailable', (e) => window.recorded.push(e.data))
      window.recorder.start(250)
      connect.call(this, stream)
    }

    return connect.call(this, to, ...rest)
  }
}

// play plays the whole recording and notes each visible frame. At a cut, the still covers the video.
async function play([cuts, patience]) {
  const frames = []
  const still = document.querySelector('[data-testid=stage] canvas')
  const covered = () =>
    still.width > 0 && still.getContext('2d').getImageData(still.width / 2, still.height / 2, 1, 1).data[3] > 0

  const cut = (ms) => cuts.some(([start, end]) => ms > start - 1 && ms < end - 1)
  for (const video of document.querySelectorAll('video[data-seen]')) {
    const seen = (_, { mediaTime, expectedDisplayTime }) => {
      if (video.dataset.seen === 'true' && !video.paused && !(cut(mediaTime * 1000) && covered()))
        frames.push({ at: expectedDisplayTime, ms: mediaTime * 1000 })
      video.requestVideoFrameCallback(seen)
    }

    video.requestVideoFrameCallback(seen)
  }

  let [stalled, last] = [0, performance.now()]
  const drawn = (now) => {
    stalled = Math.max(stalled, now - last)
    last = now
    requestAnimationFrame(drawn)
  }

  requestAnimationFrame(drawn)
  const button = (name) => document.querySelector(`button[aria-label=${name}]`)
  const begin = performance.now()
  while (!button('Play') || performance.now() - begin < 500) {
    if (performance.now() - begin > patience) throw new Error('it plays on and on')
    await new Promise((done) => setTimeout(done, 50))
  }

  window.recorder?.stop()
  frames.sort((a, b) => a.at - b.at)
  const steps = frames.slice(1).map((f, i) => ({
    ms: f.at - frames[i].at,
    join: cuts.some(([start, end]) => frames[i].ms < start && f.ms > end - 1),
  }))

  const longest = (list) => Math.round(list.reduce((most, s) => Math.max(most, s.ms), 0))
  const joins = steps.filter((s) => s.join)
  return {
    frames: frames.length,
    stalled_ms: Math.round(stalled),
    joins: joins.map((s) => Math.round(s.ms)),
    longest_ms: longest(steps.filter((s) => !s.join)),
    inside: frames.filter((f) => cut(f.ms)).map((f) => Math.round(f.ms)),
  }
}

// tryMachine uses 10 ms of a processor now and then. The returned function stops that and returns the share of the
// elapsed time while the process ran.
function tryMachine() {
  let [used, took] = [0, 0]
  const timer = setInterval(() => {
    const [from, begin] = [process.cpuUsage(), performance.now()]
    let ms = 0
    while (ms < 10) ms = Object.values(process.cpuUsage(from)).reduce((sum, us) => sum + us / 1000, 0)
    used += ms
    took += performance.now() - begin
  }, 200)

  return () => {
    clearInterval(timer)
    return used / took
  }
}

// keepsItsPlace narrows and widens the window during playback.
async function keepsItsPlace() {
  const place = async () => {
    const [minutes, seconds] = (await page.getByTestId('position').textContent()).split(':').map(Number)
    return 60 * minutes + seconds
  }

  const end = cuts.at(-1)[0] / 1000
  for (const width of [900, 1280]) {
    await page.keyboard.press('Home')
    await page.getByRole('button', { name: 'Play', exact: true }).click()
    await until('something plays', async () => (await place()) > 0)
    await page.setViewportSize({ width, height: 720 })
    await settled()
    const before = await place()
    await until(`it goes on at ${width} px`, async () => (await place()) > before || before > end - 1)
    const plays = await page.evaluate(() => {
      const pause = document.querySelector('button[aria-label=Pause]')
      pause?.click()
      return pause !== null
    })

    check(plays || (await place()) > end - 1, `at ${width} px it no longer plays`)
  }
}

await run(async () => {
  await enter(base, session)
  await page.addInitScript(tap)
  await page.goto(`${base}/projects/${project}`)
  await page.locator(`[data-testid=total-result][data-ms="${process.env.LENGTH}"]`).waitFor()
  await page.waitForFunction(() =>
    [...document.querySelectorAll('video[data-seen]')].every((v) => v.readyState >= 2 || v.dataset.seen !== 'true'),
  )

  const stage = await page.getByTestId('stage').boundingBox()
  const cdp = await page.context().newCDPSession(page)
  const shots = []
  cdp.on('Page.screencastFrame', ({ data, metadata, sessionId }) => {
    shots.push({ data, at: metadata.timestamp })
    cdp.send('Page.screencastFrameAck', { sessionId }).catch(() => undefined) // the page may be gone
  })

  await cdp.send('Page.startScreencast', { format: 'jpeg', quality: 60, maxWidth: 640, maxHeight: 360 })
  const share = tryMachine()
  await page.getByRole('button', { name: 'Play', exact: true }).click()
  const report = await page.evaluate(play, [cuts, PATIENCE_MS])
  await cdp.send('Page.stopScreencast')
  const sound = await page.evaluate(async () => {
    if (!window.recorder) return ''
    const bytes = new Uint8Array(await new window.Blob(window.recorded).arrayBuffer())
    let text = ''
    for (let i = 0; i < bytes.length; i += 32_768) text += String.fromCharCode(...bytes.subarray(i, i + 32_768))
    return btoa(text)
  })

  check(sound, 'the page plays no sound')
  writeFileSync(join(pictures, 'sound.webm'), Buffer.from(sound, 'base64'))
  shots.forEach((s, i) =>
    writeFileSync(join(pictures, `${String(i).padStart(4, '0')}.jpg`), Buffer.from(s.data, 'base64')),
  )

  await keepsItsPlace()
  return {
    ...report,
    given: share(),
    shots: shots.length,
    x: Math.round((stage.x + stage.width / 2) / 2),
    y: Math.round((stage.y + stage.height / 2) / 2),
  }
})
