import { expect, expectToLookRight, test } from './support/editor'

test.use({ seed: 'talk' })

test('F2 renames a clip in its place and keeps the focus there', async ({ page, edit, project }) => {
  await edit()
  await page.getByRole('tab', { name: /^Clips/ }).click()
  await expect(page.locator('[data-clip] [data-thumbnail]')).toBeVisible()
  await expectToLookRight(page)
  await page.locator('[data-clip] button').first().focus()
  await page.keyboard.press('F2')
  const field = page.getByRole('textbox', { name: /^New name for / })
  await field.press('Escape')
  await expect(field).toHaveCount(0)
  await page.keyboard.press('F2') // the clip has the focus again
  await field.fill('Kitchen, take 1')
  await field.press('Enter')
  await expect.poll(async () => (await project.clips()).map((clip) => clip.name)).toEqual(['Kitchen, take 1'])
  await expect(page.locator('[data-clip] :focus')).toContainText('Kitchen, take 1')
})

test('a clip takes a transcript from a file and gives it up', async ({ page, edit }) => {
  await edit()
  await page.getByRole('tab', { name: /^Clips/ }).click()
  await page.getByLabel(/^Transcript of /).setInputFiles({
    name: 'spoken.vtt',
    mimeType: 'text/vtt',
    buffer: Buffer.from('WEBVTT\n\n00:00.700 --> 00:03.400\nhello everyone and welcome back to the channel\n'),
  })
  await expect(page.getByText('Imported spoken.vtt')).toBeVisible()
  const transcript = page.getByText('Transcript: spoken.vtt')
  await expect(transcript).toBeVisible()
  await expectToLookRight(page)
  await page.locator('[data-clip]').click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Remove transcript' }).click()
  await expect(transcript).toHaveCount(0)
})
