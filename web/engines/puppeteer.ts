import puppeteer, { type KeyInput, type LaunchOptions } from 'puppeteer-core'
import { WINDOW, type Tab } from './tab'

/** Opens a tab, in Firefox by WebDriver BiDi. */
export async function openWithPuppeteer(options: LaunchOptions): Promise<Tab> {
  const browser = await puppeteer.launch({ headless: true, defaultViewport: WINDOW, ...options })
  const page = await browser.newPage()
  return {
    open: (url) => page.goto(url),
    run: (task, ...given) => page.evaluate(task as never, ...given),
    drag: async (from, ...others) => {
      await page.mouse.move(from.x, from.y)
      await page.mouse.down()
      for (const to of others) await page.mouse.move(to.x, to.y, { steps: 5 })
      await page.mouse.up()
    },
    press: (key) => page.keyboard.press(key as KeyInput),
    picture: async () => Buffer.from(await page.screenshot()),
    close: () => browser.close(),
  }
}
