// What the scripts of this folder share: a browser, pictures in all sizes and schemes, and a check of accessibility.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const outDir = process.env.OUT_DIR
/** What went wrong without stopping the steps. */
const problems = []
const SIZES = [
  [1280, 720],
  [1920, 1080],
  [820, 1180],
]

export function check(ok, message) {
  if (!ok) throw new Error(message)
}

/** Opens a browser, runs the steps with its page, and exits: with 0, or with 1 and a sentence where one failed. */
export async function run(steps) {
  const profile = mkdtempSync(join(tmpdir(), 'roughcut-e2e-'))
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    headless: true,
    acceptDownloads: true,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
    viewport: { width: 1280, height: 720 },
  })
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const page = context.pages()[0] ?? (await context.newPage())
  page.setDefaultTimeout(60_000)
  page.on('pageerror', (error) => problems.push(`page error: ${error.message}`))
  let failed = false
  try {
    await steps(page)
    check(problems.length === 0, problems.join('\n'))
  } catch (error) {
    failed = true
    console.error(`${error.stack}\nat ${page.url()}\n${problems.join('\n')}`)
    if (outDir) await page.screenshot({ path: join(outDir, 'failed.png') }).catch(() => undefined) // the browser may be what failed
  } finally {
    await context.close()
    rmSync(profile, { recursive: true, force: true })
  }
  process.exit(failed ? 1 : 0)
}

// settled waits, in the page, until transitions have ended and two frames have been drawn.
async function settled() {
  const frame = () => new Promise((done) => requestAnimationFrame(done))
  await frame()
  await Promise.allSettled(document.getAnimations().filter((a) => a.effect?.getComputedTiming().iterations !== Infinity).map((animation) => animation.finished))
  await frame()
}

/** Takes pictures of the page in every size and scheme, where a folder for them is named, and checks its accessibility in both schemes. */
export async function look(page, name) {
  if (outDir) mkdirSync(outDir, { recursive: true })
  for (const colorScheme of ['dark', 'light']) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.evaluate(settled)
    await accessible(page, `${name}, ${colorScheme}`)
    if (!outDir) continue
    for (const [width, height] of SIZES) {
      await page.setViewportSize({ width, height })
      await page.evaluate(settled)
      await page.screenshot({ path: join(outDir, `${name}-${colorScheme}-${width}.png`) })
    }
    await page.setViewportSize({ width: 1280, height: 720 })
  }
}

async function accessible(page, what) {
  await page.evaluate(`${axeSource}; 0`)
  const violations = await page.evaluate(async () => {
    const found = await window.axe.run(document, { resultTypes: ['violations'] })
    return found.violations.filter((v) => v.impact === 'serious' || v.impact === 'critical').map((v) => `${v.id}: ${v.help}: ${v.nodes.slice(0, 3).map((n) => `${n.target.join(' ')} ${n.any[0]?.message ?? ''}`).join(' | ')}`)
  })
  problems.push(...violations.map((v) => `${what}: ${v}`))
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  if (overflow > 0) problems.push(`${what}: the page is ${overflow} px wider than the window`)
}

/** Waits until what fn finds in the page, given an argument, is so. */
export async function until(page, what, fn, argument) {
  for (let tries = 0; tries < 600; tries++) {
    if (await page.evaluate(fn, argument)) return
    await page.waitForTimeout(200)
  }
  throw new Error(`waited in vain until ${what}`)
}

/** A link in the mails of an outbox folder that begins with a path; the mail may be a moment away. */
export async function mailedLink(page, outbox, path) {
  for (let tries = 0; tries < 300; tries++) {
    for (const name of readdirSync(outbox).filter((n) => n.endsWith('.eml'))) {
      const text = readFileSync(join(outbox, name), 'utf8').replace(/=\r?\n/g, '').replaceAll('=3D', '=')
      const link = new RegExp(`http\\S+${path}\\?\\w+=[\\w.-]+`).exec(text)
      if (link) return link[0]
    }
    await page.waitForTimeout(100)
  }
  throw new Error(`no mail has a link to ${path}`)
}
