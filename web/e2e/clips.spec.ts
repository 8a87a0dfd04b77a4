import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { expect, expectToLookRight, file, Project, test } from './support/editor'

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

test.describe('several clips', () => {
  test.use({ seed: 'shapes' })

  const clip = (page: Page, name: string) =>
    page.locator('[data-clip]').filter({ hasText: name }).getByRole('button').first()

  const order = (project: Project) => async () => (await project.clips()).map((c) => c.name)
  const openClips = async (page: Page, edit: (uuid?: string) => Promise<void>, uuid: string | undefined) => {
    await edit(uuid)
    await page.getByRole('tab', { name: /^Clips/ }).click()
  }

  test('the chosen ones move together, and undo moves them back', async ({ page, edit, api, server }) => {
    const now = order(new Project(api, server.facts['Mixed'] ?? ''))
    await openClips(page, edit, server.facts['Mixed'])
    const before = await now()
    const [phone = '', face = '', tone = ''] = before
    await clip(page, face).click()
    await clip(page, tone).click({ modifiers: ['Control'] })
    const bar = page.getByRole('toolbar', { name: 'Chosen clips' })
    await expect(bar.getByText('2 clips')).toBeVisible()
    await page.keyboard.press('Alt+ArrowUp')
    await expect.poll(now).toEqual([face, tone, phone])
    await page.keyboard.press('Control+z')
    await expect.poll(now).toEqual(before)
    await page.getByRole('button', { name: 'Choose none' }).click()
    await expect(bar).toHaveCount(0)
  })

  test('the bar of chosen clips looks right', async ({ page, edit, server }) => {
    await openClips(page, edit, server.facts['Mixed'])
    await clip(page, 'face.mp4').click()
    await clip(page, 'tone.wav').click({ modifiers: ['Control'] })
    await expect(page.getByRole('toolbar', { name: 'Chosen clips' }).getByText('2 clips')).toBeVisible()
    await expectToLookRight(page)
  })

  test('one is dragged to another place, and undo moves it back', async ({ page, edit, api, server }) => {
    const now = order(new Project(api, server.facts['Mixed'] ?? ''))
    await openClips(page, edit, server.facts['Mixed'])
    const before = await now()
    const [phone = '', face = '', tone = ''] = before
    await clip(page, tone).dragTo(clip(page, phone), { targetPosition: { x: 60, y: 4 } })
    await expect.poll(now).toEqual([tone, phone, face])
    await page.keyboard.press('Control+z')
    await expect.poll(now).toEqual(before)
  })

  test('the thumbnail of a clip is one tile of its sheet', async ({ page, edit, server }) => {
    await openClips(page, edit, server.facts['Face'])
    const tiles = () =>
      page
        .locator('[data-clip] [data-thumbnail]')
        .evaluate((e: HTMLElement) => parseFloat(e.style.backgroundSize) / parseFloat(e.style.width))

    await expect.poll(tiles).toBe(6) // the sheet of six seconds has six tiles in its only row
  })
})

test('a clip without its file, or with a part of it, says so', async ({ page, edit, project, api }) => {
  await edit()
  const presign = (name: string, bytes: number) =>
    api.ask<{ clip_uuid: string; upload_url: string }>('POST', `${project.path}/clips/presign`, {
      filename: name,
      content_type: 'video/mp4',
      size_bytes: bytes,
    })

  const data = readFileSync(file('tiny.mp4'))
  const part = await presign('part.mp4', data.length + 1)
  expect((await page.request.put(part.upload_url, { data })).ok()).toBe(true)
  await api.ask('POST', `${project.path}/clips/${part.clip_uuid}/confirm`)
  await presign('lost.mp4', 1000)
  await page.reload()
  await page.getByRole('tab', { name: /^Clips/ }).click()
  const row = (name: string) => page.locator('[data-clip]').filter({ hasText: name })
  await expect(row('part.mp4')).toContainText(`Only ${data.length} of ${data.length + 1} bytes arrived`)
  await expect(row('lost.mp4')).toContainText('Not uploaded yet')
  await expectToLookRight(page)
  await page.getByRole('button', { name: 'Remove lost.mp4' }).click()
  await expect(row('lost.mp4')).toHaveCount(0)
  await expect.poll(async () => (await project.clips()).map((clip) => clip.name)).not.toContain('lost.mp4')
})
