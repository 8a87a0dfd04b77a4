import type { Page } from '@playwright/test'
import { drag, expect, placeOnTimeline, settled, STRUCK, test, word, type Project } from './support/editor'

test.use({ seed: 'talk' })

const result = (page: Page) => page.getByTestId('total-result')
const length = async (page: Page) => (await result(page).getAttribute('data-ms')) ?? ''

/** The second silence that is long enough to be dragged. */
async function silence(project: Project) {
  const cut = (await project.activeCuts()).filter((e) => e.type === 'silence' && e.end_ms - e.start_ms > 500)[1]
  if (!cut) throw new Error('the talk has no second long silence')
  return cut
}

/** Zooms in at the start of the recording and deselects. */
async function zoomIn(page: Page) {
  await page.locator('canvas[data-wave-top]').click({ position: { x: 2, y: 10 } })
  for (let i = 0; i < 2; i++) await page.keyboard.press('+')
  await page.keyboard.press('Escape')
}

test('X rejects the selected cut, with undo and redo', async ({ page, edit, project }) => {
  await edit()
  const before = await length(page)
  const { uuid } = await silence(project)
  const row = page.locator(`[data-cut="${uuid}"]`)
  await row.click({ position: { x: 60, y: 12 } })
  const keys: [string, string][] = [
    ['x', 'false'],
    ['Control+z', 'true'],
    ['Control+Shift+z', 'false'],
  ]

  for (const [key, active] of keys) {
    await page.keyboard.press(key)
    await expect(row).toHaveAttribute('data-active', active)
    if (active === 'true') await expect(result(page)).toHaveAttribute('data-ms', before)
    else await expect(result(page)).not.toHaveAttribute('data-ms', before)
    await expect.poll(async () => `${(await project.edits()).find((e) => e.uuid === uuid)?.active}`).toBe(active)
  }
})

test('words that are marked with the mouse are cut by Delete, with undo and redo', async ({ page, edit }) => {
  await edit()
  const before = await length(page)
  const [first, second] = [word(page, 'microphone'), word(page, 'record')]
  await first.scrollIntoViewIfNeeded()
  const [from, to] = await Promise.all([first.boundingBox(), second.boundingBox()])
  if (!from || !to) throw new Error('the words are not in view')
  const middle = (box: typeof from) => ({ x: box.x + box.width / 2, y: box.y + box.height / 2 })
  await drag(page, middle(from), middle(to))
  await expect(page.getByText(/^\d+ words, /)).toBeVisible()
  await page.keyboard.press('Delete')
  for (const cut of [first, second]) await expect(cut).toHaveCSS('text-decoration-line', STRUCK)
  await expect(result(page)).not.toHaveAttribute('data-ms', before)
  await page.keyboard.press('Control+z')
  for (const cut of [first, second]) await expect(cut).not.toHaveCSS('text-decoration-line', STRUCK)
  await expect(result(page)).toHaveAttribute('data-ms', before)
  await page.keyboard.press('Control+Shift+z')
  for (const cut of [first, second]) await expect(cut).toHaveCSS('text-decoration-line', STRUCK)
})

test('the handle of a cut moves the cut, and its end trims it', async ({ page, edit, project }) => {
  await edit()
  const cut = await silence(project)
  await zoomIn(page)
  await page.locator(`[data-cut="${cut.uuid}"]`).click({ position: { x: 60, y: 12 } })
  await settled(page)
  const now = async () => {
    const { start_ms, end_ms } = (await project.edits()).find((e) => e.uuid === cut.uuid) ?? cut
    return { start: start_ms - cut.start_ms, end: end_ms - cut.end_ms }
  }

  const dragBy = async (fromMs: number, byMs: number, row: 'handle' | 'wave') => {
    const [from, to] = [await placeOnTimeline(page, fromMs), await placeOnTimeline(page, fromMs + byMs)]
    await page.keyboard.down('Alt') // without snapping
    await drag(page, { x: from.x, y: from[row] }, { x: to.x, y: to[row] })
    await page.keyboard.up('Alt')
    return 2 * from.msPerPx + 40
  }

  let within = await dragBy((cut.start_ms + cut.end_ms) / 2, 300, 'handle')
  await expect.poll(async () => (await now()).start).not.toBe(0)
  const moved = await now()
  expect(moved.end).toBe(moved.start)
  expect(Math.abs(moved.start - 300)).toBeLessThan(within)
  await page.keyboard.press('Control+z')
  await expect.poll(now).toEqual({ start: 0, end: 0 })
  within = await dragBy(cut.end_ms, -150, 'wave')
  await expect.poll(async () => (await now()).end).not.toBe(0)
  const trimmed = await now()
  expect(trimmed.start).toBe(0)
  expect(Math.abs(trimmed.end + 150)).toBeLessThan(within)
})

test('S splits the selected cut into two halves', async ({ page, edit, project }) => {
  await edit()
  const cut = await silence(project)
  const before = await length(page)
  await page.locator(`[data-cut="${cut.uuid}"]`).click({ position: { x: 60, y: 12 } })
  await settled(page)
  const at = await placeOnTimeline(page, (cut.start_ms + cut.end_ms) / 2)
  await page.mouse.click(at.x, at.ruler)
  await page.keyboard.press('s')
  const halves = async () =>
    (await project.activeCuts())
      .filter((e) => e.start_ms >= cut.start_ms && e.end_ms <= cut.end_ms)
      .sort((a, b) => a.start_ms - b.start_ms)

  await expect.poll(halves).toHaveLength(2)
  const [left, right] = await halves()
  expect(left?.end_ms).toBe(right?.start_ms)
  await page.keyboard.press('Control+z')
  await expect.poll(halves).toHaveLength(1)
  await expect(result(page)).toHaveAttribute('data-ms', before)
})

test('Enter goes from match to match of a search in the transcript', async ({ page, edit }) => {
  await edit()
  await page.keyboard.press('Control+f')
  await page.getByLabel('Find in transcript').fill('the')
  const position = page.getByRole('search').getByText(/^\d+ of \d+$/)
  await page.keyboard.press('Enter')
  await expect(position).toHaveText(/^\d+ of \d+$/)
  const first = (await position.textContent()) ?? ''
  await page.keyboard.press('Enter')
  await expect(position).not.toHaveText(first)
})

test('the timeline and the transcript keep their places when the window becomes narrow', async ({ page, edit }) => {
  await edit()
  const canvas = page.locator('canvas[data-wave-top]')
  const words = page.getByRole('group', { name: /^Transcript/ })
  const places = async () => ({
    scale: Number(await canvas.getAttribute('data-ms-per-px')),
    start: Number(await canvas.getAttribute('data-start-ms')),
    row: await words.evaluate((box) => {
      const top = box.getBoundingClientRect().top + 16 // the padding
      const row = [...box.querySelectorAll<HTMLElement>('[data-index]')].find(
        (row) => row.getBoundingClientRect().bottom > top,
      )

      return Number(row?.dataset['index'])
    }),
  })

  const middle = await placeOnTimeline(page, 25_000)
  await page.mouse.click(middle.x, middle.ruler)
  for (let i = 0; i < 4; i++) await page.keyboard.press('+')
  await words.evaluate((box) => (box.scrollTop = 0.4 * (box.scrollHeight - box.clientHeight)))
  await settled(page)
  const before = await places()
  expect(before.row).toBeGreaterThan(0)
  expect(before.start).toBeGreaterThan(0)
  for (const width of [900, 1280]) {
    await page.setViewportSize({ width, height: 720 })
    if (width === 900) await page.getByRole('tab', { name: 'Transcript' }).click()
    await expect
      .poll(async () => {
        const now = await places()
        return (
          Math.abs(now.scale - before.scale) < 0.001 &&
          Math.abs(now.start - before.start) < 2 * before.scale &&
          Math.abs(now.row - before.row) <= 2 // the row of the caret stays visible, which can move a low pane by a row
        )
      })
      .toBe(true)
  }
})
