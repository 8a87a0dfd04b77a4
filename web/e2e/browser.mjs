// Shared by the scripts in this folder: the browser, screenshots in all sizes and color schemes, accessibility checks,
// and API requests.
//
// Environment:
//   OUT_DIR   folder for screenshots; no screenshots if empty
//   CHROMIUM  path of the browser; default /usr/bin/chromium-headless-shell
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { chromium } from 'playwright-core'

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const outDir = process.env.OUT_DIR
const script = basename(process.argv[1], '.mjs')
/** Problems that did not stop the script. */
const problems = []
const SIZES = [
  [1280, 720],
  [1920, 1080],
  [768, 1024],
  [390, 844],
]

/** The timeout for each step in milliseconds, long enough for a busy machine. */
export const PATIENCE_MS = 60_000

/** The browser page, while run executes its steps. */
export let page

export function check(ok, message) {
  if (!ok) throw new Error(message)
}

/**
 * Opens a browser, runs the steps, prints their result as JSON, and exits with 0. If a step fails, the page reports an
 * error, or look finds a problem, run prints the reasons and exits with 1. `expected` lists substrings of errors to
 * ignore.
 */
export async function run(steps, { viewport = { width: 1280, height: 720 }, scale = 1, expected = [] } = {}) {
  if (outDir) mkdirSync(outDir, { recursive: true })
  const profile = mkdtempSync(join(tmpdir(), 'roughcut-e2e-'))
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell',
    headless: true,
    acceptDownloads: true,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
    viewport,
    deviceScaleFactor: scale,
    colorScheme: 'dark',
    reducedMotion: 'reduce',
  })

  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  page = context.pages()[0] ?? (await context.newPage())
  page.setDefaultTimeout(PATIENCE_MS)
  const note = (problem) => expected.some((part) => problem.includes(part)) || problems.push(problem)
  page.on('pageerror', (error) => note(`page error: ${error.message}`))
  page.on('console', (message) => {
    if (message.type() === 'error') note(`console: ${message.text()} ${message.location().url}`)
  })

  let failed = false
  try {
    const result = await steps()
    check(problems.length === 0, 'the page has problems')
    if (result !== undefined) console.log(JSON.stringify(result))
  } catch (error) {
    failed = true
    console.error([error.stack, `at ${page.url()}`, ...problems, await shownText()].join('\n'))
    if (outDir) await page.screenshot({ path: join(outDir, `${script}-failed.png`) }).catch(() => undefined) // the browser itself may have failed
  } finally {
    await context.close()
    rmSync(profile, { recursive: true, force: true })
  }

  process.exit(failed ? 1 : 0)
}

// shownText returns what the page shows, for a failure on a machine whose screenshots cannot be looked at.
async function shownText() {
  const text = await page
    .locator('body')
    .innerText({ timeout: 5_000 })
    .catch(() => 'nothing that can be read') // the browser may have failed

  return `the page shows:\n${text.slice(0, 2_000)}`
}

/** Waits until transitions have ended and the browser has painted two frames. */
export async function settled() {
  await page.evaluate(async () => {
    const frame = () => new Promise((done) => requestAnimationFrame(done))
    await frame()
    await Promise.allSettled(
      document
        .getAnimations()
        .filter((a) => a.effect?.getComputedTiming().iterations !== Infinity)
        .map((animation) => animation.finished),
    )

    await frame()
    await frame()
  })
}

/** Makes the browser report no video frames, as WebKitGTK does without compositing. Runs in the page. */
export function reportNoFrames() {
  HTMLVideoElement.prototype.requestVideoFrameCallback = () => 1
}

let looks = 0

/**
 * Checks that the page is accessible, and that it fits the window and a phone. The color schemes take turns from look to
 * look. If OUT_DIR is set, each look has both and takes screenshots in every size.
 */
export async function look(name) {
  const before = page.viewportSize()
  const schemes = ['light', 'dark']
  for (const colorScheme of outDir ? schemes : [schemes[looks++ % schemes.length]]) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await settled()
    await accessible(`${name}, ${colorScheme}`)
    await fits(`${name}, ${colorScheme}`)
    for (const [width, height] of outDir ? SIZES : SIZES.slice(-1)) {
      await page.setViewportSize({ width, height })
      await settled()
      await fits(`${name}, ${width} px`)
      if (!outDir) continue
      await page.screenshot({ path: join(outDir, `${script}-${name}-${colorScheme}-${width}.png`), scale: 'css' })
    }

    await page.setViewportSize(before)
    await settled()
  }

  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
}

export async function accessible(what) {
  await page.evaluate(`window.axe || ${axeSource}; 0`)
  const violations = await page.evaluate(async () => {
    const found = await window.axe.run(document, { resultTypes: ['violations'] })
    return found.violations
      .filter((v) => v.impact === 'serious' || v.impact === 'critical')
      .map(
        (v) =>
          `${v.id}: ${v.help}: ${v.nodes
            .slice(0, 3)
            .map((n) => `${n.target.join(' ')} ${n.any[0]?.message ?? ''}`)
            .join(' | ')}`,
      )
  })

  problems.push(...violations.map((v) => `${what}: ${v}`))
}

/** The widest window that has to show everything without scrolling sideways, also within the page. */
const PHONE_PX = 390

export async function fits(what) {
  const wide = await page.evaluate((phone) => {
    const over = (e) => e.scrollWidth - e.clientWidth
    const parts = window.innerWidth > phone ? [] : [...document.querySelectorAll('body *')]
    const scrolls = (e) => ['auto', 'scroll'].includes(window.getComputedStyle(e).overflowX) && e.clientWidth > 0
    return [document.documentElement, ...parts.filter((e) => !e.matches('input, textarea') && scrolls(e))]
      .filter((e) => over(e) > 1)
      .map((e) => `${e.tagName}.${e.className} ${e.ariaLabel ?? ''} by ${over(e)} px`)
  }, PHONE_PX)

  for (const part of wide) problems.push(`${what}: scrolls sideways: ${part}`)
}

/** Waits until test returns a truthy value and returns it. */
export async function until(what, test) {
  const end = performance.now() + PATIENCE_MS
  for (;;) {
    const found = await test()
    if (found) return found
    check(performance.now() < end, `timed out waiting until ${what}`)
    await new Promise((done) => setTimeout(done, 50))
  }
}

/** Sends an API request with the session of the page and returns the response. Throws if it is an error. */
export const ask = (method, path, body) =>
  page.evaluate(
    async ([method, path, body]) => {
      const headers = { 'Content-Type': 'application/json' }
      if (method !== 'GET') headers['X-CSRF-Token'] = (await (await fetch('/api/v1/auth/check')).json()).csrf_token
      const response = await fetch(`/api/v1${path}`, { method, headers, body: body && JSON.stringify(body) })
      const text = await response.text()
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
      return text ? JSON.parse(text) : null
    },
    [method, path, body],
  )

/** Sets a session cookie, given as name=value. */
export async function enter(base, session) {
  const at = session.indexOf('=')
  await page.context().addCookies([{ name: session.slice(0, at), value: session.slice(at + 1), url: base }])
}
