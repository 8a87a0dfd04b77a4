// Drives the library, the projects page and uploads: several files at once, groups, tags, trimming, a large upload that
// loses its connection and its page, a project created by dropping a file, and transcript search. Prints one JSON
// object. If a step fails, the script prints the reason and exits with 1.
//
// Environment:
//   BASE_URL             URL of a new server with its launch token: http://127.0.0.1:8420/?launch=…
//   VIDEO, IMAGE, SOUND  paths of small files; the speaker in the video says "a good microphone"
//   LARGE                path of a video that is large enough for a resumable upload
//   LINK                 URL of a video that the server may import
import { readFileSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { ask, check, look, page, PATIENCE_MS, run, until } from './browser.mjs'

const { BASE_URL: launchURL, VIDEO: video, IMAGE: image, SOUND: sound, LARGE: large, LINK: link } = process.env
const base = launchURL.replace(/\/?\?.*$/, '')
let warnings = 0

const card = (name) => page.locator('[role=gridcell]').filter({ has: page.getByText(name, { exact: true }) })
const ready = (name) =>
  page
    .locator('[role=gridcell][data-status=uploaded]')
    .filter({ has: page.getByText(name, { exact: true }) })
    .waitFor()
const toast = (text) => page.locator('[data-sonner-toast]').filter({ hasText: text }).first().waitFor()
const focused = (index) =>
  until(`the asset ${index} has the focus`, () =>
    page.evaluate((index) => document.activeElement?.getAttribute('data-index') === String(index), index),
  )
const assets = async () => (await ask('GET', '/assets/?page_size=200')).items

async function addSeveral() {
  await page.goto(launchURL)
  await page.getByRole('heading', { name: 'From raw recording' }).waitFor()
  await look('01-no-projects')
  await page.getByRole('link', { name: 'Library' }).click()
  await page.getByText('Drop images, videos and audio here').waitFor()
  await look('02-empty-library')
  await page.getByLabel('Files to add').first().setInputFiles([video, image, sound])
  for (const path of [video, image, sound]) await ready(basename(path))
  await card(basename(video)).hover()
  await page.locator('video[data-moving=true]').waitFor()
  await look('03-library')
}

async function group() {
  await page.getByRole('button', { name: 'New group' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Logos')
  await page.getByLabel('Description').fill('Marks of the house')
  await page.getByLabel('How to use them').fill('Only in the first seconds')
  await page.getByRole('switch', { name: 'New assets join this group' }).click()
  await look('04-new-group')
  await page.getByRole('button', { name: 'Create group' }).click()
  await page.getByText('This group is empty').waitFor()
  await page.getByRole('link', { name: /All assets/ }).click()
  await card(basename(image)).dragTo(page.getByRole('link', { name: /Logos/ }))
  await toast('to “Logos”')
  const groups = (await ask('GET', '/asset-groups/')).items
  check(
    groups.length === 1 && groups[0].asset_count === 1 && groups[0].is_default,
    `the groups are ${JSON.stringify(groups)}`,
  )
  await page.getByRole('link', { name: /Logos/ }).click()
  await page.getByText('Only in the first seconds').waitFor()
  await look('04a-group')
  await until('the group shows its one asset', async () => (await page.locator('[role=gridcell]').count()) === 1)
  await page.getByRole('link', { name: /All assets/ }).click()
  await ready(basename(sound))
}

// Keyboard only: move, select, preview, delete and cancel.
async function byKeys() {
  await page.locator('[role=gridcell][tabindex="0"]').focus()
  await page.keyboard.press('Home')
  await page.keyboard.press('ArrowRight')
  await focused(1)
  await page.keyboard.press(' ')
  await page.getByRole('dialog').waitFor()
  await page.locator('[data-media]').waitFor()
  const before = await page.getByLabel('Name', { exact: true }).inputValue()
  await page.keyboard.press('ArrowRight')
  await until(
    'the preview shows the next asset',
    async () => (await page.getByLabel('Name', { exact: true }).inputValue()) !== before,
  )
  await look('05-preview')
  await page.keyboard.press(' ')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.locator('[role=gridcell][data-index="0"]').focus()
  await page.keyboard.press('Shift+ArrowRight')
  await page.getByText('2 selected').waitFor()
  await page.keyboard.press('Control+a')
  await page.getByText('3 selected').waitFor()
  await look('06-selected')
  await page.keyboard.press('Delete')
  await page.getByRole('alertdialog', { name: 'Delete 3 assets?' }).waitFor()
  await look('07-delete')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Tag', exact: true }).first().click()
  await page.getByLabel('Add to all').fill('garden')
  await page.keyboard.press('Enter')
  await look('08-tags')
  await page.getByRole('button', { name: 'Change tags' }).click()
  await toast('Changed the tags')
  check(
    (await assets()).every((a) => a.tags.includes('garden')),
    'not all assets have the tag',
  )
  await page.locator('[role=gridcell][tabindex="0"]').focus()
  await page.keyboard.press('Escape')
  await page.getByText('3 selected').waitFor({ state: 'detached' })
}

async function find() {
  await page.getByRole('button', { name: 'Images' }).click()
  await until('the filter applies', async () => (await page.locator('[role=gridcell]').count()) === 1)
  await page.getByRole('button', { name: 'All', exact: true }).click()
  await page.keyboard.press('/')
  await page.keyboard.type('nothing has this name')
  await page.getByText('No assets match').waitFor()
  await page.getByRole('button', { name: 'Show all' }).click()
  await ready(basename(video))
}

const trimDialog = async (asset) => {
  await page
    .locator(`[data-asset="${asset.uuid}"][data-status=uploaded]`)
    .getByRole('button', { name: /^Actions for/ })
    .click()
  await page.getByRole('menuitem', { name: 'Trim' }).click()
  await page.locator('[data-wave]').waitFor()
}

// The card goes before the server deletes the asset; else it could request a file that no longer exists.
const removeAsset = async ({ uuid }) => {
  const card = page.locator(`[data-asset="${uuid}"]`)
  await page.route(`**/api/v1/assets/${uuid}`, async (route) => {
    if (route.request().method() === 'DELETE') await card.waitFor({ state: 'detached' })
    await route.continue()
  })
  await card.focus()
  await page.keyboard.press('Delete')
  await page.getByRole('button', { name: 'Delete permanently' }).click()
  await until('the asset is deleted', async () => !(await assets()).some((a) => a.uuid === uuid))
  check((await card.count()) === 0, 'a deleted asset is on the page')
  await page.unroute(`**/api/v1/assets/${uuid}`)
}

async function trim() {
  const source = (await assets()).find((a) => a.display_name === basename(video))
  await trimDialog(source)
  await page.getByRole('slider', { name: 'Start', exact: true }).focus()
  for (let i = 0; i < 5; i++) await page.keyboard.press('ArrowRight')
  const track = await page.locator('[data-track]').boundingBox()
  const at = (share) => [track.x + share * track.width, track.y + track.height / 2]
  await page.mouse.click(...at(0.4))
  await page.getByRole('button', { name: 'Cut from here' }).click()
  await page.mouse.click(...at(0.6))
  await page.getByRole('button', { name: 'Cut to here' }).click()
  await page.locator('[data-cut-mark]').waitFor()
  await page.mouse.click(...at(0.35))
  await page.getByRole('button', { name: 'Play result' }).click()
  const { seen, shown } = await page.evaluate(async (patience) => {
    const media = document.querySelector('[data-bench]')
    const [seen, shown] = [[], []]
    const start = performance.now()
    let last = start
    while (last - start < patience && !(seen.at(-1) > media.duration * 0.65)) {
      const now = await new Promise((done) => requestAnimationFrame(done))
      if (!media.paused && !media.seeking) {
        seen.push(media.currentTime)
        if (now - last < 100) shown.push(media.currentTime) // after a pause in painting, the page may run before the player has skipped the cut
      }
      last = now
    }
    return { seen, shown }
  }, PATIENCE_MS)
  const inside = shown.filter((s) => s * 1000 > source.duration_ms * 0.42 && s * 1000 < source.duration_ms * 0.58)
  check(
    seen.at(-1) * 1000 > source.duration_ms * 0.58 && inside.length === 0,
    `playback showed ${inside.length} cut frames among ${shown.length}`,
  )
  await look('09-trim')
  await page.getByRole('button', { name: 'Save copy' }).click()
  await toast('Saving a copy')
  const copy = await until('the copy is ready', async () =>
    (await assets()).find((a) => a.uuid !== source.uuid && a.kind === 'video' && a.status === 'uploaded'),
  )
  const wanted = source.duration_ms * 0.8 - 500
  check(Math.abs(copy.duration_ms - wanted) < 200, `the copy is ${copy.duration_ms} ms long, want about ${wanted}`)
  await page.locator(`[data-asset="${copy.uuid}"][data-status=uploaded]`).waitFor()
  await page
    .locator(`[data-asset="${copy.uuid}"]`)
    .getByRole('button', { name: /^Actions for/ })
    .click()
  await page.getByRole('menuitem', { name: 'Extract audio' }).click()
  await until('the audio is extracted', async () =>
    (await assets()).some(
      (a) => a.kind === 'audio' && a.status === 'uploaded' && Math.abs(a.duration_ms - copy.duration_ms) < 200,
    ),
  )
  await page.locator('[data-outline]').first().waitFor()
  const again = []
  for (const [mode, fast] of [
    ['Replace original', true],
    ['Replace original', false],
    ['New asset', true],
  ])
    again.push(await shorten(copy, mode, fast))
  await removeAsset(copy)
  return { source_ms: source.duration_ms, copy_ms: copy.duration_ms, again }
}

// shorten removes half a second from the end of an asset and returns the duration of the result.
async function shorten({ uuid, kind }, mode, fast) {
  const before = await assets()
  const source = before.find((a) => a.uuid === uuid)
  await trimDialog(source)
  await page.getByRole('slider', { name: 'End', exact: true }).focus()
  for (let i = 0; i < 5; i++) await page.keyboard.press('ArrowLeft')
  await page.getByRole('radio', { name: mode }).click()
  await page.getByRole('switch', { name: /^Fast/ }).setChecked(fast)
  const copied = mode === 'New asset'
  if (!copied && fast) {
    await look('09a-replace-fast')
    await page.getByRole('switch', { name: 'Audio only' }).click()
    await look('09b-audio-only')
    await page.getByRole('switch', { name: 'Audio only' }).click()
  }
  await page.getByRole('button', { name: copied ? 'Save copy' : 'Replace', exact: true }).click()
  const made = await until('the shorter asset is ready', async () =>
    (await assets()).find(
      (a) =>
        a.kind === kind &&
        a.status === 'uploaded' &&
        (copied ? !before.some((b) => b.uuid === a.uuid) : a.uuid === uuid && a.duration_ms !== source.duration_ms),
    ),
  )
  check(
    Math.abs(made.duration_ms - source.duration_ms + 500) < 200,
    `${mode}, ${fast ? 'fast' : 'exact'}: ${source.duration_ms} ms became ${made.duration_ms} ms`,
  )
  if (copied) await removeAsset(made)
  return made.duration_ms
}

async function fromLink() {
  const before = (await assets()).length
  await page.locator('[role=gridcell][tabindex="0"]').focus()
  await page.evaluate((text) => {
    const data = new globalThis.DataTransfer()
    data.setData('text/plain', text)
    document.activeElement.dispatchEvent(new globalThis.ClipboardEvent('paste', { clipboardData: data, bubbles: true }))
  }, link)
  const dialog = page.getByRole('dialog', { name: 'Add from a link' })
  check((await dialog.getByLabel('Link').inputValue()) === link, 'the dialog does not contain the pasted link')
  await dialog.getByRole('button', { name: 'Add to library' }).click()
  await until('the import is ready', async () => {
    const list = await assets()
    return list.length === before + 1 && list[0].status === 'uploaded'
  })
}

// A large upload resumes after a lost connection, and after a reload when the user chooses the file again.
async function resume() {
  const offsets = []
  page.on(
    'request',
    (r) => r.method() === 'PATCH' && r.url().includes('/upload/') && offsets.push(Number(r.headers()['upload-offset'])),
  )
  const network = await page.context().newCDPSession(page)
  const connect = (offline, uploadThroughput) =>
    network.send('Network.emulateNetworkConditions', { offline, latency: 0, downloadThroughput: -1, uploadThroughput })
  const sent = () =>
    page
      .getByRole('progressbar', { name: `Uploading ${basename(large)}` })
      .evaluate((e) => Number(e.getAttribute('aria-valuenow')))
  const atLeast = (part) => until(`the upload is at ${part}%`, async () => (await sent()) >= part)
  await connect(false, 20_000_000)
  await page.getByLabel('Files to add').setInputFiles(large)
  await atLeast(20)
  await connect(false, 500_000)
  await look('10-uploading')
  const lost = offsets.length
  await connect(true, 0)
  await page.locator('[data-upload=reconnecting]').waitFor()
  await connect(false, 10_000_000) // slow enough to reload the page during the upload
  await page.locator('[data-upload=sending]').waitFor()
  await atLeast(45)
  const on = offsets.slice(lost).find((o) => o !== 0)
  check(
    on > 0 && !offsets.slice(lost).includes(0),
    `after the lost connection, the upload resumed at ${offsets.slice(lost)}`,
  )
  const before = offsets.length
  await page.reload()
  check(warnings === 1, `leaving during an upload showed ${warnings} warnings`)
  await connect(false, -1)
  await page.getByLabel('Files to add').setInputFiles(large)
  await ready(basename(large))
  const again = offsets[before]
  check(again > 0, `after the reload, the upload started at ${again} instead of resuming`)
  const asset = (await assets()).find((a) => a.display_name === basename(large))
  check(asset.size_bytes === statSync(large).size, `the server received ${asset.size_bytes} bytes`)
  await page.goto(`${base}/library`)
  check(warnings === 1, 'leaving without uploads showed a warning')
  return { went_on_at: on, again_at: again }
}

// A library of a thousand assets renders only visible cards and fetches only their pages.
async function thousand() {
  const one = (await assets())[0]
  const asked = new Set()
  await page.route('**/api/v1/assets/?*', async (route) => {
    const query = new URL(route.request().url()).searchParams
    const number = Number(query.get('page') ?? 1)
    const size = Number(query.get('page_size') ?? 50)
    if (size > 1) asked.add(number)
    const items = Array.from({ length: Math.max(Math.min(size, 1000 - (number - 1) * size), 0) }, (_, i) => {
      const n = (number - 1) * size + i
      return { ...one, uuid: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`, display_name: `Asset ${n}` }
    })
    await route.fulfill({ json: { items, total: 1000, page: number, page_size: size } })
  })
  await page.reload()
  await page.getByText('Asset 0', { exact: true }).waitFor()
  const drawn = await page.locator('[role=gridcell]').count()
  check(drawn < 80, `the grid renders ${drawn} cards`)
  check(asked.size === 1, `the grid fetched the pages ${[...asked]} at once`)
  await look('11-thousand')
  const frames = await page.evaluate(async () => {
    const scroller = document.querySelector('[data-grid-scroll]')
    const frames = []
    for (let before = performance.now(), i = 0; i < 120; i++) {
      scroller.scrollTop += 120
      const now = await new Promise((done) => requestAnimationFrame(done))
      frames.push(now - before)
      before = now
    }
    return frames.sort((a, b) => a - b)
  })
  await page.locator('[role=gridcell][tabindex="0"], [role=gridcell]').first().focus()
  await page.keyboard.press('End')
  await page.getByText('Asset 999', { exact: true }).waitFor()
  await focused(999)
  const nodes = await page.evaluate(() => document.querySelectorAll('*').length)
  check(nodes < 2500, `the page has ${nodes} nodes at the end of a thousand assets`)
  await page.unrouteAll({ behavior: 'wait' })
  return { drawn, nodes, frame_ms: { median: Math.round(frames[60]), p95: Math.round(frames[114]) } }
}

// Dropping a file creates a project; after its analysis, the search finds a word of its transcript.
async function projects() {
  await page.getByRole('link', { name: 'Projects' }).click()
  await page.getByRole('heading', { name: 'From raw recording' }).waitFor()
  const bytes = readFileSync(video).toString('base64')
  await page.evaluate(
    ([bytes, name]) => {
      const data = new globalThis.DataTransfer()
      data.items.add(
        new globalThis.File([Uint8Array.from(globalThis.atob(bytes), (c) => c.charCodeAt(0))], name, {
          type: 'video/mp4',
        }),
      )
      for (const type of ['dragenter', 'dragover', 'drop'])
        document.body.dispatchEvent(
          new globalThis.DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }),
        )
    },
    [bytes, 'autumn_talk.mp4'],
  )
  await page.waitForURL(/\/projects\//)
  const project = new URL(page.url()).pathname.split('/').pop()
  await until('the clip is ready', async () => (await ask('GET', `/projects/${project}`)).duration_ms > 0)
  await page.goto(`${base}/`)
  await page.getByRole('link', { name: 'autumn talk' }).waitFor()
  await ask('POST', '/projects/', { name: 'zebra' })
  await page.reload()
  await page.getByText('Cuts proposed').waitFor()
  const names = () => page.locator('main h2 a').allTextContents()
  check((await names()).join() === 'zebra,autumn talk', `the newest projects first are ${await names()}`)
  await page.getByLabel('Sort by').selectOption('name')
  await until('the projects are sorted by name', async () => (await names()).join() === 'autumn talk,zebra')
  await look('12-projects')
  await page.getByRole('heading', { name: 'Projects' }).click()
  await page.keyboard.press('/')
  await page.keyboard.type('microphone')
  await page.getByRole('region', { name: 'autumn talk' }).locator('mark').first().waitFor()
  await look('13-search')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/projects\/.*at=/)
  const at = Number(new URL(page.url()).searchParams.get('at'))
  check(at > 1000, `the search result is at ${at} ms`)
  return { moment_ms: at }
}

const steps = { addSeveral, group, byKeys, find, trim, fromLink, resume, thousand, projects }
await run(
  async () => {
    page.on('dialog', (dialog) => {
      if (dialog.type() === 'beforeunload') warnings++
      void dialog.accept()
    })
    const result = {}
    for (const [name, step] of Object.entries(steps)) result[name] = (await step()) ?? true
    return result
  },
  { expected: ['ERR_INTERNET_DISCONNECTED'] },
)
