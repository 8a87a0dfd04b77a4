import type { Page } from '@playwright/test'
import { drag, expect, expectToLookRight, test as base, type Project } from './support/editor'

interface Captions {
  /** Opens the captions of the project and returns their texts and times. */
  captions: () => Promise<Line[]>
}

const test = base.extend<Captions>({
  captions: async ({ page, edit, project }, provide) => {
    await provide(async () => {
      await edit()
      await page.getByRole('tab', { name: 'Captions' }).click()
      await expect(field(page, 0)).toBeVisible()
      return linesOf(project)
    })
  },
})

test.use({ seed: 'talk' })

type Line = [text: string, startMS: number, endMS: number]

const linesOf = async (project: Project) =>
  (await project.captions()).map((line): Line => [line.text, line.start_ms, line.end_ms])

const list = (page: Page) => page.getByRole('list', { name: 'Caption lines' }).getByRole('listitem')
const field = (page: Page, n: number) => list(page).nth(n).locator('textarea')
const undo = (page: Page) => page.getByRole('button', { name: /^Undo/ }).click()

test('Control and Enter split a caption at the cursor', async ({ page, captions, project }) => {
  const before = await captions()
  const [[text, start, end]] = before as [Line]
  await field(page, 0).click()
  await page.keyboard.press('Home')
  const offset = text.indexOf(' ') + 1
  for (let i = 0; i < offset; i++) await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Control+Enter')
  await expect.poll(async () => (await linesOf(project))[0]?.[0]).toBe(text.slice(0, offset).trim())
  await expect(field(page, 1)).toBeFocused()
  await expectToLookRight(page)
  const [head, tail] = (await linesOf(project)) as [Line, Line]
  expect([head[1], head[2], tail[2]]).toEqual([start, tail[1], end])
  await undo(page)
  await expect.poll(() => linesOf(project)).toEqual(before)
})

test('Control and J merge a caption with the next one', async ({ page, captions, project }) => {
  const before = await captions()
  const [first, second] = before as [Line, Line]
  await field(page, 1).click()
  await page.keyboard.press('Alt+ArrowUp')
  await expect(field(page, 0)).toBeFocused()
  await page.keyboard.press('Control+j')
  await expect.poll(async () => (await linesOf(project))[0]).toEqual([`${first[0]} ${second[0]}`, first[1], second[2]])
  await expect(field(page, 0)).toBeFocused()
  await undo(page)
  await expect.poll(() => linesOf(project)).toEqual(before)
})

test('Control, Shift and Backspace delete a caption', async ({ page, captions, project }) => {
  const before = await captions()
  await field(page, 0).click()
  await page.keyboard.press('Control+Shift+Backspace')
  await expect.poll(() => linesOf(project)).toEqual(before.slice(1))
  await undo(page)
  await expect.poll(() => linesOf(project)).toEqual(before)
})

test('a caption gets its speaker by keyboard', async ({ page, captions, project }) => {
  await captions()
  const speaker = async () => (await project.captions())[0]?.speaker ?? ''
  await field(page, 0).click()
  await page.keyboard.press('Alt+s')
  await expect(list(page).nth(0).locator('[data-caption-speaker]')).toBeFocused()
  await page.keyboard.type('Ana')
  await page.keyboard.press('Enter')
  await expect.poll(speaker).toBe('Ana')
  await expectToLookRight(page)
  await undo(page)
  await expect.poll(speaker).toBe('')
})

test('keys and a typed time move the ends of a caption', async ({ page, captions, project }) => {
  const before = await captions()
  const [[, start, end]] = before as [Line]
  const first = async () => (await linesOf(project))[0]
  await field(page, 0).click()
  await page.getByRole('textbox', { name: /^End of/ }).press('ArrowDown')
  await expect.poll(async () => (await first())?.[2]).toBe(end - 100)
  const startField = page.getByRole('textbox', { name: /^Start of/ })
  await startField.fill(((start + 150) / 1000).toFixed(3))
  await startField.press('Enter')
  await expect.poll(async () => (await first())?.[1]).toBe(start + 150)
  for (let i = 0; i < 2; i++) await undo(page)
  await expect.poll(() => linesOf(project)).toEqual(before)
})

test('the end of a caption is dragged on the timeline', async ({ page, captions, project }) => {
  const before = await captions()
  const [first] = await project.captions()
  const block = page.locator(`[data-caption="${first?.uuid}"]`)
  await expect(block).toBeVisible()
  await expectToLookRight(page)
  await block.hover()
  const box = await block.locator('[data-edge=right]').boundingBox()
  if (!box || !first) throw new Error('the caption has no edge')
  const y = box.y + box.height / 2
  await drag(page, { x: box.x + box.width / 2, y }, { x: box.x - 12, y })
  const now = async () => (await linesOf(project))[0]
  await expect.poll(async () => (await now())?.[2]).toBeLessThan(first.end_ms)
  expect((await now())?.[1]).toBe(first.start_ms)
  await undo(page)
  await expect.poll(() => linesOf(project)).toEqual(before)
})

test('a double click on the timeline edits the text of a caption', async ({ page, captions, project }) => {
  await captions()
  const [, second] = await project.captions()
  await page.locator(`[data-caption="${second?.uuid}"]`).dblclick()
  await expect(field(page, 1)).toBeFocused()
})

test('a replacement in the captions leaves the transcript as it is', async ({ page, captions, project }) => {
  const before = await captions()
  const spoken = await project.words()
  const [word = ''] = before[0]?.[0].split(' ') ?? []
  await page.keyboard.press('Control+Shift+h')
  await page.getByRole('textbox', { name: 'Find in captions' }).fill(word)
  await expect(page.getByText(/^\d+ captions?$/)).toBeVisible()
  const replacement = page.getByRole('textbox', { name: 'Replace with' })
  await replacement.fill('Anything')
  await expect(page.getByText(/^\d+ of \d+ places?$/)).toBeVisible()
  await expectToLookRight(page)
  await replacement.press('Enter')
  await expect.poll(async () => (await linesOf(project))[0]?.[0]).toMatch(/^Anything/)
  expect(await project.words()).toEqual(spoken)
  await page.getByRole('button', { name: 'Close', exact: true }).click()
  await undo(page)
  await expect.poll(() => linesOf(project)).toEqual(before)
})

const srt = '\ufeff1\r\n00:00:00,500 --> 00:00:02,000\r\nFirst\r\n\r\n2\r\n00:00:02,500 --> 00:00:04,000\r\nSecond\r\n'

test('an edited caption can be reverted to the spoken words', async ({ page, captions, project }) => {
  const before = await captions()
  const said = before[0]?.[0] ?? ''
  const revert = page.getByRole('button', { name: `Revert to original: ${said}` })
  for (const back of [() => undo(page), () => revert.click()]) {
    await field(page, 0).fill('Other words')
    await field(page, 0).press('Enter')
    await expect(revert).toBeVisible()
    await expect.poll(async () => (await linesOf(project))[0]?.[0]).toBe('Other words')
    await back()
    await expect(revert).toHaveCount(0)
    await expect(field(page, 0)).toHaveValue(said)
    await expect.poll(() => linesOf(project)).toEqual(before)
  }
})

test('a subtitle file replaces the captions, and undo works after a reload', async ({ page, captions, project }) => {
  const before = await captions()
  const dialog = page.getByRole('dialog')
  const choose = async () => {
    const talk = { name: 'talk.srt', mimeType: 'application/x-subrip', buffer: Buffer.from(srt) }
    await page.getByLabel(/^Subtitle file/).setInputFiles(talk)
    await expect(dialog.getByText(/“talk.srt” replaces/)).toBeVisible()
  }

  await choose()
  await expectToLookRight(page) // a narrow window closes the dialog
  await choose()
  await dialog.getByRole('button', { name: 'Import' }).click()
  await expect(page.getByText('Imported 2 captions')).toBeVisible()
  expect((await linesOf(project)).map(([text]) => text)).toEqual(['First', 'Second'])
  await page.reload()
  await page.getByRole('button', { name: 'History' }).click()
  await expect(page.getByText('Import captions')).toBeVisible()
  await expectToLookRight(page)
  await page.keyboard.press('Escape')
  await undo(page)
  await expect.poll(() => linesOf(project)).toEqual(before)
})

test('a subtitle file that is not UTF-8 is refused', async ({ page, captions, project }) => {
  const before = await captions()
  const latin = Buffer.from([0x31, 0x0a, 0xe9, 0x80, 0xff])
  const file = { name: 'latin.srt', mimeType: 'application/x-subrip', buffer: latin }
  await page.getByLabel(/^Subtitle file/).setInputFiles(file)
  await expect(page.getByText('The file is not UTF-8 text.')).toBeVisible()
  expect(await linesOf(project)).toEqual(before)
})
