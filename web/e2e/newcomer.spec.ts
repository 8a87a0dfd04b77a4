import { execFileSync } from 'node:child_process'
import type { Page } from '@playwright/test'
import { dropFile } from './support/drop'
import { expect, file, test, withModel } from './support/test'

test.use({ settings: withModel() })

/** What the page says about a length of the project, in milliseconds. */
const total = async (page: Page, name: string) =>
  Number(await page.getByTestId(`total-${name}`).getAttribute('data-ms'))

/** The length of the video in a file, in milliseconds. */
const lengthOf = (path: string) => {
  const options = '-v error -select_streams v -show_entries stream=duration -of csv=p=0'
  return 1000 * Number(execFileSync('ffprobe', [...options.split(' '), path]).toString())
}

// The only page test that goes the whole way, with no seed.
test('a newcomer drops a recording, reviews the cuts, exports, and downloads the shorter video', async ({
  page,
  open,
}) => {
  test.slow()
  await open()
  await expect(page.getByRole('heading', { name: 'Drop a recording' })).toBeVisible()
  await dropFile(page, file('talk.mp4'), 'kitchen_light.mp4')
  const cuts = page.locator('[data-cut]')
  await expect(cuts.first()).toBeVisible({ timeout: 100_000 })
  await expect(page.getByLabel('Project name')).toHaveValue('kitchen light')
  await expect(page).toHaveTitle('kitchen light · Roughcut')
  const proposed = await total(page, 'result')
  await cuts.first().click()
  await page.keyboard.press('n')
  await expect.poll(() => total(page, 'result')).toBeGreaterThan(proposed)
  await expect(page.getByTestId('saved')).toContainText('All changes saved')
  const [original, result] = [await total(page, 'original'), await total(page, 'result')]
  expect(result).toBeLessThan(original)

  await page.getByRole('button', { name: 'Export', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Export', exact: true }).click()
  const save = page.getByRole('button', { name: 'Download' }).first()
  await expect(save).toBeVisible({ timeout: 100_000 })
  const [download] = await Promise.all([page.waitForEvent('download'), save.click()])
  expect(download.suggestedFilename()).toBe('kitchen light cut.mp4')
  expect(Math.abs(lengthOf(await download.path()) - result)).toBeLessThan(1000 / 30)
})

/** Makes five minutes of audio of the talk, which the speech model hears for a while. */
function longTalk() {
  const path = test.info().outputPath('long.m4a')
  execFileSync('ffmpeg', ['-v', 'error', '-stream_loop', '13', '-i', file('talk.mp4'), '-vn', '-c', 'copy', path])
  return path
}

test('the cuts of silences show while the words are transcribed', async ({ page, open }) => {
  await open()
  await expect(page.getByRole('heading', { name: 'Drop a recording' })).toBeVisible()
  await dropFile(page, longTalk(), 'long.m4a', 'audio/mp4')
  const running = page.getByRole('status', { name: 'Finding cuts' })
  await expect(running.getByText(/^\d{2,} silences found\.$/)).toBeVisible({ timeout: 100_000 })
  await expect.poll(() => total(page, 'saved')).toBeGreaterThan(0)
  await expect(page.getByRole('button', { name: 'Export', exact: true })).toBeDisabled()
  await running.getByRole('button', { name: 'Cancel' }).click()
  await expect(running).toHaveCount(0)
  await expect.poll(() => total(page, 'saved')).toBe(0)
})
