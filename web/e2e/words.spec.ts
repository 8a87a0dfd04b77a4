import { expect, expectToLookRight, STRUCK, test, tune, word } from './support/editor'

test.use({ seed: 'talk' })

test('a corrected word keeps its full stop and the pause after it', async ({ page, edit, project }) => {
  await edit()
  const before = await project.texts()
  const sentence = page.locator('[data-transcript] [data-index="0"]')
  const pauses = sentence.locator('[data-pause]')
  await expect(pauses).not.toHaveCount(0)
  const count = await pauses.count()
  await sentence.locator('[data-word]').filter({ hasText: '.' }).dblclick()
  await page.keyboard.press('F2')
  await expect(page.getByRole('textbox', { name: /^Correct “/ })).toBeFocused()
  await expect(pauses).toHaveCount(count)
  await page.keyboard.type('harbor')
  await page.keyboard.press('Enter')
  await expect(word(page, 'harbor.')).toBeVisible()
  await page.keyboard.press('Control+z')
  await expect.poll(() => project.texts()).toEqual(before)
})

test('captions and search follow a corrected word, and undo restores it', async ({ page, edit, project, api }) => {
  await edit()
  const before = await project.texts()
  await word(page, /window/i).click()
  await page.keyboard.press('F2')
  const field = page.getByRole('textbox', { name: /^Correct “/ })
  await expect(field).toBeFocused()
  await expectToLookRight(page)
  await field.fill('casement')
  await field.press('Enter')
  await expect(word(page, 'casement')).toBeVisible()
  await expect.poll(async () => (await project.texts()).captions).toContain('casement')
  expect((await project.texts()).words).not.toMatch(/window/i)
  const search = () => api.ask<{ items: unknown[] }>('GET', '/search?kind=transcript&q=casement')
  await expect.poll(async () => (await search()).items).toMatchObject([{ project_uuid: project.uuid }])
  await page.keyboard.press('Control+z')
  await expect(word(page, /window/i)).toBeVisible()
  await expect.poll(() => project.texts()).toEqual(before)
})

test('Escape leaves a word that is being corrected as it is', async ({ page, edit, project }) => {
  await edit()
  const before = await project.texts()
  await word(page, /window/i).click()
  await page.keyboard.press('F2')
  const field = page.getByRole('textbox', { name: /^Correct “/ })
  await field.fill('something else')
  await field.press('Escape')
  await expect(word(page, /window/i)).toBeVisible()
  await page.reload()
  await expect(word(page, /window/i)).toBeVisible()
  expect(await project.texts()).toEqual(before)
})

test('a cut pause is struck through, and a click selects its cut', async ({ page, edit }) => {
  await edit()
  const pause = page
    .locator('[data-pause]')
    .and(page.getByLabel(/ stays$|, cut$/))
    .first()

  await expect(pause).toHaveCSS('text-decoration-line', STRUCK)
  await pause.click()
  await expect(page.locator('[data-cut][aria-selected=true]')).toHaveCount(1)
})

test('a triple click and a key select the same sentence', async ({ page, edit }) => {
  await edit()
  const selected = page.getByText(/^\d+ words?, /)
  await word(page, /morning/i).dblclick()
  await expect(selected).toHaveText(/^1 word, /)
  await word(page, /morning/i).click({ clickCount: 3 })
  await expect(selected).toHaveText(/^([2-9]|\d\d) words, /)
  const sentence = (await selected.textContent()) ?? ''
  await word(page, /morning/i).dblclick()
  await expect(selected).toHaveText(/^1 word, /)
  await page.keyboard.press('Alt+Shift+ArrowRight')
  await expect(selected).toHaveText(sentence)
})

test('a key opens the menu of the selected words, which corrects them', async ({ page, edit }) => {
  await edit()
  const menu = page.getByRole('menu', { name: 'Words' })
  const openByKey = async () => {
    await word(page, /morning/i).dblclick()
    await page.locator('[data-transcript]').focus()
    await page.keyboard.press('Shift+F10')
    await expect(menu).toBeVisible()
  }

  await openByKey()
  await expectToLookRight(page) // a narrow window closes the menu
  await page.keyboard.press('Escape')
  await openByKey()
  await menu.getByRole('menuitem', { name: 'Correct the text' }).click()
  await expect(page.getByRole('textbox', { name: /^Correct “morning/i })).toBeFocused()
})

test('the menu of a word cuts it, and its caption says so', async ({ page, edit }) => {
  await edit()
  const morning = word(page, /morning/i)
  await morning.click({ button: 'right' })
  await page.getByRole('menu', { name: 'Words' }).getByRole('menuitem', { name: /^Cut/ }).click()
  await expect(morning).toHaveCSS('text-decoration-line', STRUCK)
  await page.getByRole('tab', { name: 'Captions' }).click()
  await expect(page.getByText('Partly cut').first()).toBeVisible()
  await expectToLookRight(page)
  await page.getByRole('tab', { name: 'Transcript' }).click()
  await page.keyboard.press('Control+z')
  await expect(morning).not.toHaveCSS('text-decoration-line', STRUCK)
})

test('all matches of a search are cut and restored in one step each', async ({ page, edit, project }) => {
  await edit()
  const before = await project.activeCuts()
  await page.keyboard.press('Control+f')
  await page.getByRole('textbox', { name: 'Find in transcript' }).fill('the')
  const cut = page.getByRole('button', { name: /^Cut (all )?\d+ match/ })
  const found = page.locator('.word-found')
  await expect(found).toHaveCount((await project.words()).filter((w) => /^the\b/i.test(w.text.trim())).length)
  await cut.click()
  await expect(cut).toHaveCount(0)
  for (const match of await found.all()) await expect(match).toHaveCSS('text-decoration-line', STRUCK)
  await expectToLookRight(page)
  await page.getByRole('button', { name: /^Restore (all )?\d+ match/ }).click()
  await expect(cut).toBeVisible()
  for (const match of await found.all()) await expect(match).not.toHaveCSS('text-decoration-line', STRUCK)
  await page.getByRole('textbox', { name: 'Find in transcript' }).press('Escape')
  await page.keyboard.press('Control+z')
  await page.keyboard.press('Control+z')
  await expect(page.getByRole('button', { name: 'Nothing to undo' })).toBeDisabled()
  await expect.poll(() => project.activeCuts()).toEqual(before)
})

test('a word in the middle of a cut comes back without its neighbors', async ({ page, edit, project }) => {
  await edit()
  const manual = async () => (await project.activeCuts()).filter((cut) => cut.type === 'manual')
  await word(page, 'microphone').click()
  for (let i = 0; i < 5; i++) await page.keyboard.press('Shift+ArrowRight')
  await expect(page.getByText(/^5 words, /)).toBeVisible()
  await page.keyboard.press('Delete')
  await expect.poll(manual).toHaveLength(1)
  const [whole] = await manual()
  const middle = (await project.words()).find((w) => w.text.trim() === 'record')
  await word(page, 'record').dblclick()
  await page
    .getByRole('button', { name: /^Restore/ })
    .first()
    .click()

  await expect.poll(manual).toMatchObject([
    { start_ms: whole?.start_ms, end_ms: middle?.start_ms },
    { start_ms: middle?.end_ms, end_ms: whole?.end_ms },
  ])

  for (let i = 0; i < 2; i++) await page.keyboard.press('Control+z')
  await expect.poll(manual).toEqual([])
})

test('a replacement reaches transcript, captions and vocabulary, with undo and redo', async ({
  page,
  edit,
  project,
  api,
}) => {
  await edit()
  const before = await project.texts()
  await page.keyboard.press('Control+h')
  await page.keyboard.type('small kitchen')
  await page.getByRole('textbox', { name: 'Replace with' }).focus()
  await page.keyboard.type('photo studio set')
  await expect(page.getByText('1 of 1 place')).toBeVisible()
  await expect(page.getByRole('list', { name: 'Places' }).getByText('photo studio set')).toBeVisible()
  await expectToLookRight(page)
  await page.getByRole('checkbox', { name: 'Add to vocabulary' }).check()
  await page.getByRole('textbox', { name: 'Replace with' }).press('Enter')
  await expect(page.getByText('Replaced 1 place')).toBeVisible()
  await expect(word(page, 'studio')).toBeVisible()
  await expect.poll(() => project.texts()).toMatchObject({ captions: expect.stringContaining('photo studio set') })
  expect((await project.texts()).words).not.toContain('kitchen')
  const vocabulary = async () => (await api.ask<{ vocabulary: string[] }>('GET', project.path)).vocabulary
  await expect.poll(vocabulary).toContain('photo studio set')
  await page.keyboard.press('Escape')
  await page.locator('[data-transcript]').focus()
  await page.keyboard.press('Control+z')
  await expect(word(page, 'kitchen')).toBeVisible()
  await expect.poll(() => project.texts()).toEqual(before)
  await page.keyboard.press('Control+Shift+z')
  await expect(word(page, 'studio')).toBeVisible()
})

test('a replacement leaves out the places that are not checked', async ({ page, edit, project }) => {
  await edit()
  await page.keyboard.press('Control+h')
  await page.getByRole('textbox', { name: 'Find in transcript' }).fill('the')
  await page.getByRole('textbox', { name: 'Replace with' }).fill('THE')
  const all = (await project.words()).filter((w) => w.text.trim() === 'the').length
  const places = page.getByRole('list', { name: 'Places' }).getByRole('checkbox')
  await expect(places).toHaveCount(all)
  await places.first().uncheck()
  await expect(page.getByText(`${all - 1} of ${all} places`)).toBeVisible()
  await page.getByRole('button', { name: `Replace ${all - 1}`, exact: true }).click()
  await expect(page.getByText(`Replaced ${all - 1} place`)).toBeVisible()
  const kinds = async () => (await project.words()).map((w) => w.text.trim()).filter((text) => /^the$/i.test(text))
  await expect.poll(kinds).toEqual(['the', ...Array<string>(all - 1).fill('THE')])
})

test('the vocabulary of a project takes several words and gives one up', async ({ page, open, edit, project, api }) => {
  await open()
  await api.ask('PATCH', project.path, { vocabulary: ['photo studio set'] })
  await edit()
  await tune(page)
  await page.getByRole('button', { name: 'More choices' }).click()
  await page.getByText('Vocabulary (1)').click()
  const add = page.getByRole('textbox', { name: 'Add to project vocabulary' })
  await add.fill('Ada Lovelace, C++')
  await add.press('Enter')
  await expect(page.getByText('Vocabulary (3)')).toBeVisible()
  await page.getByRole('button', { name: 'Remove C++' }).click()
  await expect(page.getByText('Vocabulary (2)')).toBeVisible()
  await expectToLookRight(page) // the narrow window closes the popover
  const stored = async () => (await api.ask<{ vocabulary: string[] }>('GET', project.path)).vocabulary
  await expect.poll(async () => (await stored()).sort()).toEqual(['Ada Lovelace', 'photo studio set'])
})

test('a filter finds a word in the vocabulary of the account', async ({ page, open }) => {
  await open('/settings/words')
  const list = page.getByRole('textbox', { name: 'Add to Vocabulary' })
  await list.fill(Array.from({ length: 24 }, (_, i) => `Name ${i}`).join('\n'))
  await list.press('Enter')
  const filter = page.getByRole('searchbox', { name: 'Filter Vocabulary' })
  await filter.fill('name 7')
  await expect(page.getByText('1 of 24')).toBeVisible()
  await filter.fill('')
  await expectToLookRight(page)
})
