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
import { ask, check, enter, look, page, run, settled } from './browser.mjs'

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
      await page.evaluate((kept) => localStorage.setItem('roughcut.export', kept), JSON.stringify(settings))
      await page.goto(`${base}/projects/${project}`)
      await page.locator('canvas[data-wave-top]').waitFor()
      await page.locator('video[data-seen=true]').waitFor()
      for (const place of PLACES) shots.push(await take(name, place))
      if (name === 'karaoke') await look('player-upright')
    }
    await look('player')
    await dialog()
    await captions()
    return shots
  },
  { viewport: { width: 1920, height: 1080 }, scale: 2 },
)
