import { expect, test } from './support/editor'

test.use({ seed: 'talk' })

test('a draft restores the cuts and shorts that it was saved with', async ({ page, edit, project, api }) => {
  await edit()
  const path = `${project.path}/shorts/`
  const short = await api.ask<{ uuid: string }>('POST', path, { name: 'Kitchen', start_ms: 1000, end_ms: 5000 })
  const before = await project.activeCuts()
  const drafts = page.getByRole('button', { name: 'History' })
  const lane = page.getByTestId('short-lane').getByRole('button', { name: /^Short: / })
  await expect(lane).toHaveText('Kitchen')
  await drafts.click()
  await page.getByLabel('Draft name').fill('Long version')
  await page.keyboard.press('Enter')
  await expect(page.locator('[data-draft]')).toContainText('Long version')
  await page.keyboard.press('Escape')
  await page.getByRole('switch', { name: /^Silences/ }).click()
  await expect.poll(project.activeCutCount).toBeLessThan(before.length)
  await api.ask('DELETE', path + short.uuid)
  await expect(lane).toHaveCount(0)

  await drafts.click()
  await page.getByRole('button', { name: 'Apply' }).first().click()
  const spans = (cuts: typeof before) => cuts.map((cut) => [cut.uuid, cut.start_ms, cut.end_ms])
  await expect.poll(async () => spans(await project.activeCuts())).toEqual(spans(before))
  await expect(lane).toHaveText('Kitchen')
  await expect(page.getByText('Applied “Long version”')).toBeVisible()
  await page.getByRole('button', { name: 'Undo apply “Long version”' }).click()
  await expect(lane).toHaveCount(0)
  await expect.poll(project.activeCutCount).toBeLessThan(before.length)
})
