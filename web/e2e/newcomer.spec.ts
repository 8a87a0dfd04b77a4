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

/** Holds the lists of cuts after the first one, so that provisional cuts stay on the page. Returns what lets them pass. */
async function holdCuts(page: Page) {
  let lists = 0
  let show = () => {}
  const shown = new Promise<void>((resolve) => (show = resolve))
  await page.route(/\/projects\/[^/]+\/edits\//, async (route) => {
    if (route.request().method() === 'GET' && lists++ > 0) await shown
    await route.fallback()
  })

  return show
}

// The only page test that goes the whole way, with no seed.
test('a newcomer drops a recording, reviews the cuts, exports, and downloads the shorter video', async ({
  page,
  open,
}) => {
  test.slow()
  const showCuts = await holdCuts(page)
  await open()
  await expect(page.getByRole('heading', { name: 'From raw recording' })).toBeVisible()
  await dropFile(page, file('talk.mp4'), 'kitchen_light.mp4')
  await page.waitForFunction(
    () => {
      const saved = document.querySelector<HTMLElement>('[data-testid=total-saved]')?.dataset['ms']
      return /\d silences? found\./.test(document.body.textContent ?? '') && Number(saved) > 0
    },
    undefined,
    { timeout: 100_000 },
  ) // provisional cuts, while the words are transcribed

  showCuts()
  const cuts = page.locator('[data-cut]')
  await expect(cuts.first()).toBeVisible({ timeout: 100_000 })
  await expect(page.getByLabel('Project name')).toHaveValue('kitchen light')
  await expect(page).toHaveTitle('kitchen light · Roughcut')
  await expect(page.getByText(/silences? found\./)).toHaveCount(0)
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
  expect(download.suggestedFilename()).toMatch(/^kitchen light.*\.mp4$/)
  expect(Math.abs(lengthOf(await download.path()) - result)).toBeLessThan(1000 / 30)
})
