import type { Locator, Page } from '@playwright/test'
import type { components } from '../src/api/schema'
import {
  expect,
  expectToLookRight,
  filterCuts,
  fromListMenu,
  test as base,
  tune,
  word,
  type Project,
} from './support/editor'
import type { Api } from './support/test'

interface Fixtures {
  /** Opens the project of the seed and selects the cut of the first take. Returns its row. */
  showTakes: () => Promise<Locator>
}

const test = base.extend<Fixtures>({
  showTakes: async ({ page, edit, project }, provide) => {
    await provide(async () => {
      await edit()
      const uuid = (await project.edits()).find((e) => e.type === 'false_start')?.uuid
      const row = page.locator(`[data-cut="${uuid}"]`)
      await choose(row)
      await expect(page.locator('[data-take]')).toHaveCount(3)
      return row
    })
  },
})

test.use({ seed: 'takes' })

const LAPTOP = { width: 1366, height: 768 }

type Group = components['schemas']['TakeGroup']

const takes = async (api: Api, project: Project) =>
  (await api.ask<{ items: Group[] }>('GET', `${project.path}/take-groups/`)).items.flatMap((group) => group.takes)

const choose = (row: Locator) => row.click({ position: { x: 60, y: 12 } })
const result = (page: Page) => page.getByTestId('total-result')
const lastsFor = (page: Page, ms: string) => expect(result(page)).toHaveAttribute('data-ms', ms)
const length = async (page: Page) => (await result(page).getAttribute('data-ms')) ?? ''
const stored = (page: Page) => expect(page.getByTestId('saved')).toContainText('All changes saved')

/** Expects that the page and the server keep one take. */
async function expectKept(page: Page, api: Api, project: Project, number: number) {
  await expect(page.locator('[data-take][data-kept=true]')).toHaveCount(1)
  await expect(page.locator(`[data-take="${number}"]`)).toHaveAttribute('data-kept', 'true')
  const kept = async () => (await takes(api, project)).filter((take) => take.kept).map((take) => take.number)
  await expect.poll(kept).toEqual([number])
}

test('three takes are compared at once on a laptop, and an aborted one names the take that completes it', async ({
  page,
  showTakes,
}) => {
  await page.setViewportSize(LAPTOP)
  await showTakes()
  await expect(page.locator('[data-take="1"]')).toContainText('Take 2 completes it')
  await page.locator('[data-takes]').scrollIntoViewIfNeeded()
  const list = page.getByRole('treegrid', { name: 'Cuts' })
  const allShown = async () => {
    const [view, first, last] = await Promise.all(
      [list, page.locator('[data-take="1"]'), page.locator('[data-take="3"]')].map((part) => part.boundingBox()),
    )

    return view && first && last && first.y >= view.y && last.y + last.height <= view.y + view.height
  }

  await expect.poll(allShown).toBe(true)
  await expectToLookRight(page)
})

test('a digit and a click keep another take, with undo and redo', async ({ page, showTakes, api, project }) => {
  await showTakes()
  await expectKept(page, api, project, 3)
  const before = await length(page)
  const edits = (await project.edits()).length
  await page.keyboard.press('1')
  await expectKept(page, api, project, 1)
  await expect(result(page)).not.toHaveAttribute('data-ms', before)
  await page.keyboard.press('Control+z')
  await expectKept(page, api, project, 3)
  await lastsFor(page, before)
  expect(await project.edits()).toHaveLength(edits)
  await page.keyboard.press('Control+Shift+z')
  await expectKept(page, api, project, 1)
  await page.locator('[data-take="2"] button[aria-pressed]').click()
  await expectKept(page, api, project, 2)
})

test('a take stops at its end in a browser that reports no frames', async ({ page, showTakes, api, project }) => {
  await page.addInitScript(() => {
    HTMLVideoElement.prototype.requestVideoFrameCallback = () => 1 // as WebKitGTK without compositing
  })

  await showTakes()
  const end = (await takes(api, project)).find((take) => take.number === 2)?.end_ms ?? 0
  await page.keyboard.press('Shift+Digit2')
  const fromEnd = () =>
    page.getByTestId('position').evaluate((e, end) => {
      const [minutes, seconds] = (e.textContent ?? '').split(':').map(Number)
      return Math.abs(60_000 * (minutes ?? NaN) + 1000 * (seconds ?? NaN) - end)
    }, end)

  await expect.poll(fromEnd).toBeLessThan(60)
  await expect(page.getByRole('button', { name: 'Play', exact: true })).toBeVisible()
})

test('U mutes the selected cut, whose words stay readable', async ({ page, showTakes, project }) => {
  const row = await showTakes()
  const uuid = await row.getAttribute('data-cut')
  const action = async () => (await project.edits()).find((e) => e.uuid === uuid)?.action
  const before = await length(page)
  await page.keyboard.press('u')
  await expect.poll(action).toBe('mute')
  await expect.poll(async () => Number(await length(page))).toBeGreaterThan(Number(before))
  await expect(word(page, 'today')).toHaveClass(/word-muted/)
  await expect(word(page, 'today')).not.toHaveClass(/removed-text/)
  await expectToLookRight(page)
  await page.keyboard.press('Control+z')
  await expect.poll(action).toBe('cut')
  await lastsFor(page, before)
})

test('the menu of a cut mutes it', async ({ page, showTakes }) => {
  const row = await showTakes()
  await row.click({ button: 'right', position: { x: 60, y: 12 } })
  const item = page.getByRole('menuitem', { name: /Mute instead of cut/ })
  await expect(item).toBeVisible()
  await item.click()
  await expect(row).toHaveAttribute('data-action', 'mute')
  await stored(page)
})

test('a review of the cuts below 75 % visits only these', async ({ page, edit, project }) => {
  await edit()
  const doubtful = (await project.rows()).filter((e) => e.confidence !== null && Math.round(e.confidence * 100) < 75)
  expect(doubtful.length).toBeGreaterThanOrEqual(2)
  await filterCuts(page, /below 75/)
  await expect(page.locator('[data-cut]')).toHaveCount(doubtful.length)
  await page.getByRole('treegrid', { name: 'Cuts' }).focus()
  for (const { uuid } of doubtful) {
    await page.keyboard.press('ArrowDown')
    await expect(page.locator('[data-cut][aria-selected=true]')).toHaveAttribute('data-cut', uuid)
  }
})

test('open suggestions leave six cuts in view on a laptop', async ({ page, edit, project }) => {
  await page.setViewportSize(LAPTOP)
  await edit()
  await page.getByRole('button', { name: '3 suggestions' }).click()
  await expect(page.locator('[data-suggestion]')).toHaveCount(3)
  const cuts = (await project.rows()).length
  const shown = () =>
    page.getByRole('treegrid', { name: 'Cuts' }).evaluate((grid) => {
      const end = grid.getBoundingClientRect().bottom + 1
      return [...grid.querySelectorAll('[data-cut]')].filter((row) => row.getBoundingClientRect().bottom <= end).length
    })

  await expect.poll(shown).toBeGreaterThanOrEqual(Math.min(6, cuts))
})

test('a suggestion is in the video once it is accepted, and another pacing keeps it', async ({
  page,
  edit,
  project,
}) => {
  await edit()
  const active = async () => (await project.edits()).filter((e) => e.type === 'asset' && e.active).length
  const rows = page.locator('[data-suggestion]')
  await page.getByRole('button', { name: '3 suggestions' }).click()
  await expect(rows).toHaveCount(3)
  await expect(rows.first().getByText('welcome back')).toBeVisible()
  await expectToLookRight(page)
  expect(await active()).toBe(0)
  await rows.first().getByRole('button', { name: 'Accept lamp.png' }).click()
  await expect(rows).toHaveCount(2)
  await rows.first().getByRole('checkbox').check()
  await page.getByRole('button', { name: 'Accept 1', exact: true }).click()
  await page.getByRole('button', { name: '1 suggestion', exact: true }).click() // a low window shows the settings again
  await expect.poll(active).toBe(2)
  await tune(page)
  await page.getByRole('slider', { name: 'Pacing' }).press('ArrowRight')
  await expect(page.getByRole('button', { name: 'Undo change settings' })).toBeEnabled()
  await stored(page)
  expect(await active()).toBe(2)
})

test('breaths can be kept, and undo removes them again', async ({ page, edit }) => {
  await edit()
  await tune(page)
  await page.getByRole('button', { name: 'More choices' }).click()
  const sent = page.waitForRequest(
    (r) => r.url().endsWith('/replan') && !(r.postDataJSON() as { dry_run?: boolean }).dry_run,
  )

  await page.getByRole('group', { name: 'Breaths' }).getByRole('radio', { name: 'Keep' }).click()
  expect((await sent).postDataJSON()).toMatchObject({ breaths: 'keep', background: 'remove' })
  await expect(page.getByRole('button', { name: 'More choices (1)' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Undo change settings' })).toBeEnabled()
  await page.keyboard.press('Control+z')
  await expect(page.getByRole('button', { name: 'More choices', exact: true })).toBeVisible()
  await stored(page)
})

test('the settings show an undo that comes before the runs are loaded again', async ({ page, edit }) => {
  await edit()
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  await tune(page)
  await page.getByRole('button', { name: 'More choices' }).click()
  const keep = page.getByRole('group', { name: 'Breaths' }).getByRole('radio', { name: 'Keep' })
  await expect(keep).toBeVisible() // the runs are loaded for the first time
  await page.route(/\/analysis-runs(\?|$)/, (route) => held.then(() => route.continue()))
  await keep.click()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'More choices (1)' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Undo change settings' })).toBeEnabled()
  await stored(page)
  await page.keyboard.press('Control+z')
  await expect(page.getByRole('button', { name: 'Redo change settings' })).toBeEnabled()
  await stored(page)
  release()
  await expect(page.getByRole('button', { name: 'More choices', exact: true })).toBeVisible()
})

test('a project can go without suggested assets', async ({ page, edit, project, api }) => {
  await edit()
  await tune(page)
  await page.getByRole('button', { name: 'More choices' }).click()
  const director = async () => (await api.ask<{ ai_director: boolean }>('GET', project.path)).ai_director
  const control = page.getByRole('switch', { name: 'Suggest assets' })
  for (const on of [false, true]) {
    await control.click()
    await expect(control).toHaveAttribute('aria-checked', `${on}`)
    await expect.poll(director).toBe(on)
  }
})

test('the history undoes changes after a reload, and redo repeats what another device has undone', async ({
  page,
  edit,
  project,
  api,
}) => {
  await edit()
  const before = await project.activeCutCount()
  const silences = (await project.activeCuts()).filter((e) => e.type === 'silence')
  for (const [i, { uuid }] of silences.slice(0, 2).entries()) {
    await choose(page.locator(`[data-cut="${uuid}"]`))
    await page.keyboard.press('n')
    await expect.poll(project.activeCutCount).toBe(before - i - 1)
  }

  await page.reload()
  await expect(page.getByRole('button', { name: 'Undo reject cut' })).toBeEnabled()
  await page.getByRole('button', { name: 'History' }).click()
  const list = page.getByRole('list', { name: 'History' })
  await list
    .getByRole('button', { name: /^reject cut/ })
    .nth(1)
    .click()

  await expect(list.getByRole('button', { name: /^reject cut undone/ })).toBeVisible()
  await expect.poll(project.activeCutCount).toBe(before - 1)
  await api.ask('POST', `${project.path}/edit-history/undo`) // another device
  await page.reload()
  await page.getByRole('button', { name: 'Redo reject cut' }).click()
  await expect.poll(project.activeCutCount).toBe(before - 1)
})

test('a rejected cut stays rejected when the cuts are found again, and undo restores the former run', async ({
  page,
  edit,
  project,
  api,
}) => {
  await edit()
  const active = async () => (await api.ask<{ active_run_id: string }>('GET', project.path)).active_run_id
  const former = await active()
  const cut = (await project.activeCuts()).find((e) => e.type === 'silence')
  const same = async () => (await project.edits()).find((e) => e.start_ms === cut?.start_ms && e.end_ms === cut.end_ms)
  await choose(page.locator(`[data-cut="${cut?.uuid}"]`))
  await page.keyboard.press('n')
  await expect.poll(same).toMatchObject({ active: false })
  await fromListMenu(page, 'Analyze again…')
  const question = page.getByRole('dialog', { name: 'Analyze again' })
  await question.getByRole('button', { name: 'Find cuts' }).click()
  await expect.poll(active).not.toBe(former)
  expect(await same()).toMatchObject({ active: false })
  expect((await same())?.uuid).not.toBe(cut?.uuid)
  await page.getByRole('button', { name: 'Undo analyze again' }).click()
  await expect.poll(active).toBe(former)
  await expect(page.locator(`[data-cut="${cut?.uuid}"]`)).toHaveAttribute('data-active', 'false')
})
