// Shows a project in the player with several export options, takes screenshots of the preview, and uses the export dialog.
// Prints a JSON list of the screenshots; a failed step exits with 1 and a message.
//
// Environment:
//   BASE_URL  address of the server
//   SESSION   session cookie as name=value
//   PROJECT   uuid of a project with captions, and with a cut from 2 to 3 s
//   LOOKS     a list of {name, settings} as JSON
//   PICTURES  folder for the screenshots of the player
import { join } from 'node:path'
import { ask, check, enter, look, page, run, settled, until } from './browser.mjs'

const { BASE_URL: base, SESSION: session, PROJECT: project, PICTURES: pictures } = process.env
const looks = JSON.parse(process.env.LOOKS)
/** Positions of the screenshots, as a share of the recording. */
const PLACES = [0.12, 0.68]

// shown waits until video, captions and placed assets match the playhead to a hundredth of a second.
async function shown() {
  await page.waitForFunction(() => {
    const video = document.querySelector('video[data-seen=true]')
    const images = [...document.querySelectorAll('[data-overlay] img')]
    const [minutes, seconds] = document.querySelector('[data-testid=position]').textContent.split(':').map(Number)
    const there = video && Math.abs(video.currentTime - 60 * minutes - seconds) < 0.02
    return (
      there &&
      !video.seeking &&
      video.readyState >= 2 &&
      document.querySelector('[data-testid=titles]').dataset.caption &&
      images.every((i) => i.complete) &&
      document.fonts.check('12px "Inter SemiBold"') &&
      document.fonts.check('12px "Inter ExtraBold"')
    )
  })
  await settled()
}

async function take(name, place) {
  const ruler = page.locator('canvas[data-wave-top]')
  const box = await ruler.boundingBox()
  await page.mouse.click(box.x + box.width * place, box.y + 10)
  await page.keyboard.press('ArrowRight')
  await shown()
  const [minutes, seconds] = (await page.getByTestId('position').textContent()).split(':').map(Number)
  const frame = Math.round((minutes * 60 + seconds) * 25)
  const path = join(pictures, `${name}-${frame}.png`)
  await page.getByTestId('stage').screenshot({ path })
  return { look: name, frame, path }
}

async function dialog() {
  await page.keyboard.press('e')
  const box = page.getByRole('dialog')
  await box.waitFor()
  await box.getByRole('button', { name: /Shorts/ }).click()
  await look('dialog-video')
  await box.getByText('Advanced').click()
  await look('dialog-advanced')
  await box.getByRole('tab', { name: 'Audio' }).click()
  await box.getByRole('switch', { name: 'Reduce background noise' }).click()
  await look('dialog-audio')
  await box.getByRole('tab', { name: 'Captions' }).click()
  for (const style of ['Karaoke', 'Boxed']) {
    await box.getByRole('radio', { name: style }).click()
    await look(`dialog-captions-${style.toLowerCase()}`)
  }
  await box.getByRole('tab', { name: 'Profanity' }).click()
  await look('dialog-profanity')
  await box.getByRole('button', { name: /Small file/ }).click()
  await box
    .getByTestId('estimate')
    .getByText(/, about .*B$/)
    .waitFor()
  await box.getByRole('button', { name: 'Export', exact: true }).click()
  await page.locator('[data-export][data-status=completed]').waitFor()
  await look('exported')
  const settings = (await ask('GET', `/projects/${project}/exports/`)).items[0].export_settings
  check(
    settings.resolution === '720p' &&
      settings.captions.style === 'boxed' &&
      settings.audio.noise_reduction &&
      settings.audio.target_lufs === -16,
    `the export got ${JSON.stringify(settings)}`,
  )
}

// framing sets the center of a punch-in and moves the crop, with the mouse and by keys.
async function framing() {
  const options = () => page.evaluate(() => JSON.parse(localStorage.getItem('roughcut.export')))
  await page.getByRole('button', { name: 'Frame and speed' }).click()
  await page.getByRole('radio', { name: '115%' }).click()
  await page.getByRole('switch', { name: 'Ease' }).click()
  await look('frame-menu')
  await page.getByRole('button', { name: 'Set its center' }).click()
  const mark = page.getByTestId('punch-in-point')
  await mark.press('Shift+ArrowRight')
  await mark.press('ArrowUp')
  const { x, y, scale_percent, ease } = (await options()).punch_in
  check(
    scale_percent === 115 && ease && Math.abs(x - 0.45) < 1e-6 && Math.abs(y - 0.29) < 1e-6,
    `the punch-in is ${JSON.stringify((await options()).punch_in)}`,
  )
  const picture = await page.getByTestId('punch-in-frame').boundingBox()
  await page.mouse.click(picture.x + picture.width * 0.25, picture.y + picture.height * 0.75)
  const set = (await options()).punch_in
  check(
    Math.abs(set.x - 0.25) < 0.01 && Math.abs(set.y - 0.75) < 0.01,
    `a click sets the center to ${JSON.stringify(set)}`,
  )
  const onTop = await mark.evaluate((m) => {
    const { x, y, width, height } = m.getBoundingClientRect()
    return document.elementFromPoint(x + width / 2, y + height / 2) === m
  })
  check(onTop, 'the hint covers the mark')
  await look('punch-in-point')
  await mark.press('Escape')
  await mark.waitFor({ state: 'detached' })

  await page.getByRole('button', { name: 'Frame and speed' }).click()
  await page.getByRole('button', { name: 'Move the crop' }).click()
  const surface = page.getByTestId('crop-surface')
  const before = (await options()).crop_keyframes.length
  const box = await surface.boundingBox()
  const [midX, midY] = [box.x + box.width / 2, box.y + box.height / 2]
  await page.mouse.move(midX, midY)
  await page.mouse.down()
  await page.mouse.move(midX + box.width / 5, midY, { steps: 3 })
  await page.mouse.up()
  const dragged = (await options()).crop_keyframes
  check(dragged.length === before + 1, `a drag left ${dragged.length} keyframes of ${before}`)
  await surface.press('ArrowLeft')
  const pressed = (await options()).crop_keyframes.at(-1)
  check(Math.abs(pressed.x - dragged.at(-1).x - 0.01) < 1e-6, 'an arrow key did not move the flipped crop by 1 %')
  await look('move-crop')
  await page.getByRole('button', { name: 'Remove keyframe' }).click()
  check((await options()).crop_keyframes.length === before, 'the keyframe was not removed')
  await page.getByRole('button', { name: 'Done' }).click()
}

// broll drops an image on the waveform, which fills the frame, and resizes and moves it on the picture.
async function broll() {
  const timeline = page.locator('canvas[data-wave-top]')
  const width = (await timeline.boundingBox()).width
  await timeline.evaluate(async (to, x) => {
    const canvas = new OffscreenCanvas(320, 180)
    canvas.getContext('2d').fillRect(0, 0, 320, 180)
    const files = new DataTransfer()
    files.items.add(new File([await canvas.convertToBlob()], 'dropped.png', { type: 'image/png' }))
    const clientX = to.getBoundingClientRect().left + x
    for (const type of ['dragenter', 'dragover', 'drop'])
      to.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: files, clientX }))
  }, width / 16)
  const block = page.locator('[data-placement]', { hasText: 'dropped' })
  await block.waitFor()
  const placed = async () =>
    (await ask('GET', `/projects/${project}/edits/?page_size=200`)).items.find(
      (e) => e.type === 'asset' && Math.abs(e.start_ms - 500) < 100,
    )
  await until('the image fills the frame', async () => (await placed())?.visual_mode === 'cutaway')
  await block.click()
  await page.locator('canvas[data-wave-top]').click({ position: { x: width / 8, y: 10 } })
  const corner = page.getByRole('button', { name: /^Resize dropped/ })
  await corner.waitFor()
  const frame = await page.getByTestId('stage').boundingBox()
  const drag = async (from, toX, toY) => {
    const box = await from.boundingBox()
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
    await page.mouse.down()
    await page.mouse.move(frame.x + frame.width * toX, frame.y + frame.height * toY, { steps: 4 })
    await page.mouse.up()
  }
  await drag(corner, 0.75, 0.75)
  await until('the image covers half of the frame', async () => {
    const { visual_mode, overlay_size_percent } = await placed()
    return visual_mode === 'overlay' && Math.abs(overlay_size_percent - 50) <= 2
  })
  await drag(page.getByRole('button', { name: /^Move dropped/ }), 0.3, 0.6)
  await until('the image moved', async () => {
    const { overlay_x, overlay_y } = await placed()
    return Math.abs(overlay_x - 0.3) < 0.02 && Math.abs(overlay_y - 0.6) < 0.02
  })
  await look('broll')
  const size = (await placed()).overlay_size_percent
  await corner.press('ArrowRight')
  await until('an arrow key resizes the image', async () => (await placed()).overlay_size_percent === size + 1)
  await page.keyboard.press('Escape')
  await page.getByRole('tab', { name: /^Placed/ }).click()
  const list = page.getByRole('list', { name: 'Placed assets' })
  await list.waitFor()
  await look('placed')
  await list.getByRole('button', { name: /^dropped/ }).click()
  await page.getByRole('textbox', { name: 'Fade in' }).waitFor()
  await block.focus()
  await page.keyboard.press('Delete')
  await until('the image is gone', async () => !(await placed()))
}

// captions edits a caption line and undoes it.
async function captions() {
  await page.getByRole('tab', { name: 'Captions', exact: true }).click()
  const line = page.getByRole('list', { name: 'Caption lines' }).getByRole('textbox').first()
  const said = await line.inputValue()
  await line.fill('Other words')
  await line.press('Enter')
  const back = page.getByRole('button', { name: `Revert to original: ${said}` })
  await back.waitFor()
  await look('captions')
  const { text } = (await ask('GET', `/projects/${project}/caption-lines/`)).items[0]
  check(text === 'Other words', `the caption is ${text}`)
  await page.keyboard.press('Control+z')
  await back.waitFor({ state: 'detached' })
  check((await line.inputValue()) === said, 'undo did not restore the caption')
}

await run(
  async () => {
    await enter(base, session)
    await page.goto(base)
    await page.getByRole('button', { name: 'New project' }).first().waitFor()
    const shots = []
    for (const { name, settings } of looks) {
      await ask('PATCH', `/projects/${project}`, { export_settings: settings })
      await page.goto(`${base}/projects/${project}`)
      await page.locator('canvas[data-wave-top]').waitFor()
      await page.locator('video[data-seen=true]').waitFor()
      for (const place of PLACES) shots.push(await take(name, place))
      if (name === 'karaoke') await look('player-upright')
      if (name === 'framed') await framing()
    }
    await look('player')
    await dialog()
    await captions()
    await broll()
    return shots
  },
  { viewport: { width: 1920, height: 1080 }, scale: 2 },
)
