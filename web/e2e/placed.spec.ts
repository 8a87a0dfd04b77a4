import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { drag, expect, expectToLookRight, file, placeOnTimeline, test, type Project } from './support/editor'

test.use({ seed: 'garden' })

const placements = async (project: Project) => (await project.edits()).filter((edit) => edit.type === 'asset')

/** The newest placed asset, next to the one of the seed. */
const added = async (project: Project) => (await placements(project)).find((edit) => edit.start_ms < 4000)

const block = (page: Page, name: string) => page.locator('[data-placement]').filter({ hasText: name })

/** Adds a file to the library and places it at the playhead. */
async function addFile(page: Page, name: string, path: string, mimeType: string) {
  await page.getByRole('tab', { name: 'Assets' }).click()
  await page.getByLabel('Add files').setInputFiles({ name, mimeType, buffer: readFileSync(file(path)) })
  await page.getByRole('button', { name: `Place ${name} at the playhead` }).click()
  await expect(block(page, name)).toBeVisible()
}

/** Drops an image of 16:9 on the waveform at 0.5 s. */
async function dropImage(page: Page) {
  const { x: clientX } = await placeOnTimeline(page, 500)
  await page.locator('canvas[data-wave-top]').evaluate(async (timeline, clientX) => {
    const canvas = new OffscreenCanvas(320, 180)
    canvas.getContext('2d')?.fillRect(0, 0, 320, 180)
    const files = new DataTransfer()
    files.items.add(new File([await canvas.convertToBlob()], 'dropped.png', { type: 'image/png' }))
    for (const type of ['dragenter', 'dragover', 'drop'])
      timeline.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: files, clientX }))
  }, clientX)

  await expect(block(page, 'dropped')).toBeVisible()
}

test('an added file is placed at the playhead, and undo removes it', async ({ page, edit, project }) => {
  await edit()
  const at = await placeOnTimeline(page, 1000)
  await page.mouse.click(at.x, at.ruler)
  await addFile(page, 'drawing.png', 'logo.png', 'image/png')
  await expect.poll(() => added(project)).toMatchObject({ active: true, visual_mode: 'cutaway' })
  const made = await added(project)
  expect(Math.abs((made?.start_ms ?? NaN) - 1000)).toBeLessThan(2 * at.msPerPx + 40)
  await page.locator('body').click({ position: { x: 640, y: 24 } })
  await page.keyboard.press('Control+z')
  await expect.poll(() => added(project)).toBe(undefined)
})

test('the menu of a placed asset offers what the playhead allows', async ({ page, edit, project }) => {
  await edit()
  await addFile(page, 'drawing.png', 'logo.png', 'image/png') // at the start, where the playhead stays
  await expect.poll(() => added(project)).toMatchObject({ active: true })
  const end = (await added(project))?.end_ms
  const drawing = block(page, 'drawing')
  const item = (name: string) => page.getByRole('menuitem', { name })
  await drawing.focus()
  await page.keyboard.press('Shift+F10')
  await expect(item('Set start to playhead')).toBeVisible()
  for (const name of ['Set end to playhead', 'Split at playhead']) await expect(item(name)).toBeDisabled()
  await expectToLookRight(page)
  await page.keyboard.press('Escape')
  await expect(item('Hide asset')).toHaveCount(0)
  await expect(drawing).toBeFocused() // later than the menu closes, and it would close the next menu
  await page.keyboard.press(']') // the end of the asset cannot be at its start
  await drawing.click({ button: 'right' })
  await item('Hide asset').click()
  await expect.poll(() => added(project)).toMatchObject({ active: false, end_ms: end })
})

test('music is lowered under speech, faded in and repeated, each as one step', async ({ page, edit, project }) => {
  await edit()
  await addFile(page, 'music.wav', 'bell.wav', 'audio/wav')
  await block(page, 'music').click()
  const before = { audio_duck_under_voice: false, fade_in_ms: 0, loop: false }
  await expect.poll(() => added(project)).toMatchObject(before)
  await page.getByRole('switch', { name: 'Lower the asset while someone speaks' }).click()
  const ducked = { ...before, audio_duck_under_voice: true }
  await expect.poll(() => added(project)).toMatchObject(ducked)
  await page.getByLabel('Fade in').fill('0.5')
  await page.keyboard.press('Enter')
  const faded = { ...ducked, fade_in_ms: 500 }
  await expect.poll(() => added(project)).toMatchObject(faded)
  await page.getByRole('switch', { name: 'Loop the asset' }).click()
  await expect.poll(() => added(project)).toMatchObject({ ...faded, loop: true })
  await expectToLookRight(page)
  for (const state of [faded, ducked, before]) {
    await page.keyboard.press('Control+z')
    await expect.poll(() => added(project)).toMatchObject(state)
  }
})

const RATE = 48_000

/** A stereo tone of half the full scale, as a WAV file of 16 bits. */
function tone(seconds: number): Buffer {
  const data = Buffer.alloc(4 * RATE * seconds)
  for (let i = 0; i < RATE * seconds; i++) {
    const value = Math.round(16_384 * Math.sin((2 * Math.PI * 500 * i) / RATE))
    data.writeInt16LE(value, 4 * i)
    data.writeInt16LE(value, 4 * i + 2)
  }

  const head = Buffer.alloc(44)
  head.write('RIFF', 0)
  head.writeUInt32LE(36 + data.length, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(2, 22)
  head.writeUInt32LE(RATE, 24)
  head.writeUInt32LE(4 * RATE, 28)
  head.writeUInt16LE(4, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36)
  head.writeUInt32LE(data.length, 40)
  return Buffer.concat([head, data])
}

/** The level of 100 ms of a WAV file of 16 bits from a time on, in decibels over the tone. */
function levelAt(wav: Buffer, ms: number): number {
  const data = wav.indexOf('data') + 8
  const frame = wav.readUInt16LE(wav.indexOf('fmt ') + 20)
  const from = data + frame * Math.round((ms * RATE) / 1000)
  let sum = 0
  for (let i = 0; i < RATE / 10; i++) sum += wav.readInt16LE(from + frame * i) ** 2
  return 20 * Math.log10(Math.sqrt(sum / (RATE / 10)) / (16_384 * Math.SQRT1_2) + 1e-6)
}

test('music plays quietly under the talk until its end, and one switch undoes that', async ({
  page,
  edit,
  project,
  api,
}) => {
  await edit()
  await page.getByRole('tab', { name: 'Assets' }).click()
  const song = { name: 'song.wav', mimeType: 'audio/wav', buffer: tone(30) }
  await page.getByLabel('Add files').setInputFiles(song)
  await page.getByRole('button', { name: 'Place song.wav at the playhead' }).click()
  const musicSwitch = page.getByRole('switch', { name: 'Music under the talk' })
  await expect(musicSwitch).toBeChecked()
  await expectToLookRight(page)
  const quiet = { audio_volume_percent: 13, audio_duck_under_voice: true, fade_in_ms: 1000, fade_out_ms: 3000 }
  const music = { ...quiet, start_ms: 0, end_ms: 8000, loop: true, until_end: true }
  await expect.poll(() => added(project)).toMatchObject(music)

  const { uuid } = await api.ask<{ uuid: string }>('POST', `${project.path}/exports/`, {
    name: 'Music',
    export_settings: { format: 'wav', audio: { main_volume_percent: 0 } },
  })

  await expect.poll(async () => (await project.exports())[0]?.status).toBe('completed')
  const { url } = await api.ask<{ url: string }>('GET', `/exports/${uuid}/download-url`)
  const wav = await (await page.request.get(url)).body()
  // 7 s with speech from 0.3 s to the end: 18 dB quieter than the file, 12 dB lower under speech, faded at both ends.
  expect(Math.abs(levelAt(wav, 1500) + 29.7)).toBeLessThan(0.5)
  expect(Math.abs(levelAt(wav, 3500) + 29.7)).toBeLessThan(0.5)
  expect(Math.abs(levelAt(wav, 5450) + 35.7)).toBeLessThan(1)
  expect(levelAt(wav, 6500)).toBeGreaterThan(-60)
  expect(levelAt(wav, 6900)).toBeLessThan(-60)

  await musicSwitch.click()
  const plain = { audio_volume_percent: 100, audio_duck_under_voice: false, fade_in_ms: 0, loop: false }
  await expect.poll(() => added(project)).toMatchObject({ ...plain, until_end: false })
  await page.locator('body').click({ position: { x: 640, y: 24 } })
  await page.keyboard.press('Control+z')
  await expect.poll(() => added(project)).toMatchObject(music)
  await page.getByLabel('End', { exact: true }).fill('5')
  await page.keyboard.press('Enter')
  await expect.poll(() => added(project)).toMatchObject({ ...quiet, end_ms: 5000, until_end: false })
})

test('an image that is dropped on the waveform fills the frame there', async ({ page, edit, project }) => {
  await edit()
  await dropImage(page)
  await expect.poll(() => added(project)).toMatchObject({ active: true, visual_mode: 'cutaway' })
  const made = await added(project)
  expect(Math.abs((made?.start_ms ?? NaN) - 500)).toBeLessThan(100)
})

test('an image is resized and moved on the preview', async ({ page, edit, project }) => {
  await edit()
  await dropImage(page)
  await block(page, 'dropped').click()
  const at = await placeOnTimeline(page, 1000)
  await page.mouse.click(at.x, at.ruler)
  const stage = await page.getByTestId('stage').boundingBox()
  if (!stage) throw new Error('the preview is not visible')
  const dragTo = async (name: RegExp, x: number, y: number) => {
    const box = await page.getByRole('button', { name }).boundingBox()
    if (!box) throw new Error(`${name} is not visible`)
    const to = { x: stage.x + stage.width * x, y: stage.y + stage.height * y }
    await drag(page, { x: box.x + box.width / 2, y: box.y + box.height / 2 }, to)
  }

  await expect(page.getByRole('button', { name: /^Resize dropped/ })).toBeVisible()
  await dragTo(/^Resize dropped/, 0.75, 0.75)
  const resized = async () => {
    const now = await added(project)
    return now?.visual_mode === 'overlay' ? now.overlay_size_percent : undefined
  }

  await expect.poll(async () => Math.abs(((await resized()) ?? NaN) - 50)).toBeLessThanOrEqual(2)
  await dragTo(/^Move dropped/, 0.3, 0.6)
  await expect
    .poll(() => added(project))
    .toMatchObject({ overlay_x: expect.closeTo(0.3, 1), overlay_y: expect.closeTo(0.6, 1) })

  await expectToLookRight(page)
  const size = (await resized()) ?? NaN
  await page.getByRole('button', { name: /^Resize dropped/ }).press('ArrowRight')
  await expect.poll(resized).toBe(size + 1)
})

test('an asset is chosen in the list of placed assets and deleted', async ({ page, edit, project }) => {
  await edit()
  await page.getByRole('tab', { name: /^Assets/ }).click()
  const list = page.getByRole('list', { name: 'Placed assets' })
  await expect(list).toBeVisible()
  await expectToLookRight(page)
  await list.getByRole('button', { name: /^logo/ }).click()
  await expect(page.getByRole('textbox', { name: 'Fade in' })).toBeVisible()
  await page.locator('[data-placement]').focus()
  await page.keyboard.press('Delete')
  await expect.poll(() => placements(project)).toEqual([])
})
