import type { Locator } from '@playwright/test'
import { expect, expectToLookRight, fromListMenu, settled, test, tune } from './support/editor'
import { tabTo } from './support/keys'
import { smallTargets } from './support/targets'
import { expectNoFindings } from './support/test'

/** Whether the middle of an element is visible and nothing covers it. */
const inView = (target: Locator) =>
  target.evaluate((e) => {
    const { x, y, width, height } = e.getBoundingClientRect()
    const top = document.elementFromPoint(x + width / 2, y + height / 2)
    return top !== null && (e.contains(top) || top.contains(e))
  })

test.describe('on a phone', () => {
  test.use({ seed: 'talk', viewport: { width: 390, height: 844 }, hasTouch: true })

  test.beforeEach(async ({ page, edit }) => {
    await edit()
    await page.getByRole('tab', { name: /^Cuts/ }).tap()
  })

  test('six cuts are in view, and two of them are rejected together by touch', async ({ page, project }) => {
    const rows = page.locator('[data-cut]')
    const shown = async () => (await Promise.all((await rows.all()).map(inView))).filter(Boolean).length
    await expect.poll(shown).toBeGreaterThanOrEqual(6)
    const before = await project.activeRowCount()
    await fromListMenu(page, 'Choose several cuts')
    await rows.nth(0).tap()
    await rows.nth(1).tap()
    const bar = page.getByRole('toolbar', { name: 'Chosen cuts' })
    await expect(bar.getByText(/^2 cuts/)).toBeVisible()
    await bar.getByRole('button', { name: 'Reject' }).tap()
    await expect.poll(project.activeRowCount).toBe(before - 2)
    await bar.getByRole('button', { name: 'Choose none' }).tap()
    await expect(bar).toHaveCount(0)
  })

  test('a finger hits every target of the editor, and axe finds nothing', async ({ page }) => {
    await tune(page)
    await page.locator('[data-cut]').nth(1).tap()
    for (const tab of await page.getByRole('tab').all()) {
      await tab.tap()
      await expect(tab).toHaveAttribute('aria-selected', 'true')
      const name = (await tab.textContent()) ?? ''
      await expectNoFindings(page, name)
      expect(await smallTargets(page), `targets under 40 px: ${name}`).toEqual([])
    }

    await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1)
  })

  test('shorts are shown, renamed, exported and deleted by touch', async ({ page, project, api }) => {
    const make = (name: string, start_ms: number, aspect_ratio: string) =>
      api.ask('POST', `${project.path}/shorts/`, {
        name,
        start_ms,
        end_ms: start_ms + 5000,
        export_settings: { aspect_ratio, fit: 'crop' },
      })

    await make('Window', 10_000, '9:16')
    await make('Tripod', 17_000, '1:1')
    await page.getByRole('tab', { name: 'Exports' }).tap()
    await page.getByRole('button', { name: /^Tripod/ }).tap()
    await expect(page.getByTestId('shown-short')).toHaveText('Short: Tripod')
    await expect(page.getByTestId('position')).toHaveText(/^0:1[67]/)
    await expectNoFindings(page, 'the shorts')
    expect(await smallTargets(page), 'targets under 40 px').toEqual([])
    await page.getByRole('button', { name: 'Rename “Tripod”' }).tap()
    await page.getByRole('textbox', { name: 'Name of the short' }).fill('Stand')
    await page.keyboard.press('Enter')
    await expect.poll(async () => (await project.shorts()).map((s) => s.name)).toEqual(['Window', 'Stand'])
    await expectToLookRight(page)
    await page.getByRole('button', { name: 'Export “Window”' }).tap()
    const dialog = page.getByRole('dialog', { name: 'Export video' })
    await expect(dialog.getByLabel('Range')).toHaveValue((await project.shorts())[0]!.uuid)
    await dialog.getByRole('button', { name: 'Export', exact: true }).tap()
    await expect(page.locator('[data-export]')).toHaveCount(1)
    await page.getByRole('button', { name: 'Delete “Window”' }).tap()
    await expect.poll(async () => (await project.shorts()).map((s) => s.name)).toEqual(['Stand'])
    await page.getByRole('button', { name: /^Undo/ }).tap()
    await expect.poll(async () => (await project.shorts()).length).toBe(2)
  })

  test('the settings of the cuts fit', async ({ page }) => {
    await tune(page)
    await expect(page.getByRole('slider', { name: 'Pacing' })).toBeVisible()
    await expectToLookRight(page)
  })

  test('an export is started without scrolling', async ({ page }) => {
    await page.getByRole('button', { name: 'Export', exact: true }).first().tap()
    const start = page.getByRole('dialog').getByRole('button', { name: 'Export', exact: true })
    await expect(start).toBeVisible()
    await settled(page)
    await expect.poll(() => inView(start)).toBe(true)
  })
})

test.describe('without a mouse', () => {
  test.use({ seed: 'exported' })

  test('cuts are reviewed and a video is played, exported and downloaded', async ({ page, edit, project }) => {
    await edit()
    const active = async () => (await project.edits()).map((e) => e.active)
    const before = await active()
    await tabTo(page, page.getByRole('treegrid', { name: 'Cuts' }))
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('n')
    await expect.poll(active).not.toEqual(before)
    await page.keyboard.press('Control+z')
    await expect.poll(active).toEqual(before)
    const chosen = page.locator('[data-cut][aria-selected=true]')
    const first = (await chosen.getAttribute('data-cut')) ?? ''
    await page.keyboard.press('y') // accepts it and goes to the next cut
    await expect(chosen).not.toHaveAttribute('data-cut', first)

    await tabTo(page, page.getByRole('button', { name: 'Play', exact: true }))
    await page.keyboard.press('Space')
    await expect(page.getByRole('button', { name: 'Pause', exact: true })).toBeVisible()
    await page.keyboard.press('Space')
    await tabTo(page, page.getByRole('button', { name: 'Export', exact: true }).first())
    await page.keyboard.press('Enter')
    await tabTo(page, page.getByRole('dialog').getByRole('button', { name: 'Export', exact: true }))
    await page.keyboard.press('Enter')
    await expect(page.locator('[data-export][data-status=completed]')).toHaveCount(2)
    await tabTo(page, page.getByRole('button', { name: 'Download' }).first())
    const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')])
    expect(download.suggestedFilename()).toMatch(/\.mp4$/)
  })
})
