// Plays videos from start to end in a real browser and seeks in them. Prints a JSON list with an object for each video:
// how far it played, and the frame at each time as 768 by 24 gray pixels in base64. A failure exits with 1 and a message.
//
// Environment:
//   BASE_URL  address of an empty page next to the videos
//   VIDEOS    JSON: [{"url": "a.mp4", "times": [0.5, 1.25]}], times in seconds
import { page, run } from './browser.mjs'

await run(async () => {
  await page.goto(process.env.BASE_URL)
  const played = []
  for (const video of JSON.parse(process.env.VIDEOS)) played.push(await page.evaluate(watch, video))
  return played
})

// watch runs in the page.
async function watch({ url, times }) {
  const video = document.createElement('video')
  const canvas = document.createElement('canvas')
  canvas.width = 768
  canvas.height = 24
  const context = canvas.getContext('2d', { willReadFrequently: true })
  video.muted = true
  video.preload = 'auto'
  document.body.replaceChildren(video)
  const happens = (name) =>
    new Promise((resolve, reject) => {
      video.addEventListener(name, resolve, { once: true })
      video.addEventListener('error', () => reject(new Error(`${url}: ${video.error?.message}`)), { once: true })
    })

  const loaded = happens('loadeddata')
  video.src = url
  await loaded
  let presented = 0
  let backwards = 0
  let last = -1
  const count = (_, frame) => {
    presented++
    if (frame.mediaTime < last) backwards++
    last = frame.mediaTime
    video.requestVideoFrameCallback(count)
  }

  video.requestVideoFrameCallback(count)
  const ended = happens('ended')
  await video.play()
  await ended
  const played = { url, duration: video.duration, end: video.currentTime, last, presented, backwards, seen: [] }
  for (const time of times) {
    const sought = happens('seeked')
    const shown = new Promise((resolve) => video.requestVideoFrameCallback(resolve)) // a seek may end before its frame can be drawn
    video.currentTime = time
    await sought
    await shown
    context.drawImage(video, 0, 0, canvas.width, canvas.height)
    const { data } = context.getImageData(0, 0, canvas.width, canvas.height)
    let grey = ''
    for (let i = 0; i < data.length; i += 4) grey += String.fromCharCode((data[i] + 2 * data[i + 1] + data[i + 2]) / 4)
    played.seen.push(btoa(grey))
  }

  return played
}
