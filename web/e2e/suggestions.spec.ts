import type { Locator, Page } from '@playwright/test'
import { expect, expectToLookRight, test as base, tune, type Project } from './support/editor'

interface Fixtures {
  /** The open list of the three suggestions of the seed. */
  suggestions: Locator
}

const test = base.extend<Fixtures>({
  suggestions: async ({ page, edit }, provide) => {
    await edit()
    const region = page.getByRole('region', { name: 'Suggestions' })
    await region.getByRole('button', { name: '3 suggestions' }).click()
    await expect(region.getByRole('checkbox').first()).toBeVisible()
    await provide(region)
  },
})

/** Expects that some suggestions are stored, all active or none. */
const expectStored = (project: Project, count: number, active: boolean) =>
  expect
    .poll(async () => (await project.edits()).filter((e) => e.type === 'asset').map((e) => e.active))
    .toEqual(Array<boolean>(count).fill(active))

const undo = (page: Page) => page.getByRole('button', { name: /^Undo/ }).click()

test.describe('with suggestions', () => {
  test.use({ seed: 'takes' })

  test('selected suggestions and all of them are dismissed, and undo brings them back', async ({
    page,
    suggestions,
    project,
  }) => {
    await suggestions.getByRole('checkbox').first().check()
    await suggestions.getByRole('button', { name: 'Dismiss 1', exact: true }).click()
    await expectStored(project, 2, false)
    await undo(page)
    await expectStored(project, 3, false)
    await suggestions.getByRole('button', { name: 'Dismiss all', exact: true }).click()
    await expectStored(project, 0, false)
    await undo(page)
    await expectStored(project, 3, false)
  })

  test('all suggestions are accepted, and undo takes them out of the video', async ({ page, suggestions, project }) => {
    await suggestions.getByRole('button', { name: 'Accept all', exact: true }).click()
    await expectStored(project, 3, true)
    await undo(page)
    await expectStored(project, 3, false)
  })

  test('another layout of the editor keeps the selected suggestions', async ({ page, suggestions }) => {
    await suggestions.getByRole('checkbox').first().check()
    await page.setViewportSize({ width: 900, height: 1000 })
    await page.getByRole('tab', { name: /^Cuts/ }).click()
    await expect(suggestions.getByRole('checkbox').first()).toBeChecked()
    await page.setViewportSize({ width: 1280, height: 720 })
    await expect(suggestions.getByRole('checkbox').first()).toBeChecked()
  })
})

test.describe('with an analyzed talk', () => {
  test.use({ seed: 'talk' })

  test('a project cannot suggest assets while they are off for the account', async ({ page, open, edit, api }) => {
    await open('/settings/presets')
    const account = page.getByRole('switch', { name: 'Suggest assets' })
    await expect(account).toBeChecked()
    await account.click()
    await expect.poll(async () => (await api.ask<{ ai_director: boolean }>('GET', '/users/me')).ai_director).toBe(false)
    await page.reload()
    await expect(account).not.toBeChecked()
    await edit()
    await tune(page)
    await page.getByRole('button', { name: 'More choices' }).click()
    const own = page.getByRole('switch', { name: 'Suggest assets' })
    await expect(own).toBeDisabled()
    await expect(own).not.toBeChecked()
    await expect(page.getByText('Off for the whole account.')).toBeVisible()
    await expectToLookRight(page)
  })
})
