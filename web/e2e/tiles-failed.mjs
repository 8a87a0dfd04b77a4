// Adds a recording in the editor. The server's engine is killed while it makes the sprite sheet; the clip then says why
// it has no thumbnails. The person tries again, and the thumbnail arrives.
//
// Environment:
//   BASE_URL  address of the server
//   SESSION   session cookie as name=value
//   PROJECT   uuid of an empty project
//   VIDEO     path of a recording of seven and a half minutes
import { ask, check, enter, look, page, run } from './browser.mjs'

const { BASE_URL: base, SESSION: session, PROJECT: project, VIDEO: video } = process.env

async function steps() {
  await enter(base, session)
  await page.goto(`${base}/projects/${project}`)
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Choose files' }).click()
  await (await chooser).setFiles(video)
  await page.getByRole('tab', { name: 'Clips' }).click()
  const line = page.locator('[data-thumbnails="failed"]')
  await line.waitFor()
  const [{ sprite_error: reason }] = (await ask('GET', `/projects/${project}/clips/`)).items
  check((await line.innerText()).includes(reason), `the clip says “${await line.innerText()}”, not “${reason}”`)
  check((await page.locator('[data-thumbnail]').count()) === 0, 'there is a thumbnail')
  await look('failed')
  await line.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('Making thumbnails…').waitFor()
  await line.waitFor({ state: 'detached' })
  await page.locator('[data-thumbnail]').first().waitFor()
}

await run(steps)
