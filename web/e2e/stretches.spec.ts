import type { Page } from '@playwright/test'
import { expect, expectToLookRight, placeOnTimeline, settled, test, word, type Project } from './support/editor'

test.use({ seed: 'takes' })

/** The cuts of the only stretch of several: two takes and the pauses in them. */
async function stretch(project: Project) {
  const cuts = await project.activeCuts()
  const first = cuts.find((e) => cuts.filter((other) => other.stretch_uuid === e.uuid).length > 1)
  if (!first) throw new Error('the seed has no stretch of several cuts')
  const all = cuts.filter((e) => e.stretch_uuid === first.uuid)
  return { uuid: first.uuid, cuts: all.map((e) => e.uuid), end: Math.max(...all.map((e) => e.end_ms)) }
}

const list = (page: Page) => page.getByRole('treegrid', { name: 'Cuts' })
const rowOf = (page: Page, uuid: string) => page.locator(`[data-cut="${uuid}"]`)
const choose = (page: Page, uuid: string) => rowOf(page, uuid).click({ position: { x: 60, y: 12 } })
const activeOf = async (project: Project, uuids: readonly string[]) =>
  (await project.edits()).filter((e) => uuids.includes(e.uuid) && e.active).length

test('cuts without a gap between them are one row, and the counts speak of rows', async ({ page, edit, project }) => {
  await edit()
  const rows = (await project.rows()).length
  expect(rows).toBeLessThan((await project.edits()).filter((e) => e.type !== 'asset').length)
  await expect(list(page)).toHaveAttribute('aria-rowcount', `${rows}`)
  await expect(page.getByRole('tab', { name: `Cuts ${rows}` })).toBeVisible()
  await expect(page.locator('[data-cut][aria-expanded]')).toHaveCount(1)
})

test('N rejects all cuts of a stretch, whose row stays, also after a reload, and Y accepts them', async ({
  page,
  edit,
  project,
}) => {
  await edit()
  const { uuid, cuts } = await stretch(project)
  const rows = (await list(page).getAttribute('aria-rowcount')) ?? ''
  const before = await page.getByTestId('total-result').getAttribute('data-ms')
  await choose(page, uuid)
  await page.keyboard.press('n')
  await expect.poll(() => activeOf(project, cuts)).toBe(0)
  await expect(page.getByRole('button', { name: 'Undo reject cut' })).toBeEnabled()
  await expect(rowOf(page, uuid)).toHaveAttribute('data-active', 'false')
  await expect(list(page)).toHaveAttribute('aria-rowcount', rows)
  await page.reload()
  await expect(rowOf(page, uuid)).toHaveAttribute('data-active', 'false')
  await expect(list(page)).toHaveAttribute('aria-rowcount', rows)
  await choose(page, uuid)
  await page.keyboard.press('y')
  await expect.poll(() => activeOf(project, cuts)).toBe(cuts.length)
  await expect(page.getByTestId('total-result')).toHaveAttribute('data-ms', before ?? '')
})

test('U mutes all cuts of a stretch, which stay one row', async ({ page, edit, project }) => {
  await edit()
  const { uuid, cuts } = await stretch(project)
  const rows = (await list(page).getAttribute('aria-rowcount')) ?? ''
  await choose(page, uuid)
  await page.keyboard.press('u')
  const muted = async () => (await project.edits()).filter((e) => cuts.includes(e.uuid) && e.action === 'mute').length
  await expect.poll(muted).toBe(cuts.length)
  await expect(list(page)).toHaveAttribute('aria-rowcount', rows)
  await expect(rowOf(page, uuid)).toHaveAttribute('data-action', 'mute')
})

test('keys open the parts of a stretch, reject one of them, and close them', async ({ page, edit, project }) => {
  await edit()
  const { uuid, cuts } = await stretch(project)
  const parts = page.locator('[data-part]')
  await choose(page, uuid)
  for (const [key, shown] of [
    ['ArrowRight', cuts.length],
    ['ArrowLeft', 0],
    ['Enter', cuts.length],
  ] as const) {
    await page.keyboard.press(key)
    await expect(parts).toHaveCount(shown)
  }

  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await expect(parts.nth(1)).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('x')
  await expect.poll(() => activeOf(project, cuts)).toBe(cuts.length - 1)
  await expectToLookRight(page)
  await list(page).focus() // the test of the phone has built the list again
  await page.keyboard.press('ArrowLeft')
  await expect(parts).toHaveCount(0)
  await expect(rowOf(page, uuid)).toHaveAttribute('aria-selected', 'true')
})

test('a row without parts leaves the arrow keys to the playhead', async ({ page, edit, project }) => {
  await edit()
  const { uuid } = await stretch(project)
  const other = (await project.rows()).find((row) => row.active && row.uuid !== uuid && row.start_ms > 0)
  await choose(page, other?.uuid ?? '')
  await settled(page)
  const before = (await page.getByTestId('position').textContent()) ?? ''
  await page.keyboard.press('ArrowRight')
  await expect(page.getByTestId('position')).not.toHaveText(before)
})

test('a click on a cut in the timeline selects its stretch', async ({ page, edit, project }) => {
  await edit()
  const { uuid, end } = await stretch(project)
  const at = await placeOnTimeline(page, end - 60)
  await page.mouse.click(at.x, at.wave)
  await expect(rowOf(page, uuid)).toHaveAttribute('aria-selected', 'true')
})

test('Control and A choose all rows from the filters too, and select no text', async ({ page, edit, project }) => {
  await edit()
  const rows = (await project.rows()).length
  const bar = page.getByRole('toolbar', { name: 'Chosen cuts' })
  for (const place of [
    page.getByRole('button', { name: 'Filter' }),
    page.getByRole('button', { name: 'Order and versions' }),
    page.getByRole('switch', { name: /^Silences/ }),
    list(page),
  ]) {
    await place.focus()
    await page.keyboard.press('Control+a')
    await expect(bar.getByText(new RegExp(`^${rows} cuts, `))).toBeVisible()
    expect(await page.evaluate(() => getSelection()?.toString())).toBe('')
    await page.keyboard.press('Escape')
    await expect(bar).toHaveCount(0)
  }
})

test('restored words leave no sliver of a cut and no cut by hand', async ({ page, edit, project }) => {
  await edit()
  const words = await project.words()
  const from = words.findIndex((w) => w.text.trim() === 'talk')
  const [first, last] = [words[from], words[from + 1]]
  const before = (await project.activeCuts()).map((e) => e.uuid)
  await word(page, 'talk').dblclick()
  await page.keyboard.press('Shift+ArrowRight')
  await expect(page.getByText(/^2 words, /)).toBeVisible()
  await page.keyboard.press('r')
  await expect(word(page, 'talk')).not.toHaveClass(/removed-text/)
  await expect(page.getByTestId('saved')).toContainText('All changes saved')
  const left = await project.activeCuts()
  expect(left.filter((e) => e.end_ms > (first?.start_ms ?? 0) && e.start_ms < (last?.end_ms ?? 0))).toEqual([])
  expect(left.filter((e) => e.type === 'manual')).toEqual([])
  // The take is split into two false starts, and nothing shorter than 250 ms stays cut.
  expect(left.filter((e) => !before.includes(e.uuid)).map((e) => e.type)).toEqual(['false_start'])
  expect(Math.min(...left.map((e) => e.end_ms - e.start_ms))).toBeGreaterThanOrEqual(250)
})

test('words that were cut by hand are restored without a rest', async ({ page, edit, project }) => {
  await edit()
  const before = (await project.activeCuts()).length
  await word(page, 'thing').dblclick()
  await page.keyboard.press('Delete')
  await expect.poll(project.activeCutCount).toBe(before + 1)
  await word(page, 'thing').dblclick()
  await page.keyboard.press('r')
  await expect.poll(project.activeCutCount).toBe(before)
  expect((await project.edits()).filter((e) => e.type === 'manual')).toEqual([])
})

test('S splits a proposal into parts of its kind', async ({ page, edit, project }) => {
  await edit()
  const cut = (await project.activeCuts()).find((e) => e.type === 'silence' && e.end_ms - e.start_ms > 1500)
  if (!cut) throw new Error('the seed has no long silence')
  await choose(page, cut.uuid)
  const at = await placeOnTimeline(page, (cut.start_ms + cut.end_ms) / 2)
  await page.mouse.click(at.x, at.ruler)
  await page.keyboard.press('s')
  const halves = async () =>
    (await project.activeCuts())
      .filter((e) => e.start_ms >= cut.start_ms && e.end_ms <= cut.end_ms)
      .map((e) => [e.type, e.reason])

  await expect.poll(halves).toEqual([
    ['silence', cut.reason],
    ['silence', cut.reason],
  ])

  await expect(page.locator('[data-part]')).toHaveCount(2)
  await page.keyboard.press('n')
  await expect.poll(halves).toHaveLength(1)
})
