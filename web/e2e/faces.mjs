// Turns on a punch-in and a narrower crop for a recording with a face and for one without, as a person does. The face is
// the center until the person sets a point.
//
// Environment:
//   BASE_URL  address of the server
//   SESSION   session cookie as name=value
//   FACE      UUID of a project with a cut, whose recording has a face at 25 % and 40 % of the frame
//   NONE      UUID of a project whose recording has no face
import { ask, check, enter, look, page, run, until } from './browser.mjs'

const { BASE_URL: base, SESSION: session, FACE: face, NONE: none } = process.env

const menu = () => page.getByRole('button', { name: 'Frame and speed' })
const choose = (group, name) => page.getByRole('radiogroup', { name: group }).getByRole('radio', { name }).click()
const centers = () => page.getByRole('radiogroup', { name: 'Zoom center' }).getByRole('radio')

async function open(project) {
  await page.goto(`${base}/projects/${project}`)
  await page.getByTestId('stage').waitFor()
  await menu().click()
  await choose('Punch-in after every other cut', /^115/)
}

async function steps() {
  await enter(base, session)
  await open(none)
  check((await centers().first().textContent()) === 'Middle', 'a recording without a face has no middle')

  await open(face)
  await until('the face is found', async () => (await centers().first().textContent()) === 'Face')
  await look('1-menu')
  // The sheet of six seconds has six tiles in its only row, each as wide as the thumbnail.
  const tile = await page.locator('[data-thumbnail]').evaluate((e) => [e.style.width, e.style.backgroundSize])
  check(parseFloat(tile[1]) === 6 * parseFloat(tile[0]), `a thumbnail of ${tile[0]} has a sheet of ${tile[1]}`)
  await page.getByRole('button', { name: 'Set its center' }).click()
  const mark = page.getByTestId('punch-in-point')
  const place = async () => {
    const [m, s] = [await mark.boundingBox(), await page.getByTestId('stage').boundingBox()]
    return [(m.x + m.width / 2 - s.x) / s.width, (m.y + m.height / 2 - s.y) / s.height]
  }
  const [x, y] = await place()
  check(Math.hypot(x - 0.25, y - 0.4) < 0.05, `the mark is at ${x}, ${y}`)
  await page.keyboard.press('ArrowRight')
  await until('an arrow key moves the mark by 1 %', async () => Math.abs((await place())[0] - x - 0.01) < 0.005)
  await look('2-mark')
  await page.getByRole('button', { name: 'Done' }).click()
  const saved = () => ask('GET', `/projects/${face}`).then((p) => p.export_settings?.punch_in?.center)
  await until('the point is saved', async () => (await saved()) === 'point')

  await menu().click()
  await choose('Zoom center', 'Face')
  await choose('Aspect ratio', '9:16')
  await choose('When the aspect ratio differs', 'Crop to fill')
  const left = () =>
    page.getByTestId('footage').evaluate((e) => parseFloat(window.getComputedStyle(e).getPropertyValue('--crop')))
  await until('the crop is at the face', async () => Math.abs((await left()) - 13.4) < 6)
  await page.keyboard.press('Escape')
  await look('3-upright')
  await until('the face is saved', async () => (await saved()) === 'face')
}

await run(steps)
