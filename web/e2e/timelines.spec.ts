import { readFile } from 'node:fs/promises'
import type { Locator, Page } from '@playwright/test'
import { clipLoads, expect, expectToLookRight, file, test as base, type Project } from './support/editor'

interface Fixtures {
  /** Opens the timelines for other editors. Returns the dialog. */
  openTimelines: () => Promise<Locator>
}

const test = base.extend<Fixtures>({
  openTimelines: async ({ page, edit }, provide) => {
    await provide(async () => {
      await edit()
      await page.getByRole('button', { name: 'Kinds of exports' }).click()
      await page.getByRole('menuitem', { name: 'Timeline & text…' }).click()
      return page.getByRole('dialog', { name: 'Timeline & text' })
    })
  },
})

/** The frames per second of the clips of the seed. */
const RATE = 25

interface Part {
  source_range: { start_time: { value: number }; duration: { value: number } }
}

/** The parts of an OpenTimelineIO file that the tests change. */
interface Timeline {
  tracks: { children: { children: Part[] }[] }
}

async function downloaded(page: Page, button: Locator) {
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()])
  return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'latin1') }
}

const names = (project: Project) => async () => (await project.clips()).map((clip) => clip.name)

/** Downloads the timeline, opens it with each track changed, and returns the difference that the dialog shows. */
async function openChanged(page: Page, dialog: Locator, change: (parts: Part[]) => void) {
  const otio = dialog.locator('[data-format=otio]')
  const { name, text } = await downloaded(
    page,
    otio.getByRole('button', { name: 'Download OpenTimelineIO', exact: true }),
  )

  const timeline = JSON.parse(Buffer.from(text, 'latin1').toString()) as Timeline
  for (const track of timeline.tracks.children) change(track.children)
  await dialog
    .getByLabel('Changed timeline')
    .setInputFiles({ name, mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(timeline)) })

  const difference = dialog.getByTestId('timeline-difference')
  await expect(difference).toHaveAttribute('data-changes', '1')
  return difference
}

async function applyDifference(page: Page, difference: Locator) {
  await difference.getByRole('button', { name: 'Apply 1 change' }).click()
  await expect(difference).toHaveCount(0)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
}

test.describe('two clips', () => {
  test.use({ seed: 'numbers' })

  test('an archive for another editor has the constant-rate copy of a clip in its place', async ({
    page,
    openTimelines,
    open,
    project,
  }) => {
    await open(project.path)
    await page.getByRole('tab', { name: /^Clips/ }).click()
    await page.locator('input[type=file][accept*="video"]').first().setInputFiles(file('variable.mp4'))
    const states = async () => (await project.clips()).map((clip) => clip.status)
    await expect.poll(states).toEqual(['ready', 'ready', 'ready'])
    const dialog = await openTimelines()
    const list = dialog.getByTestId('variable-rates')
    await expect(list.locator('li')).toHaveCount(1)
    await expect(list.locator('li')).toContainText('variable.mp4')
    await expectToLookRight(page)
    await list.getByRole('button', { name: 'Make constant-rate copy' }).click()
    await expect(list.locator('[data-copy=ready]')).toBeVisible()
    const bundle = dialog.locator('[data-format=otio]').getByRole('button', { name: /with media/ })
    const copied = await downloaded(page, bundle)
    expect(copied.text).toContain('media/first.mp4')
    expect(copied.text).toContain('media/variable constant rate.mp4')
    expect(copied.text).not.toContain('media/variable.mp4')
    await list.getByRole('button', { name: /^Delete the copy/ }).click()
    await expect(list.locator('[data-copy=none]')).toBeVisible()
    expect((await downloaded(page, bundle)).text).toContain('media/variable.mp4')
  })

  test('a timeline of a range has its footage only, and typing faults hold downloads back', async ({
    page,
    openTimelines,
  }) => {
    const dialog = await openTimelines()
    const otio = dialog.locator('[data-format=otio]')
    const download = otio.getByRole('button', { name: 'Download OpenTimelineIO', exact: true })
    await dialog.getByLabel('Range').selectOption('From–to…')
    await dialog.getByLabel('From', { exact: true }).fill('0:02')
    await dialog.getByLabel('To', { exact: true }).fill('0:01')
    await expect(dialog.getByText('Type a time after “From”.')).toBeVisible()
    await expect(download).toBeDisabled()
    await expectToLookRight(page)
    await dialog.getByLabel('To', { exact: true }).fill('0:04')
    const timeline = JSON.parse((await downloaded(page, download)).text) as Timeline
    const frames = timeline.tracks.children[0]?.children.reduce((sum, p) => sum + p.source_range.duration.value, 0) ?? 0
    expect(frames / RATE).toBeGreaterThan(0.5)
    expect(frames / RATE).toBeLessThanOrEqual(2)
  })

  test('a timeline with the clips in another order is applied, and one step undoes it', async ({
    page,
    openTimelines,
    project,
  }) => {
    const dialog = await openTimelines()
    const difference = await openChanged(page, dialog, (parts) => parts.unshift(...parts.splice(-1)))
    await expect(difference.locator('li')).toHaveText('New order of clipssecond.mp4, first.mp4')
    await expectToLookRight(page)
    await applyDifference(page, difference)
    await expect.poll(names(project)).toEqual(['second.mp4', 'first.mp4'])
    await page.keyboard.press('Control+z')
    await expect.poll(names(project)).toEqual(['first.mp4', 'second.mp4'])
  })

  test('a timeline that plays a clip out of order adds a duplicate, with undo and redo', async ({
    page,
    openTimelines,
    project,
  }) => {
    const loaded = clipLoads(page, project)
    const dialog = await openTimelines()
    const difference = await openChanged(page, dialog, (parts) => {
      const [last] = parts.slice(-1)
      if (!last) throw new Error('the track is empty')
      const late = structuredClone(last)
      const half = Math.floor(late.source_range.duration.value / 2)
      late.source_range.start_time.value += half
      late.source_range.duration.value -= half
      last.source_range.duration.value = half
      parts.splice(-1, 0, late)
    })

    await expect(difference.locator('li')).toContainText(/New order of parts.*adds 1 duplicate/)
    await applyDifference(page, difference)
    const three = ['first.mp4', 'second.mp4', 'second.mp4']
    await expect.poll(names(project)).toEqual(three)
    await page.getByRole('tab', { name: /^Clips/ }).click()
    await expect(page.locator('[data-clip]')).toHaveCount(3)
    await loaded()
    await page.keyboard.press('Control+z')
    await expect.poll(names(project)).toEqual(['first.mp4', 'second.mp4'])
    await page.keyboard.press('Control+Shift+z')
    await expect.poll(names(project)).toEqual(three)
  })
})

test.describe('an analyzed clip', () => {
  test.use({ seed: 'talk' })

  test('the menu and Control and D duplicate it, and only a new recording needs another analysis', async ({
    page,
    edit,
    project,
  }) => {
    const loaded = clipLoads(page, project)
    await edit()
    await page.getByRole('tab', { name: /^Clips/ }).click()
    const clips = page.locator('[data-clip]')
    const notAnalyzed = page.getByText('The clips or their audio have changed since the analysis.')
    const shows = async (n: number) => {
      await expect(clips).toHaveCount(n)
      await expect.poll(async () => (await project.clips()).length).toBe(n)
      await expect(notAnalyzed).toHaveCount(0)
    }

    await clips.first().click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Duplicate' }).click()
    await shows(2)
    await expect(clips.nth(1)).toContainText('duplicate')
    await clips.first().getByRole('button').first().focus()
    await page.keyboard.press('Control+d')
    await shows(3)
    await loaded()
    await page.keyboard.press('Control+z')
    await shows(2)
    await page.locator('input[type=file][accept*="video"]').first().setInputFiles(file('tiny.mp4'))
    await expect(notAnalyzed).toBeVisible()
  })
})
