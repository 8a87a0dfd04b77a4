import type { Locator, Page } from '@playwright/test'
import type { Asset } from '../src/api/assets'
import { editorReady, tune } from './support/editor'
import { expect, expectToLookRight, overflows, settled, test } from './support/test'

// A laptop whose screen of 1366 x 768 pixels is zoomed.
const ZOOM = 1.5
const SCREEN = { width: Math.round(1366 / ZOOM), height: Math.round(768 / ZOOM) }

test.use({ viewport: SCREEN, deviceScaleFactor: ZOOM })

/** Attributes that say that a control is on, with their value then and otherwise. */
const STATES = [
  ['aria-pressed', 'true', 'false'],
  ['aria-selected', 'true', 'false'],
  ['aria-checked', 'true', 'false'],
  ['aria-current', 'page', null],
  ['data-state', 'on', 'off'],
  ['data-state', 'active', 'inactive'],
  ['data-state', 'checked', 'unchecked'],
] as const

/** Expects that the screen fits the window and that nothing moves, and that forced colors show which controls are on. */
async function expectUsable(page: Page) {
  await expect(page.locator('.skeleton')).toHaveCount(0)
  for (const forcedColors of ['none', 'active'] as const) {
    await page.emulateMedia({ forcedColors })
    await settled(page)
    expect(await overflows(page), `sideways scrolling, forced colors ${forcedColors}`).toEqual([])
    await expect
      .poll(() => page.evaluate(() => document.getAnimations().filter((a) => a.playState === 'running').length))
      .toBe(0)
  }

  expect(await unmarked(page), 'controls that look the same with forced colors when they are off').toEqual([])
  await page.emulateMedia({ forcedColors: 'none' })
}

/** The visible controls that are on and look the same when their state is taken away, one of each kind. */
async function unmarked(page: Page): Promise<string[]> {
  const found: string[] = []
  const kinds = new Set<string>()
  // A locator by number is another element as soon as the state of one before it changes.
  // Without its state, the panel of a tab would hide, and the dialogs of its buttons would move.
  const controls = page.locator(STATES.map(([name, value]) => `[${name}="${value}"]:not([role=tabpanel])`).join())
  for (const control of await controls.elementHandles()) {
    const kind = await control.evaluate(kindOf)
    const box = await control.boundingBox()
    if (!kind || kinds.has(kind) || !box) continue
    kinds.add(kind)
    const look = async () => {
      await settled(page)
      return (await page.screenshot({ clip: box })).toString('base64')
    }

    const before = await look()
    const restore = await control.evaluateHandle(turnOff, STATES)
    if (before === (await look())) found.push(await control.evaluate((e) => (e as Element).outerHTML.slice(0, 200)))
    await restore.evaluate((restore) => restore())
  }

  return found
}

/** The classes of a control and of all that is in it, or '' if something hides a part of it. */
function kindOf(control: Element): string {
  const { x, y, width, height, right, bottom } = control.getBoundingClientRect()
  if (width * height === 0 || x < 0 || y < 0 || right > innerWidth || bottom > innerHeight) return ''
  for (const at of [x + 1, x + width / 2, right - 1]) {
    const top = document.elementFromPoint(at, y + height / 2)
    if (!top || !(control.contains(top) || top.contains(control))) return ''
  }

  return [control, ...control.querySelectorAll('*')].map((e) => `${e.tagName}.${e.getAttribute('class')}`).join()
}

/** Takes the states from a control and all that is in it, and returns what gives them back. */
function turnOff(control: Element, states: typeof STATES) {
  const taken: [Element, string, string][] = []
  for (const part of [control, ...control.querySelectorAll('*')])
    for (const [name, on, off] of states) {
      if (part.getAttribute(name) !== on) continue
      taken.push([part, name, on])
      if (off === null) part.removeAttribute(name)
      else part.setAttribute(name, off)
    }

  return () => taken.forEach(([part, name, on]) => part.setAttribute(name, on))
}

/**
 * Presses Tab until the focus has gone once around, and returns the labels of the elements that had it. Expects that each
 * of them is in the window and shows the focus.
 */
async function walk(page: Page): Promise<string[]> {
  const start = await page.evaluateHandle(() => {
    const start = document.body.insertBefore(document.createElement('span'), document.body.firstChild)
    start.tabIndex = -1
    start.focus()
    return start
  })

  const labels: string[] = []
  const lost: string[] = []
  for (;;) {
    await page.keyboard.press('Tab')
    const at = await page.evaluate(focused)
    if (!at) break
    if (!at.marked || !at.inside) lost.push(at.html)
    labels.push(at.label)
    expect(labels.length).toBeLessThan(250)
  }

  await start.evaluate((start) => start.remove()) // now, because the editor moves the focus of an element that vanishes
  expect(lost, 'elements that do not show that they have the focus').toEqual([])
  return labels
}

function focused() {
  const e = document.activeElement
  if (!e || e === document.body) return null
  const outlined = (e: Element | null, part?: string) => {
    if (!e) return false
    const { outlineStyle, outlineWidth } = getComputedStyle(e, part)
    return outlineStyle !== 'none' && parseFloat(outlineWidth) > 0
  }

  const box = e.getBoundingClientRect()
  return {
    label: e.getAttribute('aria-label') ?? e.textContent.trim().slice(0, 40),
    // The list of tabs passes the focus on to its tab.
    marked:
      e.role === 'tablist' ||
      outlined(e) ||
      ['::after', '::before'].some((part) => outlined(e, part)) ||
      outlined(e.parentElement),
    inside: box.right > 0 && box.bottom > 0 && box.left < innerWidth && box.top < innerHeight,
    html: e.outerHTML.slice(0, 160),
  }
}

/** Expects the same of a screen that no other test looks at, and that it looks right. */
async function expectUsableAndRight(page: Page) {
  await expectUsable(page)
  await expectToLookRight(page)
}

/** Opens a dialog or menu with the keyboard, checks it and closes it. */
async function whileOpen(
  page: Page,
  role: 'dialog' | 'alertdialog' | 'menu',
  button: Locator,
  check: (page: Page) => Promise<void>,
) {
  await button.focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole(role)).toBeVisible()
  await check(page)
  await page.keyboard.press('Escape')
  await expect(page.getByRole(role)).toHaveCount(0)
  // The focus returns after the dialog is gone.
  await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).not.toBe('BODY')
}

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })

test.describe('with accounts', () => {
  // The links are invalid.
  test.use({ seed: 'accounts', consoleErrors: ['/auth/verify-email'] })

  test('the pages without a session can be used on a zoomed laptop', async ({ page, open }) => {
    for (const path of ['sign-in', 'sign-up', 'forgot-password', 'reset-password?token=x', 'verify-email?token=x']) {
      await open(`/${path}`)
      await expect(page.locator('h1, [role=alert]').first()).toBeVisible()
      await expectUsableAndRight(page)
      await walk(page)
    }
  })
})

test('the first pages can be used on a zoomed laptop', async ({ page, open, api }) => {
  await open()
  await expect(button(page, 'New project')).toBeVisible()
  await expectUsable(page)
  expect(await walk(page)).toContain('Choose files')
  await whileOpen(page, 'dialog', button(page, 'New project'), expectUsableAndRight)
  await whileOpen(page, 'menu', button(page, /^Account of/), expectUsableAndRight)
  await page.keyboard.press('Control+k')
  await expect(page.getByPlaceholder('Go to a project or page')).toBeVisible()
  await expectUsable(page)
  await open('/nowhere')
  await expect(page.getByRole('heading').first()).toBeVisible()
  await expectUsableAndRight(page)
  await open('/library')
  await expect(page.getByText('Drop images, videos and audio here')).toBeVisible()
  await expectUsable(page)
  const { uuid } = await api.ask<{ uuid: string }>('POST', '/projects/', { name: 'Empty' })
  await open(`/projects/${uuid}`)
  await expect(page.getByText('Drop your recording here')).toBeVisible()
  await expectUsableAndRight(page)
  await walk(page)
})

test('the settings can be used on a zoomed laptop', async ({ page, open }) => {
  await open('/settings/profile')
  const links = page.getByRole('navigation', { name: 'Settings' }).getByRole('link')
  await expect(links).toHaveCount(11)
  for (const title of await links.allTextContents()) {
    await links.getByText(title, { exact: true }).click()
    await expect(page.getByRole('heading', { level: 1, name: title, exact: true })).toBeVisible()
    await expectUsable(page)
    await walk(page)
  }
})

test.describe('in the editor', () => {
  test.use({ seed: 'takes' })

  test.beforeEach(async ({ page, open, server, api }) => {
    await open()
    const { items } = await api.ask<{ items: Asset[] }>('GET', '/assets/')
    const placed = { type: 'asset', asset_file_id: items[0]?.asset_file_id, start_ms: 4000, end_ms: 6000 }
    await api.ask('POST', `/projects/${server.facts['project']}/edits/`, placed)
    await open(`/projects/${server.facts['project']}`)
    await editorReady(page)
  })

  test('the tabs of the editor can be used on a zoomed laptop', async ({ page }) => {
    for (const tab of await page.getByRole('tab').all()) {
      await tab.click()
      await expect(tab).toHaveAttribute('aria-selected', 'true')
      await expectUsable(page)
    }

    expect(await walk(page)).toEqual(expect.arrayContaining(['Play', 'Export', 'History']))
  })

  test('the dialogs of the cuts can be used on a zoomed laptop', async ({ page }) => {
    await page.getByRole('tab', { name: /^Cuts/ }).click()
    await page.locator('[data-cut]').first().click()
    await whileOpen(page, 'dialog', button(page, 'History'), expectUsableAndRight)
    await whileOpen(page, 'dialog', button(page, 'Filter'), expectUsableAndRight)
    await tune(page)
    await whileOpen(page, 'dialog', button(page, 'More choices'), expectUsable)
    await whileOpen(page, 'dialog', button(page, /Change$/), expectUsableAndRight)
    await button(page, 'Order and versions').click()
    await whileOpen(page, 'dialog', page.getByRole('menuitem', { name: 'Versions' }), expectUsableAndRight)
  })

  test('the dialogs of the video can be used on a zoomed laptop', async ({ page }) => {
    await whileOpen(page, 'dialog', button(page, 'Frame and speed'), expectUsableAndRight)
    await button(page, 'Theme and shortcuts').click()
    await whileOpen(page, 'dialog', page.getByRole('menuitem', { name: /^Keyboard shortcuts/ }), expectUsableAndRight)
    await whileOpen(page, 'dialog', button(page, 'Export').first(), expectUsable)
  })
})
