// Takes the screenshots of the user guide, in both color schemes.
//
// Environment:
//   BASE_URL  address of the server
//   SESSION   session cookie as name=value
//   PROJECT   UUID of an analyzed project
//   IMAGES    folder for the screenshots
import { Buffer } from 'node:buffer'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { enter, page, run, settled } from './browser.mjs'

const { BASE_URL: base, SESSION: session, PROJECT: project, IMAGES: images } = process.env

// shot saves the page, or a part of it, in both color schemes.
async function shot(name, part) {
  const devtools = await page.context().newCDPSession(page)
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await settled()
    const box = part && (await part.boundingBox())
    const { data } = await devtools.send('Page.captureScreenshot', {
      format: 'webp',
      quality: 88,
      ...(box && { clip: { ...box, scale: 1 } }),
    })

    writeFileSync(join(images, `${name}-${colorScheme}.webp`), Buffer.from(data, 'base64'))
  }

  await devtools.detach()
}

await run(
  async () => {
    await enter(base, session)
    await page.goto(base)
    await page.getByText('Light in a small kitchen').first().waitFor()
    await shot('projects')

    await page.goto(`${base}/projects/${project}`)
    await page.locator('[data-cut]').first().waitFor()
    await page.locator('[data-cut]').nth(1).click()
    await page.locator('video').first().waitFor()
    await shot('editor')
    await shot('cut', page.locator('[data-cut][aria-selected=true]'))

    await page.getByRole('tab', { name: 'Captions' }).click()
    await shot('captions')

    await page.keyboard.press('Escape')
    await page.keyboard.press('?')
    await page.getByRole('dialog').waitFor()
    await shot('shortcuts')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })

    await page.keyboard.press('e')
    await page.getByRole('dialog').locator('[data-testid=estimate][data-method]').waitFor()
    await shot('export')

    await page.goto(`${base}/library`)
    await page.getByText('Microphone').first().waitFor()
    await shot('library')

    await page.goto(`${base}/settings/models`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await shot('settings')
  },
  { viewport: { width: 1440, height: 900 } },
)
