import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { setTimeout } from 'node:timers/promises'
import { test as base, expect, type Page } from '@playwright/test'
import { Server, type SeedName } from './server'

export { expect } from '@playwright/test'
export { file, withModel } from './server'

interface Options {
  /** The data directory that the test starts from. */
  seed: SeedName
  /** Additional settings of the server. */
  settings: Record<string, string>
  /** Substrings of errors in the console and of uncaught ones that the test causes on purpose. */
  consoleErrors: string[]
  /** Whether `make flake` may hold the requests of the page. The runner then gets a copy of all that the page sends. */
  mayHold: boolean
}

interface Fixtures {
  server: Server
  /** Requests to the API with the session of the page. */
  api: Api
  /** Opens a page of the server by its path, signed in in owner mode. */
  open: (path?: string) => Promise<void>
}

/** What Chromium logs as errors when a page is left while it loads. */
const LEAVING = ['net::ERR_ABORTED']

/**
 * A page test. Each has its own server with a copy of a seed, and fails if the page logs an error.
 *
 *     test.use({ seed: 'talk' })
 *     test('X rejects the selected cut', async ({ page, open, server }) => { … })
 */
export const test = base.extend<Options & Fixtures>({
  seed: ['empty', { option: true }],
  settings: [{}, { option: true }],
  consoleErrors: [[], { option: true }],
  mayHold: [true, { option: true }],

  server: async ({ seed, settings }, provide, info) => {
    const server = await Server.start(seed, settings)
    await provide(server)
    const log = await server.stop()
    if (info.status !== info.expectedStatus) await info.attach('server log', { body: log })
  },

  // The page needs the server, which therefore runs until the errors of the page are checked.
  page: async ({ page, server, consoleErrors, mayHold }, provide, info) => {
    void server
    const longest = Number(process.env['JITTER_MS'] ?? 0)
    if (longest > 0) {
      if (mayHold) await holdRequests(page, info.titlePath.join(' › '), longest)
      await page.context().addInitScript(holdTimers, longest)
    }

    const problems: string[] = []
    const expected = [...LEAVING, ...consoleErrors]
    const note = (text: string) => {
      if (!expected.some((part) => text.includes(part))) problems.push(text)
    }

    page.on('pageerror', (error) => note(error.stack || error.message)) // a string that is thrown has no stack
    page.on('console', (message) => {
      if (message.type() === 'error') note(`${message.text()} ${message.location().url}`)
    })

    await provide(page)
    // The page may still ask for something that a test answers, while the server stops.
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    expect(problems, 'errors in the console of the page').toEqual([])
  },

  open: async ({ page, server }, provide) => {
    let token = new URL(server.launch).searchParams.get('launch')
    await provide(async (path = '/') => {
      if (token) {
        const headers = { Origin: server.url }
        const response = await page.request.post(`${server.url}/api/v1/auth/launch`, { headers, data: { token } })
        expect(response.ok(), await response.text()).toBe(true)
        token = null
      }

      await page.goto(server.url + path)
    })
  },

  api: async ({ page, server }, provide) => {
    await provide(new Api(page, server.url))
  },
})

/**
 * Holds each request to the API and for media for 0 to longest milliseconds. The title of a test, and the number of a request
 * among those of its kind, decide.
 */
async function holdRequests(page: Page, title: string, longest: number) {
  for (const kind of ['api', 'media']) {
    let requests = 0
    await page.context().route(`**/${kind}/v1/**`, async (route) => {
      if (route.request().resourceType() !== 'eventsource') {
        const [byte = 0] = createHash('sha256').update(`${title} ${kind} ${requests++}`).digest()
        await setTimeout((longest * byte) / 255)
      }

      await route.continue().catch(() => undefined) // the page has left
    })
  }
}

/**
 * Holds each timer of 0 ms for up to longest milliseconds, as a busy machine does, and keeps their order. Menus and panels move the
 * focus in one.
 */
export function holdTimers(longest: number) {
  const start = window.setTimeout.bind(window)
  let timers = 0
  let due = 0
  const held = (handler: TimerHandler, ms?: number, ...args: unknown[]) => {
    if (ms) return start(handler, ms, ...args)
    const now = performance.now()
    due = Math.max(due, now + (longest * ((timers++ * 37) % 256)) / 255)
    return start(handler, due - now, ...args)
  }

  Object.assign(window, { setTimeout: held })
}

/** Requests to the API with the cookies of the page. */
export class Api {
  private csrf: string | undefined

  constructor(
    private readonly page: Page,
    private readonly base: string,
  ) {}

  /** Sends a request and returns the decoded response. Throws if it is an error. */
  async ask<T = unknown>(method: string, path: string, body?: unknown): Promise<T> {
    const headers: Record<string, string> = { Origin: this.base }
    if (method !== 'GET') headers['X-CSRF-Token'] = this.csrf ??= await this.token()
    const response = await this.page.request.fetch(`${this.base}/api/v1${path}`, { method, headers, data: body })
    const text = await response.text()
    if (!response.ok()) throw new Error(`${method} ${path}: ${response.status()} ${text}`)
    return (text ? JSON.parse(text) : null) as T
  }

  private async token() {
    return (await this.ask<{ csrf_token: string }>('GET', '/auth/check')).csrf_token
  }
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Violation {
  id: string
  impact?: string
  help: string
  nodes: { target: string[] }[]
}

/** Waits until transitions have ended and the page has painted. */
export async function settled(page: Page) {
  await page.evaluate(async () => {
    const frame = () => new Promise((done) => requestAnimationFrame(done))
    await frame()
    const finite = document.getAnimations().filter((a) => a.effect?.getComputedTiming().iterations !== Infinity)
    await Promise.allSettled(finite.map((animation) => animation.finished))
    await frame()
    await frame()
  })
}

/**
 * Expects that the page has no serious accessibility faults and does not scroll sideways, here and on a phone. Colors are
 * checked in both schemes, in the open dialog or menu, otherwise in the page.
 */
export async function expectToLookRight(page: Page) {
  const before = page.viewportSize()
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  await settled(page)
  expect(await violations(page, COLORS), 'contrast, light').toEqual([])
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
  await settled(page)
  expect(await violations(page, COLORS), 'contrast, dark').toEqual([])
  expect(await violations(page, STRUCTURE), 'accessibility').toEqual([])
  expect(await overflows(page), 'sideways scrolling').toEqual([])
  await page.setViewportSize(PHONE)
  await settled(page)
  expect(await overflows(page), 'sideways scrolling on a phone').toEqual([])
  if (before) await page.setViewportSize(before)
  await settled(page)
}

/** The window of a phone. */
export const PHONE = { width: 390, height: 844 }

interface Rules {
  part: string
  options: object
}

/** The open dialog or menu, otherwise the page. */
const FRONT = "[...document.querySelectorAll('[role=dialog], [role=alertdialog], [role=menu]')].at(-1) ?? document"

/** The costly rule. The tests of a page check it; the page behind a dialog or a menu is skipped. */
const COLORS: Rules = {
  part: FRONT,
  options: { runOnly: ['color-contrast'] },
}

/** Every rule that tells a fault, with the one for labels that voice control needs. */
const EVERY: Rules = {
  part: FRONT,
  options: { rules: { 'color-contrast': { enabled: false }, 'label-content-name-mismatch': { enabled: true } } },
}

const STRUCTURE: Rules = { part: 'document', options: { rules: { 'color-contrast': { enabled: false } } } }

/** Expects that axe finds nothing on the page, not even minor faults. */
export async function expectNoFindings(page: Page, where: string) {
  await settled(page)
  expect(await violations(page, EVERY, () => true), `accessibility of ${where}`).toEqual([])
}

const isSerious = (v: Violation) => v.impact === 'serious' || v.impact === 'critical'

/** The faults that axe finds with some of its rules, the serious ones by default. */
async function violations(page: Page, { part, options }: Rules, counts = isSerious) {
  if (!(await page.evaluate('!!window.axe'))) await page.evaluate(`${axe}; 0`)
  const all = JSON.stringify({ resultTypes: ['violations'], preload: false, ...options })
  const found = await page.evaluate<Violation[]>(`window.axe.run(${part}, ${all}).then((found) => found.violations)`)
  return found.filter(counts).map((v) => `${v.id}: ${v.help}: ${v.nodes.map((n) => n.target.join(' ')).join(' | ')}`)
}

/** The parts that are wider than their place: the page itself and, on a phone, everything that scrolls sideways. */
export function overflows(page: Page) {
  return page.evaluate((phone) => {
    const over = (e: Element) => e.scrollWidth - e.clientWidth
    const scrolls = (e: Element) =>
      ['auto', 'scroll'].includes(window.getComputedStyle(e).overflowX) &&
      e.clientWidth > 0 &&
      !e.matches('input, textarea')

    const parts = window.innerWidth > phone ? [] : [...document.querySelectorAll('body *')].filter(scrolls)
    return [document.documentElement, ...parts]
      .filter((e) => over(e) > 1)
      .map((e) => `${e.tagName} ${e.className} by ${over(e)} px`)
  }, PHONE.width)
}

/** Chooses a caption style in the grid of a button. */
export async function chooseStyle(page: Page, button: string, style: string) {
  await page.getByRole('button', { name: button }).click()
  await page.getByRole('radio', { name: style, exact: true }).click()
  await expect(page.getByRole('button', { name: button })).toContainText(style)
}
