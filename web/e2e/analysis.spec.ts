import { expect, expectToLookRight, test } from './support/editor'
import { withModel } from './support/test'

test.use({ seed: 'talk', settings: withModel() })

test('the result names its language, preset and model, and another analysis changes the language', async ({
  page,
  edit,
  project,
  api,
}) => {
  await edit()
  const facts = page.getByRole('button', { name: /^English · .+ · \S+ Change$/ })
  await facts.click()
  const dialog = page.getByRole('dialog', { name: 'Analyze again' })
  await dialog.getByText('More choices').click()
  await expect(dialog.getByRole('switch', { name: /^Keep demonstrations/ })).toBeVisible()
  await expectToLookRight(page)
  await dialog.getByLabel('Language').selectOption({ label: 'German' })
  await expect(dialog.getByText('No words in German')).toBeVisible()
  await expectToLookRight(page)
  await dialog.getByRole('button', { name: 'Find cuts' }).click()
  await expect(page.getByRole('button', { name: /^No words: \S+ does not know German/ })).toBeVisible()
  await expect(page.getByText(/^There are no words: \S+ does not know German\./)).toBeVisible()
  expect(await project.words()).toEqual([])
  const { items } = await api.ask<{ items: object[] }>('GET', `${project.path}/analysis-runs`)
  expect(items[0]).toMatchObject({ language: 'de', language_doubt: 'unsupported', status: 'completed' })
})
