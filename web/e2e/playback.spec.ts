import type { Page } from '@playwright/test'
import { expect, test as base } from './support/editor'

interface Playback {
  /** Opens the project with videos that never play, and a clock that only the test moves. */
  standing: () => Promise<void>
}

const test = base.extend<Playback>({
  standing: async ({ page, edit }, provide) => {
    await page.addInitScript(() => {
      HTMLMediaElement.prototype.play = function () {
        this.dataset['started'] = 'true'
        return new Promise(() => undefined)
      }
    })

    await page.clock.install()
    await provide(async () => {
      await edit()
      await expect.poll(() => seen(page).evaluate((v: HTMLVideoElement) => v.readyState)).toBeGreaterThanOrEqual(2)
      await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 60_000)
    })
  },
})

test.use({ seed: 'garden' }) // a cut from 2 to 3 s

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const waiting = (page: Page) => page.getByRole('status', { name: 'Loading the video' })
const seen = (page: Page) => page.locator('video[data-seen=true]')

/** Moves the time of a video as if it had played. */
const playTo = (page: Page, seen: boolean, seconds: number) =>
  page.locator(`video[data-seen=${seen}]`).evaluate((v: HTMLVideoElement, seconds) => {
    v.currentTime = seconds
  }, seconds)

/** Moves the clock by small steps until a condition holds. */
const ticks = (page: Page, holds: () => Promise<void>) =>
  expect(async () => {
    await page.clock.runFor(20)
    await holds()
  }).toPass({ timeout: 30_000 })

const shows = (page: Page, position: string) => () =>
  expect(page.getByTestId('position')).toHaveText(position, { timeout: 500 })

test('playback says when the video stands, until it plays again', async ({ page, standing }) => {
  await standing()
  await button(page, 'Play').click()
  await page.clock.runFor(200)
  await expect(button(page, 'Pause')).toBeVisible()
  await expect(waiting(page)).toHaveCount(0)
  await page.clock.runFor(400)
  await expect(waiting(page)).toBeVisible()
  await playTo(page, true, 0.5)
  await ticks(page, shows(page, '0:00.50'))
  await ticks(page, () => expect(waiting(page)).toHaveCount(0, { timeout: 500 }))
})

test('a video that never plays is loaded again, and then reported', async ({ page, standing }) => {
  let loads = 0
  page.on('request', (request) => {
    if (request.resourceType() === 'media') loads++
  })

  await standing()
  await button(page, 'Play').click()
  const before = loads
  await expect(async () => {
    await page.clock.runFor(10_000)
    expect(loads).toBeGreaterThan(before)
  }).toPass()

  const problem = page.getByRole('alert').filter({ has: button(page, 'Try again') })
  await expect(async () => {
    await page.clock.runFor(10_000)
    await expect(problem).toBeVisible({ timeout: 500 })
  }).toPass()

  await expect(button(page, 'Play')).toBeVisible()
  await button(page, 'Try again').click()
  await expect(problem).toHaveCount(0)
})

test('after J, L plays from the playhead', async ({ page, standing }) => {
  await standing()
  for (let i = 0; i < 4; i++) await page.keyboard.press('Shift+ArrowRight')
  await page.keyboard.press('l')
  await expect(button(page, 'Pause')).toBeVisible()
  await page.keyboard.press('j')
  await page.clock.runFor(2500)
  await expect(page.getByTestId('position')).toHaveText(/^0:01/)
  await page.keyboard.press('l')
  await ticks(page, () =>
    expect.poll(() => seen(page).evaluate((v: HTMLVideoElement) => v.seeking), { timeout: 500 }).toBe(false),
  )

  await page.clock.runFor(200)
  await expect(page.getByTestId('position')).toHaveText(/^0:01/)
})

test('the export dialog pauses playback', async ({ page, standing }) => {
  await standing()
  await button(page, 'Play').click()
  await expect(button(page, 'Pause')).toBeVisible()
  await page.keyboard.press('e')
  await expect(page.getByRole('dialog', { name: 'Export video' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(button(page, 'Play')).toBeVisible()
})

for (const [browser, change] of [
  ['a browser', () => undefined],
  // As WebKitGTK without compositing.
  ['a browser that reports no frames', () => (HTMLVideoElement.prototype.requestVideoFrameCallback = () => 1)],
] as const) {
  test(`in ${browser}, the other video plays on after a cut`, async ({ page, standing }) => {
    await page.addInitScript(change)
    await standing()
    const deck = () => page.locator('video').evaluateAll((all) => all.findIndex((v) => v.dataset['seen'] === 'true'))
    await button(page, 'Play').click()
    await playTo(page, true, 1.8) // near the cut, the hidden video starts
    await ticks(page, shows(page, '0:01.80'))
    const hidden = page.locator('video[data-seen=false]')
    await ticks(page, () => expect(hidden).toHaveAttribute('data-started', 'true', { timeout: 500 }))
    const before = await deck()
    await playTo(page, true, 1.99)
    await ticks(page, shows(page, '0:01.99'))
    await playTo(page, false, 3)
    await ticks(page, async () => expect(await deck()).toBe(1 - before))
    await ticks(page, shows(page, '0:03.00'))
    await playTo(page, true, 3.5)
    await ticks(page, shows(page, '0:03.50'))
    await expect(button(page, 'Pause')).toBeVisible()
  })

  test(`in ${browser}, playback ends where the last cut starts`, async ({ page, open, api, project, standing }) => {
    await page.addInitScript(change)
    await open()
    await api.ask('POST', `${project.path}/edits/`, { type: 'manual', start_ms: 7000, end_ms: 8000 })
    await standing()
    await page.keyboard.press('End')
    await page.keyboard.press('Shift+ArrowLeft')
    await page.keyboard.press('Shift+ArrowLeft')
    await button(page, 'Play').click()
    await playTo(page, true, 6.99)
    await ticks(page, shows(page, '0:07.00'))
    await expect(button(page, 'Play')).toBeVisible()
    const covered = () =>
      page
        .getByTestId('footage')
        .locator('canvas')
        .evaluate(
          (c: HTMLCanvasElement) =>
            c.width > 0 && c.getContext('2d')?.getImageData(c.width / 2, c.height / 2, 1, 1).data[3] !== 0,
        )

    await ticks(page, async () => expect(await covered(), 'a still covers the video').toBe(false))
    const cutBadge = page.getByText('This part is cut')
    await expect(cutBadge).toBeHidden()
    await page.keyboard.press('ArrowRight')
    await expect(cutBadge).toBeVisible()
  })
}
