import type { Page } from '@playwright/test'
import { editorReady, expect, test as base, word, type Project } from './support/editor'

interface Fixtures {
  /**
   * Opens the project in another window, which then knows its history: a list that is still on its way would tell a window
   * without events of later changes. `prepare` runs there before the page.
   */
  openOther: (prepare?: () => void) => Promise<Page>
}

const test = base.extend<Fixtures>({
  openOther: async ({ context, server, project }, provide) => {
    await provide(async (prepare) => {
      const window = await context.newPage()
      if (prepare) await window.addInitScript(prepare)
      // The page may cancel the first request for its history, and sends another one.
      const history = window.waitForEvent('requestfinished', (request) => /\/edit-history$/.test(request.url()))
      await window.goto(server.url + project.path)
      await editorReady(window)
      await history
      return window
    })
  },
})

test.use({ seed: 'talk', viewport: { width: 1440, height: 900 } })

test.beforeEach(({ edit }) => edit())

const captions = async (project: Project) => (await project.captions()).map((line) => line.text)
const words = async (project: Project) => (await project.words()).map((word) => word.text.trim())

const saved = (window: Page) => window.getByTestId('total-saved')
const savedMS = async (window: Page) => (await saved(window).getAttribute('data-ms')) ?? ''
const shows = (window: Page, ms: string) => expect(saved(window)).toHaveAttribute('data-ms', ms)
const toggle = (window: Page, n: number) => window.locator('[data-cut]').nth(n).getByRole('switch').click()
const stored = (window: Page) => expect(window.getByTestId('saved')).toContainText('All changes saved')
const undo = (window: Page) => window.getByRole('button', { name: /^Undo/ }).click()

/** Toggles a cut, waits until it is stored, and returns what the cuts save now, in milliseconds. */
async function toggleAndStore(window: Page, n: number): Promise<string> {
  const before = await savedMS(window)
  await toggle(window, n)
  await expect(saved(window)).not.toHaveAttribute('data-ms', before)
  await stored(window)
  return savedMS(window)
}

const caption = (window: Page, n: number) =>
  window.getByRole('list', { name: 'Caption lines' }).getByRole('listitem').nth(n).locator('textarea')

async function writeCaption(window: Page, n: number, text: string) {
  await caption(window, n).fill(text)
  await caption(window, n).press('Enter')
}

test('a cut that is toggled, undone or redone in one window changes in the other', async ({ page, openOther }) => {
  const other = await openOther()
  const before = await savedMS(page)
  await shows(other, before)
  const after = await toggleAndStore(page, 0)
  await shows(other, after)
  await undo(other)
  await shows(page, before)
  await page.getByRole('button', { name: /^Redo/ }).click()
  await shows(other, after)
  await undo(page)
  await shows(other, before)
})

test('a drag on the timeline survives a change of the other window', async ({ page, openOther, project }) => {
  const other = await openOther()
  const before = await savedMS(page)
  const wave = other.locator('canvas[data-wave-top]')
  await expect(wave).toBeVisible()
  const box = (await wave.boundingBox()) ?? { x: 0, y: 0, height: 0 }
  const y = box.y + (Number(await wave.getAttribute('data-wave-top')) + box.height) / 2
  await other.mouse.move(box.x + 40, y)
  await other.mouse.down()
  await other.mouse.move(box.x + 140, y, { steps: 5 })
  await shows(other, await toggleAndStore(page, 1))
  await other.mouse.move(box.x + 180, y, { steps: 3 })
  await other.mouse.up()
  await other.keyboard.press('Delete')
  await expect.poll(async () => (await project.edits()).map((e) => e.type)).toContain('manual')
  await stored(other)
  await undo(other)
  await undo(other)
  await shows(page, before)
})

test('typing in a caption survives changes of the other window to captions', async ({ page, openOther, project }) => {
  const other = await openOther()
  const [first] = await captions(project)
  for (const window of [page, other]) await window.getByRole('tab', { name: 'Captions' }).click()
  await caption(other, 0).click()
  await caption(other, 0).press('End')
  await other.keyboard.type(' and')
  await writeCaption(page, 1, 'Changed in the first window')
  await expect(caption(other, 1)).toHaveValue('Changed in the first window')
  await writeCaption(page, 0, 'The same caption')
  await expect.poll(async () => (await captions(project))[0]).toBe('The same caption')
  await expect(other.getByRole('button', { name: /^Revert|original/i })).toHaveCount(2) // it knows both changes
  await other.keyboard.type(' more')
  await expect(caption(other, 0)).toHaveValue(`${first} and more`)
  await caption(other, 0).press('Enter')
  await expect(caption(page, 0)).toHaveValue(`${first} and more`)
})

test('undone captions show their old text in both windows', async ({ page, openOther, project }) => {
  const other = await openOther()
  const before = await captions(project)
  for (const window of [page, other]) await window.getByRole('tab', { name: 'Captions' }).click()
  for (const n of [0, 1]) {
    await writeCaption(page, n, `Caption ${n}`)
    await expect(caption(other, n)).toHaveValue(`Caption ${n}`)
  }

  for (const n of [1, 0]) {
    await undo(page)
    await expect(caption(other, n)).toHaveValue(before[n] ?? '')
  }

  await expect.poll(() => captions(project)).toEqual(before)
})

test('a correction stays with its word when the other window adds words before it', async ({
  page,
  openOther,
  project,
}) => {
  const other = await openOther()
  for (const window of [page, other]) await window.getByRole('tab', { name: 'Transcript' }).click()
  const before = await words(project)
  const [early, late] = [before.findIndex(isPlain), before.findLastIndex(isPlain)]
  expect(late).toBeGreaterThan(early)
  const correction = await correct(other, late, 'penultimate')
  await (await correct(page, early, 'one two three')).press('Enter')
  await expect(word(other, 'three')).toBeVisible()
  await expect(correction).toHaveValue('penultimate')
  await correction.press('Enter')
  await expect(word(page, 'penultimate')).toBeVisible()
  await expect
    .poll(() => words(project))
    .toEqual(before.with(late, 'penultimate').toSpliced(early, 1, 'one', 'two', 'three'))

  await undo(page)
  await undo(page)
  await expect(word(other, before[early] ?? '')).toBeVisible()
  await expect.poll(() => words(project)).toEqual(before)
})

const isPlain = (word: string) => /^[a-z]{4,}$/i.test(word)

/** Types a correction of a word and returns its field. */
async function correct(window: Page, index: number, text: string) {
  await window.locator(`[data-word="${index}"]`).click()
  await window.keyboard.press('F2')
  const field = window.getByRole('textbox', { name: /^Correct “/ })
  await field.fill(text)
  return field
}

/** Gives a window an event stream that is always silent. */
function silenceEvents() {
  class Silent {
    addEventListener() {}
    close() {}
  }
  Object.assign(window, { EventSource: Silent })
}

test('a window without events undoes the newest change and then its own', async ({ page, openOther }) => {
  const deaf = await openOther(silenceEvents)
  const before = await savedMS(page)
  const own = await toggleAndStore(deaf, 0)
  await shows(page, own)
  await toggleAndStore(page, 1)
  await shows(deaf, own)
  await undo(deaf)
  await expect(deaf.getByText('Another window had made a newer change.')).toBeVisible()
  await expect(deaf.getByText('Could not save')).toHaveCount(0)
  await shows(page, own)
  await stored(deaf)
  await shows(deaf, own)
  await undo(deaf)
  for (const window of [deaf, page]) await shows(window, before)
})

test('the way back to an older state stops when another window has made a change', async ({ page, openOther }) => {
  const deaf = await openOther(silenceEvents)
  const before = await savedMS(page)
  await shows(page, await toggleAndStore(deaf, 0))
  const both = await toggleAndStore(page, 1)
  await deaf.getByRole('button', { name: 'History' }).click()
  await deaf.getByRole('button', { name: 'Before all changes' }).click()
  await expect(deaf.getByText('Another window has changed the project.')).toBeVisible()
  await shows(deaf, both)
  await shows(page, both)
  await deaf.keyboard.press('Escape')
  for (let i = 0; i < 2; i++) {
    await undo(deaf)
    await stored(deaf)
  }

  for (const window of [deaf, page]) await shows(window, before)
})
