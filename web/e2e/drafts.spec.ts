import { expect, test } from './support/editor'

test.use({ seed: 'talk' })

test('a draft restores the cuts that it was saved with', async ({ page, edit, project }) => {
  await edit()
  const before = await project.activeCuts()
  const drafts = page.getByRole('button', { name: 'History' })
  await drafts.click()
  await page.getByLabel('Draft name').fill('Long version')
  await page.keyboard.press('Enter')
  await expect(page.locator('[data-draft]')).toContainText('Long version')
  await page.keyboard.press('Escape')
  await page.getByRole('switch', { name: /^Silences/ }).click()
  await expect.poll(project.activeCutCount).toBeLessThan(before.length)
  await drafts.click()
  await page.getByRole('button', { name: 'Apply' }).first().click()
  const spans = (cuts: typeof before) => cuts.map((cut) => [cut.uuid, cut.start_ms, cut.end_ms])
  await expect.poll(async () => spans(await project.activeCuts())).toEqual(spans(before))
})
