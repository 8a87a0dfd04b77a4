import type { Page } from '@playwright/test'
import { clipLoads, expect, expectToLookRight, test as base, type Project } from './support/editor'

/** The frames per second of the clips of the seed. */
const RATE = 25

interface Fixtures {
  /** Opens a tab of the project when all pictures of its clips are there. */
  openTab: (tab: RegExp) => Promise<void>
}

const test = base.extend<Fixtures>({
  openTab: async ({ page, edit, project }, provide) => {
    await provide(async (tab) => {
      const loaded = clipLoads(page, project)
      await edit()
      await loaded()
      await page.getByRole('tab', { name: tab }).click()
    })
  },
})

test.use({ seed: 'numbers' })

/** Returns the number of the visible frame: eight squares, black or white, the lowest bit on the left. */
const shownFrame = (page: Page) =>
  page.evaluate(() => {
    const video = document.querySelector<HTMLVideoElement>('video[data-seen=true]')
    if (!video || video.seeking || video.readyState < 2) return null
    const still = document.querySelector<HTMLCanvasElement>('[data-testid=stage] canvas')
    const canvas = Object.assign(document.createElement('canvas'), { width: 640, height: 360 })
    const ctx = canvas.getContext('2d')
    if (!ctx) return null
    ctx.drawImage(video, 0, 0, 640, 360)
    if (still && still.width > 0) ctx.drawImage(still, 0, 0, 640, 360)
    const isWhite = (bit: number) => (ctx.getImageData(40 + 80 * bit, 40, 1, 1).data[0] ?? 0) > 128
    return [0, 1, 2, 3, 4, 5, 6, 7].reduce((number, bit) => number + (isWhite(bit) ? 1 << bit : 0), 0)
  })

const shows = (page: Page, frame: number, what: string) =>
  expect.poll(() => shownFrame(page), `the frame at ${what}`).toBe(frame)

/** Returns the first frame of an export with a caption of the first clip. */
const firstFrame = (line: { start_ms: number } | undefined) =>
  Math.ceil(((line?.start_ms ?? NaN) * RATE) / 1000 - 0.001)

test('a click on a cut goes to its exact frame', async ({ page, openTab, project }) => {
  await openTab(/^Cuts/)
  const cuts = (await project.edits()).filter((e) => e.type !== 'asset')
  expect(cuts).toHaveLength(4)
  for (const cut of cuts) {
    await page.locator(`[data-cut="${cut.uuid}"]`).click()
    await shows(page, Math.round((cut.start_ms * RATE) / 1000), `the cut at ${cut.start_ms} ms`)
  }
})

test('captions go to the first frame that shows them', async ({ page, openTab, project }) => {
  await openTab(/^Captions/)
  const lines = await project.captions()
  expect(lines.length).toBeGreaterThan(2)
  const shown = page.getByRole('list', { name: 'Caption lines' })
  for (const [i, line] of lines.entries()) {
    await shown
      .getByRole('button', { name: /^Go to/ })
      .nth(i)
      .click()

    await shows(page, firstFrame(line), `the caption at ${line.start_ms} ms`)
  }

  await shown.locator('textarea').first().click()
  await shows(page, firstFrame(lines[0]), 'the text of the first caption')
  await page.keyboard.press('Alt+ArrowDown')
  await shows(page, firstFrame(lines[1]), 'the second caption, by a key')
})

test('the thumbnail at the pointer is whole above the timeline', async ({ page, openTab }) => {
  await openTab(/^Cuts/)
  await page.locator('canvas[data-wave-top]').hover({ position: { x: 400, y: 20 } })
  const thumbnail = page.locator('[data-hover-thumbnail]')
  await expect(thumbnail).toBeVisible()
  const clipped = () =>
    thumbnail.evaluate((e) => {
      const { top, bottom } = e.getBoundingClientRect()
      let parent = e.parentElement
      while (parent && window.getComputedStyle(parent).overflow === 'visible') parent = parent.parentElement
      const edge = parent && parent !== document.documentElement ? parent.getBoundingClientRect().top : 0
      return top < Math.max(edge, 0) || bottom - top < 60
    })

  await expect.poll(clipped).toBe(false)
  await expectToLookRight(page)
})

test('the thumbnail at the pointer leaves the play button free', async ({ page, openTab }) => {
  await page.setViewportSize({ width: 1440, height: 900 })
  await openTab(/^Cuts/)
  const play = await page.getByRole('button', { name: 'Play', exact: true }).boundingBox()
  const canvas = page.locator('canvas[data-wave-top]')
  const left = (await canvas.boundingBox())?.x ?? NaN
  const thumbnail = page.locator('[data-hover-thumbnail]')
  for (const share of [0.2, 0.8]) {
    await canvas.hover({ position: { x: (play?.x ?? NaN) + (play?.width ?? NaN) * share - left, y: 20 } })
    await expect(thumbnail).toBeVisible()
    const free = async () => {
      const [a, b] = [play, await thumbnail.boundingBox()]
      if (!a || !b) return false
      return a.x >= b.x + b.width || b.x >= a.x + a.width || a.y >= b.y + b.height || b.y >= a.y + a.height
    }

    await expect.poll(free).toBe(true)
  }
})

const FIRST = 'first.mp4'
const row = (page: Page) =>
  page.getByRole('list', { name: 'Clips', exact: true }).getByRole('listitem').filter({ hasText: FIRST })

const total = (page: Page) => page.getByTestId('total-original')
const duration = async (page: Page) => Number(await total(page).getAttribute('data-ms'))

/** What the removal of a clip changes and its restoration brings back. */
const contents = async (project: Project) => ({
  clips: (await project.clips()).map((c) => c.uuid),
  edits: (await project.edits()).length,
  captions: (await project.captions()).length,
})

/** Removes the first clip. */
async function remove(page: Page) {
  await expect(total(page)).toHaveAttribute('data-ms', /^\d{5}$/)
  const whole = await duration(page)
  await row(page).hover()
  await page.getByRole('button', { name: `Remove ${FIRST}`, exact: true }).click()
  await expect(row(page)).toHaveCount(0)
  await expect.poll(() => duration(page)).toBeLessThan(whole)
}

/** Acts as if the pointer were on each notice, which stays as long as it is. */
function keepNotices() {
  new MutationObserver(() => {
    document.querySelector('[data-sonner-toaster]')?.dispatchEvent(new MouseEvent('mouseover', { bubbles: true }))
  }).observe(document, { childList: true, subtree: true })
}

test('undo brings a removed clip back with its cuts and captions', async ({ page, openTab, project }) => {
  await page.addInitScript(keepNotices)
  await openTab(/^Clips/)
  const before = await contents(project)
  await remove(page)
  await expect.poll(async () => (await contents(project)).edits).toBe(0)
  const notice = page.getByText(`${FIRST} is in the trash`)
  await expect(notice).toBeVisible()
  await page.keyboard.press('Control+z')
  await expect(row(page)).toBeVisible()
  await expect.poll(() => contents(project)).toEqual(before)
  await expect(notice).toHaveCount(0)
  await expect.poll(() => duration(page)).toBeGreaterThan(15_000)
})

test('the player stays at its place when a clip is removed and comes back', async ({ page, openTab, project }) => {
  await openTab(/^Clips/)
  const last = Math.round((((await project.clips())[1]?.duration_ms ?? NaN) * RATE) / 1000) - 1
  await page.locator('body').click({ position: { x: 640, y: 24 } })
  await page.keyboard.press('End')
  await page.keyboard.press('Shift+ArrowLeft')
  await shows(page, last + 1 - RATE, 'a second before the end')
  await remove(page)
  await shows(page, last, 'the end of the remaining text')
  await page.keyboard.press('Control+z')
  await expect(row(page)).toBeVisible()
  await shows(page, 0, 'the start of the second clip')
})

test.describe('removed a second time', () => {
  // The clip goes while the player still loads it, if it came back a moment ago.
  test.use({ consoleErrors: ['/media/v1/', '/proxy-url'] })

  test('the history brings a removed clip back', async ({ page, openTab, project }) => {
    await openTab(/^Clips/)
    const before = await contents(project)
    await remove(page)
    await page.keyboard.press('Control+z')
    await expect(row(page)).toBeVisible()
    await page.keyboard.press('Control+Shift+z')
    await expect(row(page)).toHaveCount(0)
    await page.getByRole('button', { name: 'History', exact: true }).click()
    await expect(
      page.getByRole('list', { name: 'History' }).getByRole('button', { name: `remove “${FIRST}”` }),
    ).toBeVisible()

    await expectToLookRight(page)
    await page.getByRole('button', { name: 'Before all changes' }).click()
    await expect(row(page)).toBeVisible()
    await expect.poll(() => contents(project)).toEqual(before)
  })
})

/** Opens the trash after a reload. */
async function openTrash(page: Page) {
  await remove(page)
  await page.reload()
  await page.getByRole('tab', { name: /^Clips/ }).click()
  await page.getByText('1 item in the trash').click()
}

test('a clip can be restored from the trash', async ({ page, openTab, project }) => {
  await openTab(/^Clips/)
  const before = await contents(project)
  await openTrash(page)
  await page.getByRole('button', { name: `Restore ${FIRST}` }).click()
  await expect(row(page)).toBeVisible()
  await expect.poll(() => contents(project)).toEqual(before)
  await expect(page.getByText('in the trash')).toHaveCount(0)
})

test('the trash looks right', async ({ page, openTab }) => {
  await openTab(/^Clips/)
  await openTrash(page)
  await expect(page.getByRole('button', { name: `Restore ${FIRST}` })).toBeVisible()
  await expectToLookRight(page)
})

test('a clip that is removed before the first list of the trash arrives shows there', async ({ page, openTab }) => {
  let answer = () => {}
  const removed = new Promise<void>((resolve) => (answer = resolve))
  await page.route(
    /\/trash(\?|$)/,
    async (route) => {
      const response = await route.fetch()
      await removed
      await route.fulfill({ response }).catch(() => undefined) // the page has asked again
    },
    { times: 1 },
  )

  await openTab(/^Clips/)
  await remove(page)
  answer()
  await expect(page.getByText('1 item in the trash')).toBeVisible()
})

test('emptying the trash deletes only its items', async ({ page, openTab, project }) => {
  await openTab(/^Clips/)
  await remove(page)
  await page.getByText('1 item in the trash').click()
  await page.getByRole('button', { name: 'Empty trash', exact: true }).click()
  const question = page.getByRole('alertdialog')
  const covers = async () => {
    const [notice, dialog] = [await page.locator('[data-sonner-toast]').boundingBox(), await question.boundingBox()]
    return !notice || !dialog || (notice.x + notice.width > dialog.x && notice.y < dialog.y + dialog.height)
  }

  await expect.poll(covers, 'the notice covers the question').toBe(false)
  await question.getByRole('button', { name: 'Empty trash' }).click()
  await expect.poll(project.trash).toEqual([])
  expect((await project.clips()).map((c) => c.name)).toEqual(['second.mp4'])
})
