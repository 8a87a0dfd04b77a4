// Visits every screen at 150 % zoom of a 1366×768 window, in both color schemes and with forced colors, and goes through the
// main screens by keyboard. If a step fails, the script prints the reasons and exits with 1.
//
// Environment:
//   BASE_URL  address of a server in single-user mode
//   SESSION   session cookie as name=value
//   PROJECT   uuid of a project with cuts, captions and a placed asset
//   EMPTY     uuid of a project without clips
//   TEAM_URL  address of a server with accounts
//   OUT_DIR   folder for screenshots; no screenshots if empty
import { join } from 'node:path'
import { accessible, check, enter, fits, page, run, settled } from './browser.mjs'

const {
  BASE_URL: base,
  SESSION: session,
  PROJECT: project,
  EMPTY: empty,
  TEAM_URL: team,
  OUT_DIR: outDir,
} = process.env
const ZOOM = 1.5
const wrong = []
const MODES = [
  { name: 'light', media: { colorScheme: 'light', forcedColors: 'none' } },
  { name: 'dark', media: { colorScheme: 'dark', forcedColors: 'none' } },
  { name: 'forced', media: { colorScheme: 'dark', forcedColors: 'active' } },
]

async function see(name) {
  for (const mode of MODES) {
    await page.emulateMedia({ reducedMotion: 'reduce', ...mode.media })
    await settled()
    if (mode.name !== 'forced') await accessible(`${name}, ${mode.name}`)
    await fits(`${name}, ${mode.name}`)
    const moving = await page.evaluate(() => document.getAnimations().filter((a) => a.playState === 'running').length)
    if (moving > 0) wrong.push(`${name}, ${mode.name}: ${moving} animations run with reduced motion`)
    if (mode.name === 'forced') await marks(name)
    if (outDir) await page.screenshot({ path: join(outDir, `screens-${name}-${mode.name}.png`), scale: 'css' })
  }
  await page.emulateMedia({ reducedMotion: 'reduce', colorScheme: 'dark', forcedColors: 'none' })
}

// States of controls: the attribute, its value when on, and its value when off.
const STATES = [
  ['aria-pressed', 'true', 'false'],
  ['aria-selected', 'true', 'false'],
  ['aria-checked', 'true', 'false'],
  ['aria-current', 'page', null],
  ['data-state', 'on', 'off'],
  ['data-state', 'active', 'inactive'],
  ['data-state', 'checked', 'unchecked'],
]

// marks checks that forced colors show which controls are on: each of them, and the parts in it, must look different when its
// state is taken away.
async function marks(name) {
  const on = await page.$$(STATES.map(([attribute, value]) => `[${attribute}="${value}"]`).join())
  for (const control of on) {
    const box = await control.boundingBox()
    const size = page.viewportSize()
    if (!box || box.width * box.height === 0 || box.x < 0 || box.y < 0) continue
    if (box.x + box.width > size.width || box.y + box.height > size.height) continue
    const shown = await control.evaluate((e) => {
      const { x, y, width, height } = e.getBoundingClientRect()
      const top = document.elementFromPoint(x + width / 2, y + height / 2)
      return top !== null && (e.contains(top) || top.contains(e))
    })
    if (!shown) continue
    const look = async () => {
      await settled()
      return (await page.screenshot({ clip: box })).toString('base64')
    }
    const before = await look()
    const html = await control.evaluate((e, states) => {
      const html = e.outerHTML.slice(0, 200)
      const all = [e, ...e.querySelectorAll('*')]
      window.taken = []
      for (const part of all)
        for (const [attribute, value, off] of states) {
          if (part.getAttribute(attribute) !== value) continue
          window.taken.push([part, attribute, value])
          if (off === null) part.removeAttribute(attribute)
          else part.setAttribute(attribute, off)
        }
      return html
    }, STATES)
    const after = await look()
    await page.evaluate(() => window.taken.forEach(([part, attribute, value]) => part.setAttribute(attribute, value)))
    if (before === after) wrong.push(`${name}: with forced colors nothing marks ${html}`)
  }
}

// stops presses Tab until the focus has gone once around, and returns the name of each focused element. Each of them must be
// visible and show that it has the focus.
async function stops(name) {
  await page.evaluate(() => {
    const start = document.body.insertBefore(document.createElement('span'), document.body.firstChild)
    start.tabIndex = -1
    start.focus()
    start.remove()
  })
  const names = []
  for (let i = 0; i < 250; i++) {
    await page.keyboard.press('Tab')
    const at = await page.evaluate(() => {
      const e = document.activeElement
      if (!e || e === document.body) return null
      const outlined = (e, part) => {
        const { outlineStyle, outlineWidth } = window.getComputedStyle(e, part)
        return outlineStyle !== 'none' && parseFloat(outlineWidth) > 0
      }
      const box = e.getBoundingClientRect()
      return {
        label: e.getAttribute('aria-label') ?? e.textContent.trim().slice(0, 40) ?? e.tagName,
        // The list of tabs passes the focus on to its tab.
        marked:
          e.role === 'tablist' ||
          outlined(e) ||
          outlined(e, '::after') ||
          outlined(e, '::before') ||
          outlined(e.parentElement),
        inside: box.right > 0 && box.bottom > 0 && box.left < window.innerWidth && box.top < window.innerHeight,
        html: e.outerHTML.slice(0, 160),
      }
    })
    if (!at) return names
    if (!at.marked) wrong.push(`${name}: the focus is invisible on ${at.html}`)
    if (!at.inside) wrong.push(`${name}: the focus is outside of the window on ${at.html}`)
    names.push(at.label)
  }
  return names
}

// The pages of a server with accounts that need no session. The links are invalid.
const SIGNED_OUT = ['sign-in', 'sign-up', 'forgot-password', 'reset-password?token=x', 'verify-email?token=x']

async function signedOut() {
  for (const path of SIGNED_OUT) {
    await page.goto(`${team}/${path}`)
    await page.locator('h1, [role=alert]').first().waitFor()
    await page.waitForLoadState('networkidle')
    const name = path.split('?')[0]
    await see(name)
    await stops(name)
  }
}

// opened sees a dialog or menu, whose button is pressed by keyboard, and closes it.
async function opened(name, role, button) {
  await button.focus()
  await page.keyboard.press('Enter')
  const box = page.getByRole(role).last()
  await box.waitFor()
  await see(name)
  await page.keyboard.press('Escape')
  await box.waitFor({ state: 'detached' })
}

const SETTINGS = [
  'profile',
  'security',
  'plan',
  'presets',
  'words',
  'models',
  'storage',
  'appearance',
  'help',
  'people',
  'mail',
  'server',
]

await run(
  async () => {
    await signedOut()
    await enter(base, session)
    await page.goto(`${base}/nowhere`)
    await page.getByRole('heading').first().waitFor()
    await see('not-found')
    await page.goto(base)
    await page.getByRole('button', { name: 'New project' }).waitFor()
    await see('projects')
    check((await stops('projects')).includes('Choose files'), 'Tab does not reach the button that adds files')
    await opened('new-project', 'dialog', page.getByRole('button', { name: 'New project' }))
    await opened('account-menu', 'menu', page.getByRole('button', { name: /^Account of/ }))
    await page.keyboard.press('Control+k')
    await page.getByPlaceholder('Go to a project or page').waitFor()
    await see('palette')
    await page.keyboard.press('Escape')
    await page.goto(`${base}/projects/${empty}`)
    await page.getByText('Drop your recording here').waitFor()
    await see('empty-project')
    await stops('empty-project')
    await page.goto(`${base}/library`)
    await page.getByRole('button', { name: 'New group' }).first().waitFor()
    await see('library')
    for (const name of SETTINGS) {
      await page.goto(`${base}/settings/${name}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.waitForLoadState('networkidle')
      await see(`settings-${name}`)
      await stops(name)
    }
    await page.goto(`${base}/projects/${project}`)
    await page.locator('canvas[data-wave-top]').waitFor()
    for (const tab of await page.getByRole('tab').allTextContents()) {
      await page.getByRole('tab', { name: tab }).click()
      if (tab.startsWith('Cuts')) await page.locator('[data-cut]').first().click()
      await see(`editor-${tab.split(' ')[0].toLowerCase()}`)
    }
    const reached = await stops('editor')
    for (const name of ['Play', 'Export', 'History'])
      check(
        reached.some((label) => label === name),
        `Tab does not reach ${name} in the editor: ${reached.join(', ')}`,
      )
    await page.getByRole('tab', { name: /^Cuts/ }).click()
    await opened('history', 'dialog', page.getByRole('button', { name: 'History' }))
    await opened('drafts', 'dialog', page.getByRole('button', { name: /Drafts/ }))
    await opened('more-choices', 'dialog', page.getByRole('button', { name: 'More choices' }))
    await opened('find-again', 'alertdialog', page.getByRole('button', { name: 'Find again' }))
    await opened('runs', 'dialog', page.getByRole('button', { name: 'Compare runs' }))
    await opened('frame-menu', 'dialog', page.getByRole('button', { name: 'Frame and speed' }))
    await page.keyboard.press('?')
    await page.getByRole('dialog').waitFor()
    await see('shortcuts')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Export', exact: true }).first().click()
    await page.getByRole('dialog').waitFor()
    await see('export')
    check(wrong.length === 0, wrong.join('\n'))
  },
  {
    viewport: { width: Math.round(1366 / ZOOM), height: Math.round(768 / ZOOM) },
    scale: ZOOM,
    expected: ['/auth/verify-email'], // the link is invalid
  },
)
