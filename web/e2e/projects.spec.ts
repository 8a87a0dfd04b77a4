import { expect, expectToLookRight, test } from './support/test'

test('the launch address signs in and loses its token', async ({ page, open }) => {
  await open()
  await expect(page.getByRole('button', { name: 'New project' }).first()).toBeVisible()
  expect(page.url()).not.toContain('launch=')
})

test('the empty projects page looks right', async ({ page, open }) => {
  await open()
  await expect(page.getByRole('button', { name: 'New project' }).first()).toBeVisible()
  await expectToLookRight(page)
})
