import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { dropFiles, dropPaths } from './support/drop'
import { expect, expectToLookRight, file, test, type Api } from './support/test'

interface Summary {
  uuid: string
  name: string
  clip_count: number
  status: string
}

const projectsOf = async (api: Api) =>
  (await api.ask<{ items: Summary[] }>('GET', '/projects/?sort=oldest')).items.map(
    ({ name, clip_count, status }) => `${name}: ${clip_count}, ${status}`,
  )

const two = () => ({ 'autumn_talk.mp4': file('tiny.mp4'), 'autumn_talk.mov': file('tiny.mp4') })

test('two files become one project each, and the choice is remembered', async ({ page, open, api }) => {
  await open()
  await dropFiles(page, two())
  const dialog = page.getByRole('dialog', { name: '2 recordings' })
  await expect(dialog.getByText('autumn_talk.mp4, autumn_talk.mov')).toBeVisible()
  await expect(dialog.getByRole('button', { name: 'One video' })).toBeFocused()
  await expectToLookRight(page)
  await dialog.getByRole('button', { name: 'One project each' }).click()
  await expect.poll(() => projectsOf(api)).toEqual(['autumn talk: 1, analyzed', 'autumn talk 2: 1, analyzed'])
  await expect(page.locator('main h2 a')).toHaveText(['autumn talk 2', 'autumn talk'])
  await expect.poll(() => api.ask('GET', '/users/me/settings')).toMatchObject({ 'projects.several': 'each' })

  await page.evaluate(() => window.localStorage.clear())
  let answer = () => {}
  const asked = new Promise<void>((resolve) => (answer = resolve))
  await page.route('**/users/me/settings', async (route) => {
    await asked
    await route.continue()
  })

  await page.reload()
  await dropFiles(page, two())
  await expect(dialog.getByRole('button', { name: 'One video' })).toBeFocused()
  answer()
  await expect(dialog.getByRole('button', { name: 'One project each' })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
  expect(await projectsOf(api)).toHaveLength(2)
})

test('two files become one video in their order', async ({ page, open, api }) => {
  await open()
  await dropFiles(page, two())
  await expect(page.getByRole('button', { name: 'One video' })).toBeFocused()
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/projects\//)
  await expect.poll(() => projectsOf(api)).toEqual(['autumn talk: 2, analyzed'])
  const project = new URL(page.url()).pathname.split('/').pop()
  const { items } = await api.ask<{ items: { name: string }[] }>('GET', `/projects/${project}/clips/`)
  expect(items.map((c) => c.name)).toEqual(['autumn_talk.mp4', 'autumn_talk.mov'])
})

test('a folder stands for its recordings in natural order', async ({ page, open }, info) => {
  const folder = info.outputPath('Lecture')
  mkdirSync(join(folder, 'old'), { recursive: true })
  for (const name of ['part 10.mp4', 'part 2.mp4', '.hidden.mp4', 'old/part 1.mp4'])
    copyFileSync(file('tiny.mp4'), join(folder, name))
  copyFileSync(file('logo.png'), join(folder, 'title.png'))

  await open()
  await expect(page.getByRole('heading', { name: 'Drop a recording' })).toBeVisible()
  await dropPaths(page, [folder])
  await expect(page.getByRole('dialog', { name: '2 recordings' }).getByText('part 2.mp4, part 10.mp4')).toBeVisible()
  await page.keyboard.press('Escape')

  const empty = info.outputPath('Pictures')
  mkdirSync(empty)
  await dropPaths(page, [empty])
  await expect(page.getByText('The folder “Pictures” has no recordings')).toBeVisible()
  await expect(page.getByRole('dialog')).toHaveCount(0)
})
