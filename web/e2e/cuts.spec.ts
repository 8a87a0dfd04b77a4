import type { Page } from '@playwright/test'
import { expect, expectToLookRight, filterCuts, fromListMenu, placeOnTimeline, test, tune } from './support/editor'

test.use({ seed: 'talk' })

const LAPTOP = { width: 1366, height: 768 }
const ZOOMED_LAPTOP = { width: 911, height: 512 } // at 150 %
const PHONE = { width: 390, height: 844 }

/** Counts the controls in view that the keyboard reaches outside the rows of lists: tab stops, and the tabs of panes. */
const controlsInView = (page: Page) =>
  page.evaluate(() => {
    const controls = [
      ...document.querySelectorAll<HTMLElement>('a[href], button, input, select, [tabindex], [role=tab]'),
    ]

    return controls.filter((e) => {
      const { width, height, top, left, bottom, right } = e.getBoundingClientRect()
      const shown = width > 0 && height > 0 && bottom > 0 && right > 0 && top < innerHeight && left < innerWidth
      const stops = e.role === 'tab' || (e.tabIndex >= 0 && e.role !== 'tablist')
      return shown && stops && !e.matches(':disabled') && !e.closest('[inert], [role=row]')
    }).length
  })

test('a zoomed laptop keeps a list of cuts that can be read', async ({ page, edit }) => {
  await page.setViewportSize(ZOOMED_LAPTOP)
  await edit()
  await page.getByRole('tab', { name: /^Cuts/ }).click()
  const list = page.getByRole('treegrid', { name: 'Cuts' })
  await list.scrollIntoViewIfNeeded()
  await expect.poll(async () => (await list.boundingBox())?.height).toBeGreaterThanOrEqual(90)
})

test('N rejects both chosen cuts as one step', async ({ page, edit, project }) => {
  await edit()
  const rows = page.locator('[data-cut]')
  await rows.nth(0).click()
  await rows.nth(2).click({ modifiers: ['Control'], position: { x: 60, y: 10 } })
  const before = (await project.activeCuts()).length
  const bar = page.getByRole('toolbar', { name: 'Chosen cuts' })
  await expect(bar.getByText(/^2 cuts, /)).toBeVisible()
  await expectToLookRight(page)
  await page.keyboard.press('n')
  await expect.poll(project.activeCutCount).toBe(before - 2)
  await page.keyboard.press('Control+z')
  await expect.poll(project.activeCutCount).toBe(before)
})

test('Control and A choose all cuts', async ({ page, edit, project }) => {
  await edit()
  await page.getByRole('treegrid', { name: 'Cuts' }).focus()
  await page.keyboard.press('Control+a')
  await expect(page.getByText(new RegExp(`^${(await project.rows()).length} cuts, `))).toBeVisible()
})

test('the bar below the cuts shows its whole text', async ({ page, edit }) => {
  await page.setViewportSize(LAPTOP)
  await edit()
  const bar = page.getByRole('toolbar', { name: 'Chosen cuts' })
  const hidden = () => bar.getByRole('status').evaluate((e) => e.scrollWidth - e.clientWidth)
  await fromListMenu(page, 'Choose several cuts')
  await expect(bar.getByText('Choose cuts in the list')).toBeVisible()
  await expect.poll(hidden).toBe(0)
  await bar.getByRole('button', { name: 'All' }).click()
  await expect(bar.getByText(/^\d+ cuts$/)).toBeVisible()
  await expect.poll(hidden).toBe(0)
  await bar.getByRole('button', { name: 'Choose none' }).click()
  await expect(bar.getByText(/^\d+ cuts$/)).toHaveCount(0)
})

test('the hint below the cuts goes after the first decision, on every device', async ({ page, edit, api, project }) => {
  await page.setViewportSize({ width: 1440, height: 900 })
  await edit()
  const hint = page.getByText('go through')
  await expect(hint).toBeVisible()
  await page.locator('[data-cut]').first().click()
  await page.keyboard.press('n')
  await expect(hint).toHaveCount(0)
  await expect.poll(() => api.ask('GET', '/users/me/settings')).toMatchObject({ hints: ['review'] })
  await edit(project.uuid)
  await expect(hint).toHaveCount(0)
})

test('the list is limited to short cuts', async ({ page, edit, project }) => {
  await edit()
  await filterCuts(page, '< 0.5 s')
  const short = (await project.rows()).filter((cut) => cut.end_ms - cut.start_ms < 500)
  expect(short).not.toHaveLength(0)
  await expect(page.locator('[data-cut]')).toHaveCount(short.length)
  await page.getByRole('button', { name: 'Filter' }).click()
  await page.getByRole('button', { name: 'Show all cuts' }).click()
  await expect.poll(() => page.locator('[data-cut]').count()).toBeGreaterThan(short.length)
})

test('the first tap on Reject shows a cut, and the second one rejects it', async ({ page, edit, project }) => {
  await page.setViewportSize(PHONE)
  await edit()
  await page.getByRole('tab', { name: /^Cuts/ }).click()
  const chosen = page.locator('[data-cut][aria-selected=true]')
  await expect(chosen).toHaveCount(0)
  const before = (await project.activeCuts()).length
  const reject = page.getByRole('toolbar', { name: 'Cuts to review' }).getByRole('button', { name: 'Reject' })
  await reject.click()
  await expect(chosen).toHaveAttribute('data-active', 'true')
  await reject.click()
  await expect.poll(project.activeCutCount).toBe(before - 1)
  await page.keyboard.press('Control+z')
  await expect.poll(project.activeCutCount).toBe(before)
})

test('in a low window of a phone, the bar of the cuts is whole', async ({ page, edit }) => {
  await page.setViewportSize({ width: 390, height: 400 })
  await edit()
  await page.getByRole('tab', { name: /^Cuts/ }).click()
  const accept = page.getByRole('toolbar', { name: 'Cuts to review' }).getByRole('button', { name: 'Accept' })
  await expect(accept).toBeInViewport({ ratio: 1 })
})

test.describe('on a small touch screen', () => {
  test.use({ hasTouch: true })

  test('the buttons of a selected cut are whole', async ({ page, edit }) => {
    await edit()
    await page.locator('[data-cut]').first().click()
    const mute = page.getByRole('row', { selected: true }).getByRole('button', { name: 'Mute instead' })
    await expect(mute).toBeInViewport({ ratio: 1 })
  })
})

test('the sliders wait for the settings of the run', async ({ page, edit }) => {
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  await page.route(/\/analysis-runs(\?|$)/, (route) => held.then(() => route.continue()))
  await edit()
  await expect(page.locator('[data-cut]').first()).toBeVisible()
  const pacing = page.getByRole('slider', { name: 'Pacing' })
  await expect(page.getByRole('button', { name: /^Pacing/ })).toHaveCount(0)
  release()
  await tune(page)
  await expect(pacing).toHaveAttribute('aria-valuenow', '60')
})

test('several steps of a slider by keyboard are one change', async ({ page, edit }) => {
  await page.clock.install()
  await edit()
  await tune(page)
  const pacing = page.getByRole('slider', { name: 'Pacing' })
  const from = Number(await pacing.getAttribute('aria-valuenow'))
  let saves = 0
  page.on('request', (request) => {
    if (request.url().endsWith('/replan') && !request.postData()?.includes('"dry_run":true')) saves++
  })

  await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 60_000)
  await pacing.focus()
  for (let i = 0; i < 6; i++) await page.keyboard.press('ArrowRight')
  await expect(pacing).toHaveAttribute('aria-valuenow', `${from + 6}`)
  expect(saves).toBe(0)
  await page.clock.resume()
  await expect(page.getByRole('button', { name: /^Undo/ })).toBeEnabled()
  await expect(page.getByTestId('saved')).toContainText('All changes saved')
  await expect(pacing).toHaveAttribute('aria-valuenow', `${from + 6}`)
  expect(saves).toBe(1)
  await page.keyboard.press('Control+z')
  await expect(pacing).toHaveAttribute('aria-valuenow', `${from}`)
})

test('Space plays after a click on another button', async ({ page, edit }) => {
  await edit()
  await page.getByRole('button', { name: 'Split at playhead' }).click()
  await page.keyboard.press('Space')
  await expect(page.getByRole('button', { name: 'Pause', exact: true })).toBeVisible()
  await page.keyboard.press('Space')
  await expect(page.getByRole('button', { name: 'Play', exact: true })).toBeVisible()
})

test('all silences are rejected and accepted while the video plays backward', async ({ page, edit }) => {
  await edit()
  const at = await placeOnTimeline(page, 20_000)
  await page.mouse.click(at.x, at.ruler)
  await page.keyboard.press('j')
  await expect(page.getByRole('button', { name: 'Pause', exact: true })).toBeVisible()
  const silences = page.getByRole('switch', { name: /^Silences/ })
  for (const on of ['false', 'true']) {
    await silences.click()
    await expect(silences).toHaveAttribute('aria-checked', on)
  }

  await page.keyboard.press('k')
  await expect(page.getByRole('button', { name: 'Play', exact: true })).toBeVisible()
  await expect(page.getByTestId('saved')).toContainText('All changes saved')
})

test.describe('with cuts of five kinds', () => {
  test.use({ seed: 'garden' })

  for (const [name, size, least] of [
    ['a large window', { width: 1440, height: 900 }, 9],
    ['a laptop', LAPTOP, 8],
  ] as const)
    test(`${name} shows ${least} cuts with reason, length and switch, and at most 36 controls`, async ({
      page,
      edit,
    }) => {
      await page.setViewportSize(size)
      await edit()
      await expect(page.getByRole('group', { name: 'Kinds of cuts' }).getByRole('switch')).toHaveCount(5)
      const rows = () =>
        page.getByRole('treegrid', { name: 'Cuts' }).evaluate((grid) => {
          const end = grid.getBoundingClientRect().bottom + 1
          const boxes = [...grid.querySelectorAll('[data-cut]')].map((row) => row.getBoundingClientRect())
          return boxes.filter((box) => box.height >= 32 && box.bottom <= end).length
        })

      await expect.poll(rows).toBeGreaterThanOrEqual(least)
      expect(await controlsInView(page)).toBeLessThanOrEqual(36)
      await expectToLookRight(page)
    })

  test('a filter leaves no hidden cut among the chosen ones', async ({ page, edit, project }) => {
    await edit()
    const bar = page.getByRole('toolbar', { name: 'Chosen cuts' })
    await fromListMenu(page, 'Choose several cuts')
    await bar.getByRole('button', { name: 'All' }).click()
    const all = (await project.rows()).length
    await expect(bar.getByText(`${all} cuts`)).toBeVisible()
    await filterCuts(page, '< 0.25 s')
    await expect(bar.getByText('Choose cuts in the list')).toBeVisible()
    await expect(page.getByRole('treegrid', { name: 'Cuts' })).toHaveAttribute('aria-rowcount', `${all - 1}`)
  })

  test('a list without a match can show all cuts again', async ({ page, edit }) => {
    await edit()
    const grid = page.getByRole('treegrid', { name: 'Cuts' })
    await expect(grid).toHaveAttribute('aria-rowcount', /[1-9]/)
    const all = (await grid.getAttribute('aria-rowcount')) ?? ''
    await filterCuts(page, '< 0.25 s', /below 50%/)
    await expect(page.getByText('No cut matches the filter.')).toBeVisible()
    await expectToLookRight(page)
    await page.getByRole('button', { name: 'Show all cuts' }).click()
    await expect(grid).toHaveAttribute('aria-rowcount', all)
    await expect(page.getByRole('button', { name: 'Filter' })).toHaveAttribute('aria-pressed', 'false')
  })
})
