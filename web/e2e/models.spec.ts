import { expect, expectToLookRight, file, test } from './support/test'

const FIELD = 'Speech model to add'

test('a file that is not a speech model is refused', async ({ page, open }) => {
  await open('/settings/models')
  await expect(page.getByText('No speech model is installed')).toBeVisible()
  const notes = { name: 'ggml-notes.bin', mimeType: 'application/octet-stream', buffer: Buffer.from('not a model') }
  await page.getByLabel(FIELD).setInputFiles(notes)
  await expect(page.getByRole('alert').getByText('is not a speech model')).toBeVisible()
  await expectToLookRight(page)
})

test('a speech model from a file is used', async ({ page, open, api }) => {
  await open('/settings/models')
  await expect(page.getByText('No speech model is installed')).toBeVisible()
  await page.getByLabel(FIELD).setInputFiles(file('model.bin'))
  await expect(page.getByRole('list', { name: 'Installed models' }).getByText('In use')).toBeVisible()
  const { items } = await api.ask<{ items: { installed: boolean; active: boolean }[] }>('GET', '/models')
  expect(items.filter((m) => m.installed)).toMatchObject([{ active: true }])
  await expectToLookRight(page)
})
