// Adds a recording whose sprite sheet is made after the recording is ready. The editor and a second page, the list of
// projects, show its thumbnail when it arrives.
//
// Environment:
//   BASE_URL  address of the server
//   SESSION   session cookie as name=value
//   VIDEO     path of a recording of seven and a half minutes
import { ask, check, enter, page, run, until } from './browser.mjs'

const { BASE_URL: base, SESSION: session, VIDEO: video } = process.env

const pending = async (uuid) => (await ask('GET', `/projects/${uuid}/clips/`)).items[0]?.sprite_pending === true
// Whether a page shows a picture of a recording, whose address is signed.
const painted = (where) =>
  where.evaluate(() => [...document.images].some((i) => i.src.includes('/media/') && i.naturalWidth > 0))

async function steps() {
  await enter(base, session)
  await page.goto(`${base}/`)
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Choose files' }).click()
  await (await chooser).setFiles(video)
  await page.waitForURL(/\/projects\/[0-9a-f-]+/)
  const uuid = new URL(page.url()).pathname.split('/').pop()
  const list = await page.context().newPage()
  await list.goto(`${base}/`)
  await until('the recording is ready', () => pending(uuid))
  await list.getByText('7:30').waitFor()
  await page.getByRole('tab', { name: 'Clips' }).click()
  const shown = (await page.locator('[data-thumbnail]').count()) > 0 || (await painted(list))
  // A fast machine may have made the sheet by now. Both pages were opened before.
  if (await pending(uuid)) check(!shown, 'a page shows a thumbnail that does not exist')
  await until('the clip has its sprite sheet', async () => !(await pending(uuid)))
  await until('the list shows the thumbnail', () => painted(list))
  await page.locator('[data-thumbnail]').first().waitFor()
}

await run(steps)
