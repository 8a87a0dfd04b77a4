// Makes the first cut as a new user does, and counts the clicks and the waits: drop a recording, review the cuts, export
// and download. Files that are not recordings make no project. Then the same by keyboard alone, on a phone, the same with "Export when analyzed", with a notification, and with settings that are chosen while
// the recording is uploaded. Prints one JSON object; a failed step exits with 1 and a message.
//
// Environment:
//   BASE_URL     address of the server with its launch token
//   VIDEO        path of the recording
//   DOWNLOADS    folder for the downloads
import { Buffer } from 'node:buffer'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { ask, check, fits, look, page, run, settled, until } from './browser.mjs'

const { BASE_URL: launchURL, VIDEO: video, DOWNLOADS: downloads } = process.env
const SLOW = statSync(video).size / 4 // bytes per second: an upload takes about four seconds

const button = (name, exact = true) => page.getByRole('button', { name, exact })
const project = () => new URL(page.url()).pathname.split('/').pop()
const latestRun = async () => (await ask('GET', `/projects/${project()}/analysis-runs`)).items[0]

// The clicks of a person, and the moments in which the next step is not possible yet. A page that answers within NOTICED_MS makes
// no one wait.
const NOTICED_MS = 3_000
let waits = 0
const clicks = () => page.evaluate(() => window.trustedClicks)
async function wait(locator) {
  if (!(await locator.isVisible())) waits++
  await locator.waitFor()
}
// press clicks a button. It counts a wait if the button cannot be clicked soon.
async function press(locator) {
  const end = performance.now() + NOTICED_MS
  const ready = async () => (await locator.isVisible()) && (await locator.isEnabled())
  await until('the button can be clicked', async () => (await ready()) || performance.now() > end)
  if (!(await ready())) waits++
  await locator.click()
}
async function count() {
  waits = 0
  await page.evaluate(() => {
    window.trustedClicks = 0
  })
}

async function drop(name, type = 'video/mp4', content = readFileSync(video)) {
  await page.evaluate(
    ([bytes, name, type]) => {
      const data = new globalThis.DataTransfer()
      const file = new globalThis.File([Uint8Array.from(globalThis.atob(bytes), (c) => c.charCodeAt(0))], name, {
        type,
      })
      data.items.add(file)
      for (const type of ['dragenter', 'dragover', 'drop'])
        document.body.dispatchEvent(
          new globalThis.DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }),
        )
    },
    [content.toString('base64'), name, type],
  )
}

async function limitUpload(uploadThroughput) {
  const network = await page.context().newCDPSession(page)
  await network.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput,
  })
}

const titled = (start) => until(`the title starts with ${start}`, async () => (await page.title()).startsWith(start))

async function download(name) {
  const [file] = await Promise.all([page.waitForEvent('download'), button('Download').first().click()])
  const path = join(downloads, name)
  await file.saveAs(path)
  return path
}

async function home() {
  await page.goto(new URL('/', launchURL).href)
  await button('New project').first().waitFor()
}

// Drop, review, Export, Export, Download.
async function threeClicks() {
  await count()
  await drop('kitchen_light.mp4')
  await wait(page.locator('[data-cut]').first())
  check((await page.getByLabel('Project name').inputValue()) === 'kitchen light', 'the file does not name the project')
  check((await page.title()) === 'kitchen light · Roughcut', `the title is ${await page.title()}`)
  await press(button('Export'))
  await press(page.getByRole('dialog').getByRole('button', { name: 'Export', exact: true }))
  await titled('Exporting')
  await wait(button('Download').first())
  const path = await download('reviewed.mp4')
  return { clicks: await clicks(), waits, path }
}

// Files that are not recordings make no project; an image becomes an asset.
async function notRecordings() {
  await drop('notes.bin', 'application/octet-stream', Buffer.from('notes'))
  await page.getByText('notes.bin is not a recording').waitFor()
  const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
  await drop('train.png', 'image/png', Buffer.from(png, 'base64'))
  await page.getByText('train.png is in your library').waitFor()
  await until('the image is an asset', async () => (await ask('GET', '/assets/')).items.length === 1)
  check((await ask('GET', '/projects/')).items.length === 0, 'a file that is not a recording made a project')
}

// Reviews the cuts by touch in the window of a phone: several are chosen and rejected together, and the export can be started
// without scrolling.
async function phone() {
  const before = page.viewportSize()
  const device = await page.context().newCDPSession(page)
  await device.send('Emulation.setTouchEmulationEnabled', { enabled: true })
  await page.setViewportSize({ width: 390, height: 844 })
  const tap = async (locator) => {
    await locator.waitFor()
    await settled()
    let box
    await until('what is tapped stands still', async () => {
      const before = JSON.stringify(box)
      box = await locator.boundingBox()
      return JSON.stringify(box) === before && (await inside(locator))
    })
    const touchPoints = [{ x: box.x + box.width / 2, y: box.y + box.height / 2 }]
    await device.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints })
    await device.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
  }
  const inside = (locator) =>
    locator.evaluate((e) => {
      const { x, y, width, height } = e.getBoundingClientRect()
      const top = document.elementFromPoint(x + width / 2, y + height / 2)
      return top !== null && (e.contains(top) || top.contains(e))
    })
  await tap(page.getByRole('tab', { name: /^Cuts/ }))
  const rows = page.locator('[data-cut]')
  let seen = 0
  for (const row of await rows.all()) if (await inside(row)) seen++
  check(seen >= Math.min(6, await rows.count()), `a phone shows ${seen} of ${await rows.count()} cuts`)
  await tap(button('Select'))
  await tap(rows.nth(0))
  await tap(rows.nth(1))
  const bar = page.getByRole('toolbar', { name: 'Chosen cuts' })
  await bar.getByText(/^2 cuts/).waitFor()
  await look('phone')
  await tap(bar.getByRole('button', { name: 'Reject' }))
  const active = async () => (await ask('GET', `/projects/${project()}/edits/`)).items.map((e) => e.active)
  await until('two cuts are rejected', async () => (await active()).filter((on) => !on).length >= 2)
  await tap(bar.getByRole('button', { name: 'Choose none' }))
  await bar.waitFor({ state: 'detached' })
  await tap(button('Adjust'))
  await page.getByRole('slider', { name: 'Pacing' }).waitFor()
  await fits('the settings of the cuts')
  await tap(button('Export').first())
  const start = page.getByRole('dialog').getByRole('button', { name: 'Export', exact: true })
  await start.waitFor()
  await settled()
  check(await inside(start), 'a phone hides the button that starts the export')
  await page.keyboard.press('Escape')
  await page.setViewportSize(before)
  await device.send('Emulation.setTouchEmulationEnabled', { enabled: false })
}

// Drop, Export when analyzed, Download. The choice is made during the upload.
async function twoClicks() {
  await home()
  await limitUpload(SLOW)
  await count()
  await drop('second talk.mp4')
  await titled('Uploading')
  const later = page.getByRole('switch', { name: 'Export when analyzed' })
  await until('the export can be requested', () => later.isEnabled())
  const { waits_for_clips } = await latestRun()
  check(waits_for_clips, 'the analysis does not wait for the upload')
  await later.click()
  await until('the server knows the export', async () => (await latestRun()).export_when_done !== null)
  const used = await clicks()
  await look('uploading')
  await limitUpload(-1)
  await page.evaluate((n) => {
    window.trustedClicks = n
  }, used)
  await wait(button('Download').first())
  await look('exported')
  const path = await download('unattended.mp4')
  return { clicks: await clicks(), waits, path }
}

// tabTo presses Tab until an element has the focus, which must be visible.
async function tabTo(locator) {
  await locator.waitFor()
  for (let presses = 0; presses < 80; presses++) {
    if (await locator.evaluate((e) => e === document.activeElement)) {
      const { outline, shadow } = await locator.evaluate((e) => {
        const style = window.getComputedStyle(e)
        return { outline: style.outlineStyle, shadow: style.boxShadow }
      })
      check(outline !== 'none' || shadow !== 'none', 'the focus is not visible')
      return
    }
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not reach ${locator}`)
}

// Choose a file, review every cut, play, undo, export and download, without a mouse.
async function keyboardOnly() {
  await home()
  await count()
  await tabTo(button('New project').first())
  await page.keyboard.press('Enter')
  const name = page.getByLabel('Name', { exact: true })
  await name.waitFor()
  await until('the name has the focus', () => name.evaluate((e) => e === document.activeElement))
  await page.keyboard.type('Keys only')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/projects\/./)
  const chooser = page.waitForEvent('filechooser') // early, because the browser notes the wish late
  await tabTo(button('Choose files'))
  await page.keyboard.press('Enter')
  await (await chooser).setFiles(video)
  await page.locator('[data-cut]').first().waitFor()
  const active = async () => (await ask('GET', `/projects/${project()}/edits/`)).items.map((e) => e.active)
  const list = page.getByRole('grid', { name: 'Cuts' })
  await tabTo(list)
  const before = await active()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('n')
  await until('a cut is rejected', async () => (await active()).join() !== before.join())
  await page.keyboard.press('Control+z')
  await until('the cut is accepted', async () => (await active()).join() === before.join())
  for (let i = 0; i < before.length; i++) await page.keyboard.press('y')
  await tabTo(button('Play'))
  await page.keyboard.press('Space')
  await button('Pause').waitFor()
  await page.keyboard.press('Space')
  await button('Play').waitFor()
  await tabTo(button('Export').first())
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog')
  await tabTo(dialog.getByRole('button', { name: 'Export', exact: true }))
  await look('keyboard-export')
  await page.keyboard.press('Enter')
  const save = button('Download').first()
  await tabTo(save)
  const [file] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')])
  await file.saveAs(join(downloads, 'keys.mp4'))
  check(statSync(join(downloads, 'keys.mp4')).size > 10_000, 'the download is empty')
}

// A notification is asked for by a click and shown when the person looks at something else.
async function notification() {
  await home()
  await limitUpload(SLOW)
  await drop('third talk.mp4')
  await button('Notify me').waitFor()
  check((await page.evaluate(() => window.permissionRequests)) === 0, 'the page asked for permission without a click')
  await button('Notify me').click()
  await button('Notifications on').waitFor()
  await page.evaluate(() => {
    document.hasFocus = () => false
  })
  await limitUpload(-1)
  await page.getByText('Finding cuts…').first().waitFor()
  await look('analyzing')
  const shown = await until('a notification appears', () => page.evaluate(() => window.notifications[0]))
  check(shown.title === 'third talk' && /^\d+ cuts? found$/.test(shown.body), `notified ${JSON.stringify(shown)}`)
  await page.locator('[data-cut]').first().waitFor()
}

// Choosing files queues the analysis, too. Without it, the settings show during the upload. Find cuts is queued, and the
// next project has the same settings.
async function settings() {
  await ask('POST', '/users/me/presets', {
    name: 'Weekly podcast',
    pacing_level: 80,
    language: 'en',
    cut_fillers: true,
  })
  await home()
  await button('New project').first().click()
  await page.getByLabel('Name', { exact: true }).fill('By hand')
  await button('Create project').click()
  await page.waitForURL(/\/projects\/./)
  await limitUpload(SLOW)
  // The projects page has such a field, too, and stays until the page of the project has loaded.
  await page.getByRole('region', { name: 'Add your recording' }).getByLabel('Recordings to add').setInputFiles(video)
  await until('the analysis is queued', latestRun)
  await page.getByRole('region', { name: 'Queued analysis' }).getByRole('button', { name: 'Cancel' }).click()
  const preset = page.getByLabel('Preset')
  await preset.waitFor()
  await look('settings')
  check((await preset.inputValue()) === 'standard', 'the standard preset is not chosen')
  await preset.selectOption({ label: 'Weekly podcast' })
  check((await page.getByLabel('Language').inputValue()) === 'en', 'the preset does not set the language')
  await page.getByRole('switch', { name: 'Cut fillers' }).click()
  check((await preset.inputValue()) === 'custom', 'changed settings are still called a preset')
  await button('Find cuts').click()
  await page.getByText('Finding cuts…').first().waitFor()
  await limitUpload(-1)
  await page.locator('[data-cut]').first().waitFor()
  const first = await latestRun()
  check(
    first.pacing_level === 80 && first.language === 'en' && first.cut_fillers === false,
    `the run has ${JSON.stringify(first)}`,
  )
  await button('Find again').click()
  const question = page.getByRole('alertdialog', { name: 'Find cuts again?' })
  await question.waitFor()
  await look('find-again')
  await question.getByRole('button', { name: 'Find cuts' }).click()
  await until('a second run exists', async () => (await latestRun()).uuid !== first.uuid)
  check((await latestRun()).language === 'en', 'the second run lost the language')

  // A dropped recording has the last settings too, and later those of a default preset.
  const analyzed = async (name) => {
    await home()
    await drop(name)
    await page.waitForURL(/\/projects\//)
    const run = await until('the analysis is queued', latestRun)
    await page.locator('[data-cut]').first().waitFor()
    return run
  }
  const last = await analyzed('last values.mp4')
  check(last.pacing_level === 80 && last.language === 'en', `the last values are lost: ${JSON.stringify(last)}`)
  await ask('POST', '/users/me/presets', { name: 'House style', pacing_level: 20, is_default: true })
  const standard = await analyzed('default preset.mp4')
  check(standard.pacing_level === 20, `the default preset is not used: ${JSON.stringify(standard)}`)
}

await run(async () => {
  await page.addInitScript(() => {
    window.trustedClicks = 0
    window.addEventListener('click', (event) => event.isTrusted && window.trustedClicks++, true)
    window.permissionRequests = 0
    window.notifications = []
    window.Notification = class {
      static permission = 'default'
      static async requestPermission() {
        window.permissionRequests++
        window.Notification.permission = 'granted'
        return 'granted'
      }
      constructor(title, options) {
        window.notifications.push({ title, body: options.body })
      }
    }
  })
  await page.goto(launchURL)
  await button('New project').first().waitFor()
  await notRecordings()
  const reviewed = await threeClicks()
  await phone()
  await keyboardOnly()
  const unattended = await twoClicks()
  await notification()
  await settings()
  return { reviewed, unattended }
})
