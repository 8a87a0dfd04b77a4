import { expect, expectToLookRight, test, word } from './support/editor'

test.use({ seed: 'talk' })

test('a note is added, edited and deleted, undo restores it, and chapters stay without it', async ({
  page,
  edit,
  project,
}) => {
  await edit()
  await word(page, /window/i).click()
  await page.keyboard.press('t')
  const field = page.getByRole('textbox', { name: 'Text of the note' })
  await expect(field).toBeFocused()
  await field.fill('Ask for the photo')
  await field.press('Enter')
  const flag = page.getByRole('button', { name: /^Note: Ask for the photo, at / })
  await expect(flag).toBeVisible()
  await expect.poll(project.markers).toMatchObject([{ kind: 'note', name: 'Ask for the photo' }])
  await expectToLookRight(page)
  await flag.dblclick()
  await field.fill('Photo is there')
  await field.press('Enter')
  const changed = page.getByRole('button', { name: /^Note: Photo is there, at / })
  await changed.click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Delete note' }).click()
  await expect.poll(project.markers).toEqual([])
  await page.keyboard.press('Control+z')
  await expect(changed).toBeVisible()
  await page.keyboard.press('m')
  await page.getByRole('textbox', { name: 'Title of the chapter' }).press('Enter')
  await expect.poll(async () => (await project.markers()).map((m) => m.kind).toSorted()).toEqual(['chapter', 'note'])
  const response = await page.request.get(new URL(`/api/v1${project.path}/chapters.txt`, page.url()).href)
  expect(await response.text()).not.toContain('Photo')
})
