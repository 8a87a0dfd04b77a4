import type { Page } from '@playwright/test'
import {
  chooseStyle,
  drag,
  editorReady,
  expect,
  expectToLookRight,
  placeOnTimeline,
  settled,
  test,
  word,
} from './support/editor'

test.use({ seed: 'talk' })

/** Selects words of the transcript by dragging from one to another. */
async function dragWords(page: Page, from: number, to: number) {
  const middle = async (n: number) => {
    const box = await page.locator(`[data-word="${n}"]`).boundingBox()
    return { x: box!.x + box!.width / 2, y: box!.y + box!.height / 2 }
  }

  await drag(page, await middle(from), await middle(to))
}

const block = (page: Page, name: string | RegExp = /^Short: /) =>
  page.getByTestId('short-lane').getByRole('button', { name })

/** Makes a short of words by its key, and waits until the server has it. */
async function makeShort(page: Page, from: number, to: number, count = 1) {
  await dragWords(page, from, to)
  await page.keyboard.press('v')
  await expect(block(page)).toHaveCount(count)
  await expect(page.getByTestId('saved')).toContainText('All changes saved')
}

test('a short takes four clicks after the drag, and has its shape, captions and range', async ({
  page,
  edit,
  project,
}) => {
  await edit()
  const words = await project.words()
  await dragWords(page, 4, 12)
  await page.evaluate(() => {
    const counted = window as unknown as { pressed: string[] }
    counted.pressed = []
    const count = (event: Event) => counted.pressed.push((event.target as Element).outerHTML.slice(0, 80))
    window.addEventListener('pointerdown', count)
  })

  await page.locator('[data-word="8"]').click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Make a short' }).click()
  await expect(block(page)).toHaveAttribute('aria-pressed', 'true')
  await expect(page.getByTestId('saved')).toContainText('All changes saved')
  const [short] = await project.shorts()
  expect(short?.name).not.toBe('')
  await page.getByRole('button', { name: 'Export', exact: true }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Export video' })
  await expect(dialog.getByLabel('Range')).toHaveValue(short!.uuid)
  await expect(dialog.getByRole('button', { name: /Shorts/ })).toHaveAttribute('aria-pressed', 'true')
  await expect(dialog.getByLabel('Name')).toHaveAttribute('placeholder', short!.name)
  await dialog.getByRole('button', { name: 'Export', exact: true }).click()
  const pressed = await page.evaluate(() => (window as unknown as { pressed: string[] }).pressed)
  expect(pressed.length, pressed.join('\n')).toBeLessThanOrEqual(4)
  await expect(page.locator('[data-export][data-status=completed]')).toBeVisible()
  const [made] = await project.exports()
  expect(made).toMatchObject({ name: short!.name, short_uuid: short!.uuid, width: 1080, height: 1920 })
  expect(made?.export_settings.captions?.enabled).toBe(true)
  expect(short?.start_ms).toBeLessThanOrEqual(words[4]!.start_ms)
  expect(short?.end_ms).toBeGreaterThanOrEqual(words[12]!.end_ms)
  expect(made?.duration_ms).toBeLessThanOrEqual(short!.end_ms - short!.start_ms + 50)
})

test('a short is named by its first words, and undo and redo take it back and forth', async ({
  page,
  edit,
  project,
}) => {
  await edit()
  const first = (await project.words())[4]!.text.trim()
  await makeShort(page, 4, 9)
  const [short] = await project.shorts()
  expect(short?.name.toLowerCase()).toContain(first.toLowerCase())
  await expectToLookRight(page)
  await page.keyboard.press('Control+z')
  await expect(block(page)).toHaveCount(0)
  await expect.poll(project.shorts).toEqual([])
  await page.keyboard.press('Control+Shift+z')
  await expect(block(page)).toHaveCount(1)
  await expect.poll(project.shorts).toMatchObject([{ uuid: short!.uuid, name: short!.name }])
})

test('both ends of a short are dragged, and undo puts them back', async ({ page, edit, project }) => {
  await edit()
  await makeShort(page, 4, 12)
  const before = (await project.shorts())[0]!
  const box = async () => (await block(page).boundingBox())!
  const { x, y, width, height } = await box()
  const { msPerPx } = await placeOnTimeline(page, 0)
  await page.keyboard.down('Alt')
  await drag(page, { x: x + width - 4, y: y + height / 2 }, { x: x + width + 36, y: y + height / 2 })
  await page.keyboard.up('Alt')
  await expect.poll(async () => (await project.shorts())[0]?.end_ms).toBeGreaterThan(before.end_ms)
  const after = (await project.shorts())[0]!
  expect(Math.abs(after.end_ms - before.end_ms - 40 * msPerPx)).toBeLessThan(3 * msPerPx)
  expect(after.start_ms).toBe(before.start_ms)
  await page.keyboard.down('Alt')
  await drag(page, { x: x + 4, y: y + height / 2 }, { x: x + 24, y: y + height / 2 })
  await page.keyboard.up('Alt')
  await expect.poll(async () => (await project.shorts())[0]?.start_ms).toBeGreaterThan(before.start_ms)
  expect((await project.shorts())[0]?.end_ms).toBe(after.end_ms)
  await page.keyboard.press('Control+z')
  await page.keyboard.press('Control+z')
  await expect.poll(project.shorts).toMatchObject([{ start_ms: before.start_ms, end_ms: before.end_ms }])
})

test('a short is renamed in its place, and deleted with undo', async ({ page, edit, project }) => {
  await edit()
  await makeShort(page, 4, 12)
  await block(page).focus()
  await page.keyboard.press('Enter')
  const field = page.getByRole('textbox', { name: 'Name of the short' })
  await expect(field).toBeFocused()
  await field.fill('Best part')
  await field.press('Enter')
  await expect.poll(project.shorts).toMatchObject([{ name: 'Best part' }])
  await block(page, /^Short: Best part/).click({ button: 'right' })
  await expect(page.getByRole('menuitem', { name: 'Export short…' })).toBeVisible()
  await expectToLookRight(page)
  await page.keyboard.press('Escape')
  await block(page).focus()
  await page.keyboard.press('Delete')
  await expect.poll(project.shorts).toEqual([])
  await page.keyboard.press('Control+z')
  await expect(block(page, /^Short: Best part/)).toBeVisible()
})

test('a new short has the captions of the last one, and each keeps its own shape', async ({
  page,
  edit,
  project,
  api,
}) => {
  await edit()
  const options = async () => (await api.ask<{ export_settings: unknown }>('GET', project.path)).export_settings
  const own = await options()
  await makeShort(page, 4, 9)
  await page.keyboard.press('e')
  const dialog = page.getByRole('dialog', { name: 'Export video' })
  await chooseStyle(page, 'Captions in the video', 'Karaoke')
  await dialog.getByRole('button', { name: /^Square/ }).click()
  await expectToLookRight(page)
  await page.keyboard.press('Escape')
  const square = { aspect_ratio: '1:1', captions: { enabled: true, style: 'karaoke' } }
  await expect.poll(project.shorts).toMatchObject([{ export_settings: square }])
  await makeShort(page, 14, 20, 2)
  await expect.poll(project.shorts).toMatchObject([{ export_settings: square }, { export_settings: square }])
  expect(await options(), 'the settings of the project').toEqual(own)
  await page.keyboard.press('e')
  await dialog.getByLabel('Range').selectOption('Whole video')
  await expect(dialog.getByRole('button', { name: /As recorded/ })).toHaveAttribute('aria-pressed', 'true')
  await expect(dialog.getByRole('button', { name: 'Captions in the video' })).toHaveText('None')
})

/** The shape of the preview: its width by its height. */
async function shapeOf(page: Page) {
  const box = (await page.getByTestId('stage').boundingBox())!
  return box.width / box.height
}

test('the preview has the shape and the captions of a selected short, and its own again afterwards', async ({
  page,
  edit,
  project,
}) => {
  await edit()
  const place = await placeOnTimeline(page, 11_500)
  await page.mouse.click(place.x, place.ruler)
  await expect(page.getByTestId('position')).toHaveText(/^0:11/)
  const at = await page.getByTestId('position').textContent()
  const drawn = () => page.getByTestId('titles').getAttribute('data-caption')
  expect(await shapeOf(page)).toBeCloseTo(16 / 9, 1)
  await makeShort(page, 4, 12)
  await expect(page.getByTestId('shown-short')).toHaveText(`Short: ${(await project.shorts())[0]!.name}`)
  await expect.poll(() => shapeOf(page)).toBeCloseTo(9 / 16, 1)
  await expect.poll(drawn).toMatch(/\d/)
  await expect(page.getByTestId('position')).toHaveText(at ?? '')
  await expectToLookRight(page)
  await page.getByTestId('shown-short').click()
  await expect(page.getByTestId('shown-short')).toHaveCount(0)
  await expect.poll(() => shapeOf(page)).toBeCloseTo(16 / 9, 1)
  await expect.poll(drawn).toBe('')
  await expect(page.getByTestId('position')).toHaveText(at ?? '')
})

test('a shape that is chosen for the preview of a short belongs to the short, and undo takes it back', async ({
  page,
  edit,
  project,
  api,
}) => {
  await edit()
  const options = async () => (await api.ask<{ export_settings: unknown }>('GET', project.path)).export_settings
  const own = await options()
  await makeShort(page, 4, 9)
  await page.getByRole('button', { name: 'Frame and speed' }).click()
  await expect(page.getByText(/^The preview uses the settings of the short/)).toBeVisible()
  await page.getByRole('radiogroup', { name: 'Aspect ratio' }).getByRole('radio', { name: '1:1' }).click()
  await expect.poll(project.shorts).toMatchObject([{ export_settings: { aspect_ratio: '1:1', fit: 'crop' } }])
  expect(await options()).toEqual(own)
  await page.keyboard.press('Escape')
  await expect.poll(() => shapeOf(page)).toBeCloseTo(1, 1)
  await page.keyboard.press('Control+z')
  await expect.poll(() => shapeOf(page)).toBeCloseTo(9 / 16, 1)
  await expect.poll(project.shorts).toMatchObject([{ export_settings: { aspect_ratio: '9:16' } }])
})

test('a short without settings leaves the preview as it is', async ({ page, edit, project, api }) => {
  await edit()
  const before = await page.getByTestId('stage').boundingBox()
  await api.ask('POST', `${project.path}/shorts/`, { name: 'Plain', start_ms: 2000, end_ms: 6000, export_settings: {} })
  await block(page).click()
  await expect(page.getByTestId('shown-short')).toHaveText('Short: Plain')
  expect(await page.getByTestId('stage').boundingBox()).toEqual(before)
})

test('forced colors show the selected short, the playhead, and which markers are notes', async ({
  page,
  edit,
  project,
  api,
}) => {
  await edit()
  await page.emulateMedia({ forcedColors: 'active' })
  await makeShort(page, 4, 9)
  const look = async (x: number, y: number) => {
    await settled(page)
    return (await page.screenshot({ clip: { x: x - 3, y: y - 3, width: 6, height: 6 } })).toString('base64')
  }

  const { x, y, height } = (await block(page).boundingBox())!
  const selected = await look(x + 10, y + height / 2)
  await page.keyboard.press('Escape')
  expect(await look(x + 10, y + height / 2)).not.toBe(selected)
  const place = await placeOnTimeline(page, 20_000)
  const without = await look(place.x, y + height / 2)
  await page.mouse.click(place.x, place.ruler)
  await expect(page.getByTestId('position')).toHaveText(/^0:(19|20)/)
  expect(await look(place.x, y + height / 2)).not.toBe(without)
  for (const [kind, time_ms] of [
    ['note', 3000],
    ['chapter', 9000],
  ])
    await api.ask('POST', `${project.path}/markers/`, { kind, time_ms, name: 'Marker' })

  await expect(page.getByRole('button', { name: /^Note: Marker/ })).toHaveCSS('border-left-style', 'dashed')
  await expect(page.getByRole('button', { name: /^Marker, at/ })).toHaveCSS('border-left-style', 'solid')
})

test('all shorts are exported, each with its range', async ({ page, edit, project }) => {
  await edit()
  await makeShort(page, 4, 7)
  await makeShort(page, 14, 18, 2)
  await page.getByRole('button', { name: 'Kinds of exports' }).click()
  await page.getByRole('menuitem', { name: 'All shorts' }).click()
  await expect(page.locator('[data-export]')).toHaveCount(2)
  const shorts = await project.shorts()
  const made = await project.exports()
  expect(made.map((e) => e.short_uuid).toSorted()).toEqual(shorts.map((s) => s.uuid).toSorted())
  expect(made.map((e) => e.name).toSorted()).toEqual(shorts.map((s) => s.name).toSorted())
})

test.describe('with a refused export', () => {
  test.use({ consoleErrors: ['/exports'] })

  test('the export of all shorts starts the possible ones, and names the refused one with the reason', async ({
    page,
    edit,
    project,
    api,
  }) => {
    await edit()
    await api.ask('POST', `${project.path}/edits/`, { type: 'manual', start_ms: 9000, end_ms: 11_000 })
    for (const [name, start_ms, end_ms] of [
      ['Kept', 2000, 4000],
      ['Cut away', 9500, 10_500],
    ])
      await api.ask('POST', `${project.path}/shorts/`, { name, start_ms, end_ms, export_settings: {} })

    await expect(block(page)).toHaveCount(2)
    await page.getByRole('button', { name: 'Kinds of exports' }).click()
    await page.getByRole('menuitem', { name: 'All shorts' }).click()
    await expect(page.getByText('1 of 2 exports have started')).toBeVisible()
    await expect(page.getByText(/“Cut away”: The cuts remove the whole/)).toBeVisible()
    expect((await project.exports()).map((e) => e.name)).toEqual(['Kept'])
  })
})

test('without a selection, the command says how to select', async ({ page, edit, project }) => {
  await edit()
  await word(page, /window/i).click()
  await page.keyboard.press('Escape')
  await page.keyboard.press('v')
  await expect(page.getByText('Select the footage of the short first')).toBeVisible()
  expect(await project.shorts()).toEqual([])
  await page.reload()
  await editorReady(page)
})
