import { expect, expectToLookRight, test } from './support/editor'

test.use({ seed: 'talk' })

test('the audio alone is exported as Opus', async ({ page, edit, project, api }) => {
  await edit()
  await page.getByRole('button', { name: 'Export', exact: true }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Export video' })
  await dialog.getByLabel('File type').selectOption('opus')
  await expect(dialog.getByText(/^Audio only, about/)).toBeVisible()
  await expectToLookRight(page)
  await dialog.getByRole('button', { name: 'Export', exact: true }).click()
  await expect(page.locator('[data-export][data-status=completed]')).toBeVisible()
  const [made] = await project.exports()
  expect(made).toMatchObject({ status: 'completed', content_type: 'audio/ogg', width: null })
  const { filename } = await api.ask<{ filename: string }>('GET', `/exports/${made?.uuid}/download-url`)
  expect(filename).toMatch(/\.opus$/)
  await expectToLookRight(page)
})
