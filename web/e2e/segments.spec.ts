import { drag, expect, expectToLookRight, placeOnTimeline, test } from './support/editor'

test.use({ seed: 'talk' })

const FROM_MS = 15_000
const TO_MS = 16_000

test('S splits the footage at the playhead', async ({ page, edit, project }) => {
  await edit()
  const at = await placeOnTimeline(page, FROM_MS)
  await page.mouse.click(at.x, at.ruler)
  await page.keyboard.press('s')
  await expect.poll(async () => (await project.markers()).map((m) => m.kind)).toEqual(['split'])
  const [split] = await project.markers()
  expect(Math.abs((split?.time_ms ?? 0) - FROM_MS)).toBeLessThan(2 * at.msPerPx)
})

test('Delete cuts the segment between two splits', async ({ page, open, edit, project, api }) => {
  await open()
  for (const time_ms of [FROM_MS, TO_MS]) await api.ask('POST', `${project.path}/markers/`, { kind: 'split', time_ms })
  await edit()
  const middle = await placeOnTimeline(page, (FROM_MS + TO_MS) / 2)
  await page.mouse.click(middle.x, middle.wave)
  await expect(page.getByText(/^Selected: /)).toBeVisible()
  await expectToLookRight(page)
  const same = await placeOnTimeline(page, (FROM_MS + TO_MS) / 2)
  await page.mouse.click(same.x, same.wave)
  await page.keyboard.press('Delete')
  const manual = async () => (await project.activeCuts()).filter((cut) => cut.type === 'manual')
  await expect.poll(manual).toMatchObject([{ start_ms: FROM_MS, end_ms: TO_MS }])
})

test('the edge of a cut that is not selected can be dragged', async ({ page, open, edit, project, api }) => {
  await open()
  const cut = { type: 'manual', start_ms: FROM_MS, end_ms: TO_MS }
  await api.ask('POST', `${project.path}/edits/`, cut)
  await edit()
  const { x, wave: y } = await placeOnTimeline(page, TO_MS)
  await drag(page, { x, y }, { x: x + 30, y })
  const end = async () => (await project.activeCuts()).find((c) => c.type === 'manual')?.end_ms
  await expect.poll(end).toBeGreaterThan(TO_MS + 100)
  await page.keyboard.press('Control+z')
  await expect.poll(end).toBe(TO_MS)
})

test('M starts a chapter with a title from the words, and undo works after a reload', async ({
  page,
  edit,
  project,
}) => {
  await edit()
  const at = await placeOnTimeline(page, 18_000)
  await page.mouse.click(at.x, at.ruler)
  await page.keyboard.press('m')
  const title = page.getByRole('textbox', { name: 'Title of the chapter' })
  await expect(title).not.toHaveValue('')
  await expect(title).toBeFocused()
  await page.keyboard.type('Morning light') // replaces the selected proposal
  await title.press('Enter')
  const chapter = page.getByRole('button', { name: /^Morning light, at / })
  await expect(chapter).toBeVisible()
  await expect.poll(project.markers).toMatchObject([{ kind: 'chapter', name: 'Morning light' }])
  await expectToLookRight(page)
  await page.reload()
  await expect(chapter).toBeVisible()
  await expect(page.getByRole('button', { name: /^Undo/ })).toBeEnabled()
  for (let i = 0; i < 2; i++) await page.keyboard.press('Control+z') // title and chapter
  await expect.poll(project.markers).toEqual([])
})

test('the mouse and keys move a chapter, each as one step', async ({ page, open, edit, project, api }) => {
  await open()
  await api.ask('POST', `${project.path}/markers/`, { kind: 'chapter', name: 'Morning light', time_ms: 18_000 })
  await edit()
  const flag = page.getByRole('button', { name: /^Morning light, at / })
  await expect(flag).toBeVisible()
  const box = await flag.boundingBox()
  if (!box) throw new Error('the chapter is not visible')
  const [at, to] = [await placeOnTimeline(page, 18_000), await placeOnTimeline(page, 22_000)]
  const y = box.y + box.height / 2
  await drag(page, { x: box.x + 6, y }, { x: box.x + 6 + to.x - at.x, y })
  const start = async () => (await project.markers())[0]?.time_ms ?? NaN
  await expect.poll(async () => Math.abs((await start()) - 22_000)).toBeLessThan(10 * at.msPerPx) // it snaps
  const dragged = await start()
  await flag.focus()
  await page.keyboard.press('Alt+ArrowRight')
  await expect.poll(start).toBeGreaterThan(dragged)
  expect(await start(), 'a frame after the nearest one').toBeLessThanOrEqual(dragged + 50)
  await page.keyboard.press('Control+z')
  await expect.poll(start).toBe(dragged)
  await page.keyboard.press('Control+z')
  await expect.poll(start).toBe(18_000)
})

test('a double click and the menu rename a chapter in its place', async ({ page, open, edit, project, api }) => {
  await open()
  await api.ask('POST', `${project.path}/markers/`, { kind: 'chapter', name: 'Morning light', time_ms: 18_000 })
  await edit()
  const title = page.getByRole('textbox', { name: 'Title of the chapter' })
  const name = async () => (await project.markers())[0]?.name
  await page.getByRole('button', { name: /^Morning light, at / }).dblclick()
  await title.fill('Afternoon')
  await title.press('Enter')
  await expect.poll(name).toBe('Afternoon')
  await page.getByRole('button', { name: /^Afternoon, at / }).click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Rename chapter' }).click()
  await title.fill('Evening')
  await title.press('Enter')
  await expect.poll(name).toBe('Evening')
  await page.keyboard.press('Control+z')
  await expect.poll(name).toBe('Afternoon')
})

test('the exports offer the chapters as text and for players', async ({ page, open, edit, project, api, server }) => {
  await open()
  await api.ask('POST', `${project.path}/markers/`, { kind: 'chapter', name: 'Morning light', time_ms: 18_000 })
  await edit()
  await page.getByRole('tab', { name: 'Exports' }).click()
  for (const [kind, content] of [
    ['.txt', /^0:00 Intro\n0:\d\d Morning light\n$/],
    ['.vtt', /^WEBVTT\n\n00:00:00\.000 --> .*\nIntro\n/],
  ] as const) {
    const path = `/api/v1${project.path}/chapters${kind}`
    await expect(page.getByRole('link', { name: `Chapters, ${kind}` })).toHaveAttribute('href', path)
    expect(await (await page.request.get(server.url + path)).text()).toMatch(content)
  }
})
