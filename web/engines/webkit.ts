import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { Builder, Capabilities, Key, Origin, type WebDriver } from 'selenium-webdriver'
import { WINDOW, type Tab } from './tab'

// Debian has the browser in a folder of the architecture.
const BROWSER = readdirSync('/usr/lib')
  .map((folder) => `/usr/lib/${folder}/webkit2gtk-4.1/MiniBrowser`)
  .find((path) => existsSync(path))

/** The keys of DOM events by the names of WebDriver. */
const KEYS: Record<string, string> = { ArrowRight: Key.ARROW_RIGHT, Delete: Key.DELETE, Escape: Key.ESCAPE }

/** Opens a tab of WebKitGTK by its WebDriver, on an X server without a monitor. */
export async function openWebKit(): Promise<Tab> {
  if (!BROWSER) throw new Error('webkit2gtk-driver is not installed')
  const screen = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '1600x1100x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })

  const programs = [screen]
  const stop = () => programs.forEach((program) => program.kill())
  process.once('exit', stop)
  const display = await firstLine(screen)
  const port = await freePort()
  const env = { ...process.env, DISPLAY: `:${display}`, WEBKIT_DMABUF_RENDERER_FORCE_SHM: '1' }
  programs.push(spawn('WebKitWebDriver', [`--port=${port}`], { env, stdio: 'ignore' }))
  const wanted = new Capabilities().setBrowserName('MiniBrowser')
  wanted.set('webkitgtk:browserOptions', { binary: BROWSER, args: ['--automation'] })
  await answers(port)
  const driver = await new Builder().usingServer(`http://127.0.0.1:${port}`).withCapabilities(wanted).build()
  await driver.manage().setTimeouts({ script: 120_000 })
  await fit(driver)
  return {
    open: (url) => driver.get(url),
    run: (task, ...given) => runIn(driver, task, given),
    drag: async (...points) => {
      const at = ({ x, y }: { x: number; y: number }) => ({
        x: Math.round(x),
        y: Math.round(y),
        origin: Origin.VIEWPORT,
        duration: 100,
      })

      let hand = driver.actions().move(at(points[0])).press()
      for (const to of points.slice(1)) hand = hand.move(at(to))
      await hand.release().perform()
    },
    press: (key) =>
      driver
        .actions()
        .sendKeys(KEYS[key] ?? key)
        .perform(),
    picture: async () => Buffer.from(await driver.takeScreenshot(), 'base64'),
    close: async () => {
      await driver.quit()
      stop()
    },
  }
}

/** The first line that a program writes to its third pipe. */
async function firstLine(child: ChildProcess): Promise<string> {
  for await (const line of createInterface(child.stdio[3] as NodeJS.ReadableStream)) return line
  throw new Error('Xvfb names no display')
}

/** A port that is free at this moment. */
async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  await new Promise((done) => server.close(done))
  return port
}

/** Waits until the driver answers. */
async function answers(port: number): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    const response = await fetch(`http://127.0.0.1:${port}/status`).catch(() => null)
    if (response?.ok) return
    await new Promise((done) => setTimeout(done, 100))
  }

  throw new Error('WebKitWebDriver does not answer')
}

/** Gives the page the size of other engines, whatever the window has around it. */
async function fit(driver: WebDriver): Promise<void> {
  const window = driver.manage().window()
  await window.setRect(WINDOW)
  const [width, height] = await driver.executeScript<[number, number]>('return [innerWidth, innerHeight]')
  await window.setRect({ width: 2 * WINDOW.width - width, height: 2 * WINDOW.height - height })
}

interface Result<R> {
  value?: R
  error?: string
}

async function runIn<A extends unknown[], R>(driver: WebDriver, task: (...given: A) => R | Promise<R>, given: A) {
  const { value, error } = await driver.executeAsyncScript<Result<R>>(
    `const [given, done] = arguments
     Promise.resolve().then(() => (${task.toString()})(...given))
       .then((value) => done({ value: value ?? null }), (error) => done({ error: String(error) }))`,
    given,
  )

  if (error) throw new Error(error)
  return value as R
}
