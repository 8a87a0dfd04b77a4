// Exports an upright phone clip as a person does: the dialog proposes the format of the recording, says how the video is
// made, how long that takes and how large it becomes, and pauses the player. The export plays in the page, has a
// thumbnail, and the next one gets another name. A timeline goes to another editor and comes back. Prints one JSON object.
//
// Environment:
//   BASE_URL  address of the server
//   SESSION   session cookie as name=value
//   PROJECT   UUID of an analyzed project with one upright clip
//   MIXED     UUID of a project whose clips differ
import { Buffer } from 'node:buffer'
import { readFile } from 'node:fs/promises'
import { ask, check, enter, look, page, run, settled, until } from './browser.mjs'

const { BASE_URL: base, SESSION: session, PROJECT: project, MIXED: mixed } = process.env

const dialog = () => page.getByRole('dialog')
const estimate = () => dialog().getByTestId('estimate')
const estimated = async (method) => {
  await page.waitForFunction((m) => document.querySelector('[data-testid=estimate]')?.dataset.method === m, method)
  return (await estimate().textContent()).trim()
}

async function openDialog(uuid) {
  await page.goto(`${base}/projects/${uuid}`)
  await page.getByTestId('total-original').waitFor()
  await page.getByRole('button', { name: 'Play', exact: true }).waitFor()
  await page.locator('body').click({ position: { x: 640, y: 24 } })
}

async function choose() {
  await openDialog(project)
  await page.waitForFunction(() => document.querySelector('video[data-seen=true]')?.readyState >= 2)
  const stage = await page.getByTestId('stage').boundingBox()
  check(stage.height > stage.width, `the preview of an upright clip is ${stage.width} x ${stage.height}`)
  await look('1-preview')
  await page.getByRole('button', { name: 'Play', exact: true }).click()
  await page.getByRole('button', { name: 'Pause', exact: true }).waitFor()
  await page.keyboard.press('e')
  await dialog().waitFor()
  await page.waitForFunction(() => [...document.querySelectorAll('video[data-seen]')].every((v) => v.paused))
  const recorded = dialog().getByRole('button', { name: /As recorded/ })
  check((await recorded.getAttribute('aria-pressed')) === 'true', 'As recorded is not the default')
  check((await recorded.textContent()).includes('360×640'), `As recorded says ${await recorded.textContent()}`)
  const copied = await estimated('copy')
  check(/^Copied, about \d+ s, [\d.]+ (KB|MB)$/.test(copied), `the estimate is "${copied}"`)
  await look('2-as-recorded')
  // Until the server has estimated another choice, the dialog promises nothing.
  let respond
  const held = new Promise((done) => (respond = done))
  await page.route('**/exports/estimate', async (route) => {
    await held
    await route.continue()
  })
  const asked = page.waitForRequest('**/exports/estimate')
  await dialog()
    .getByRole('button', { name: /YouTube/ })
    .click()
  await asked
  await settled()
  const promised = await estimate().textContent()
  check(/^Estimating/.test(promised), `before the server has answered, the dialog says "${promised}"`)
  respond()
  const encoded = await estimated('encode')
  check(/^Re-encoded, about .*Because 16:9 is chosen/.test(encoded), `the estimate is "${encoded}"`)
  await look('3-youtube')
  await recorded.click()
  await estimated('copy')
  await dialog().getByRole('button', { name: 'Export', exact: true }).click()
  await page.locator('[data-export][data-status=completed]').first().waitFor()
  return { copied, encoded }
}

async function play() {
  const thumbnail = page.locator('[data-export] video').first()
  await until('the thumbnail shows a frame', () =>
    thumbnail.evaluate((v) => v.readyState >= 2 && v.videoHeight > v.videoWidth),
  )
  await look('4-exported')
  await page.getByRole('button', { name: /^Play / }).click()
  const video = dialog().locator('video')
  await until('the export plays', () => video.evaluate((v) => v.currentTime > 0.2))
  await video.evaluate((v) => v.pause())
  check(await video.evaluate((v) => v.videoHeight > v.videoWidth), 'the export is not upright')
  await look('5-playing')
  await page.keyboard.press('Escape')
  await dialog().waitFor({ state: 'hidden' })
  await page.keyboard.press('e')
  const name = await dialog().getByLabel('Name').inputValue()
  check(name === 'Phone 2', `the second export is named "${name}"`)
  await page.keyboard.press('Escape')
}

// Deletes an export, takes that back, and restores it from the trash after a reload.
async function deleteExport() {
  const kept = async () => (await ask('GET', `/projects/${project}/exports/`)).items.length
  const before = await kept()
  const remove = page.getByRole('button', { name: 'Delete export' }).first()
  await remove.click()
  await page.getByText('Phone is in the trash').waitFor()
  check((await kept()) === before - 1, 'the deleted export is still there')
  // A thumbnail that is still loading when its export is deleted ends its request, because the file may be gone.
  await page.route('**/download/v1/**', () => undefined)
  const loading = page.waitForRequest('**/download/v1/**')
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await until('undo brings the export back', async () => (await kept()) === before)
  await loading
  const ended = page.waitForEvent('requestfailed', (r) => r.url().includes('/download/v1/'))
  await remove.click()
  await ended
  const trash = page.getByTestId('right').getByText('1 item in the trash')
  await trash.waitFor()
  await page.unroute('**/download/v1/**')
  await page.reload()
  await page.getByRole('tab', { name: /Exports/ }).click()
  await trash.click()
  await page.getByRole('button', { name: 'Restore Phone' }).click()
  await until('the trash gives the export back', async () => (await kept()) === before)
}

async function mixedClips() {
  await openDialog(mixed)
  await page.getByRole('tab', { name: /Exports/ }).click()
  await page.keyboard.press('e')
  const note = await dialog().getByTestId('clips-differ').textContent()
  check(/The clips differ: .*640×360.*first clip, 360×640/.test(note), `the note is "${note}"`)
  await look('6-mixed')
  return note
}

// Downloads a timeline for another editor, changes it and takes the change over, which one step undoes.
async function timelines() {
  await openDialog(project)
  await page.keyboard.press('e')
  const tab = () => dialog().getByRole('tab', { name: 'Timeline & text' })
  await tab().click()
  await dialog().getByLabel('Media folder').fill('/footage/Ada #1')
  await look('7-timelines')
  const row = (format) => dialog().locator(`[data-format=${format}]`)
  const downloaded = async (button) => {
    const [file] = await Promise.all([page.waitForEvent('download'), button.click()])
    return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') }
  }
  const otio = await downloaded(row('otio').getByRole('button', { name: 'Download OpenTimelineIO', exact: true }))
  check(otio.name === 'Phone.otio', `the timeline is named ${otio.name}`)
  check(otio.text.includes('file:///footage/Ada%20%231/'), 'the timeline lacks the media folder')
  const bundle = await downloaded(row('otio').getByRole('button', { name: /with its media/ }))
  check(bundle.name === 'Phone.otioz' && bundle.text.startsWith('PK'), `the archive is named ${bundle.name}`)

  const changed = JSON.parse(otio.text)
  for (const track of changed.tracks.children) track.children[0].source_range.duration.value -= 15
  const field = dialog().getByLabel('Changed timeline')
  const open = (content) =>
    field.setInputFiles({ name: 'Phone.otio', mimeType: 'application/json', buffer: Buffer.from(content) })
  await open('{}')
  await dialog().getByRole('alert').waitFor()
  await open(otio.text)
  const difference = dialog().getByTestId('timeline-difference')
  await difference.waitFor()
  check((await difference.getAttribute('data-changes')) === '0', 'an unchanged timeline has a difference')
  await open(JSON.stringify(changed))
  await page.waitForFunction(() => document.querySelector('[data-testid=timeline-difference]')?.dataset.changes === '1')
  await difference.scrollIntoViewIfNeeded()
  await look('8-difference')
  const cut = async () => (await ask('GET', `/projects/${project}/edits/`)).items[0].start_ms
  check((await cut()) === 1500, 'the cut has another start')
  await difference.getByRole('button', { name: 'Apply 1 change' }).click()
  await until('the cut is longer', async () => (await cut()) === 1000)
  await page.keyboard.press('Escape')
  await dialog().waitFor({ state: 'hidden' })
  await page.keyboard.press('Control+z')
  await until('one step undoes it', async () => (await cut()) === 1500)
  await openDialog(project)
  await page.keyboard.press('e')
  await tab().click()
  const folder = await dialog().getByLabel('Media folder').inputValue()
  check(folder === '/footage/Ada #1', `the media folder is ${folder}`)
  await page.keyboard.press('Escape')
}

await run(
  async () => {
    await enter(base, session)
    const estimates = await choose()
    await play()
    await deleteExport()
    await timelines()
    return { ...estimates, note: await mixedClips() }
  },
  { expected: ['/timelines/otio/compare'] },
)
