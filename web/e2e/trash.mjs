// Goes to cuts and captions of footage with numbered frames, removes clips and brings them back, and adds a speech model
// from a file. If a step fails, the script prints the reason and exits with 1.
//
// Environment:
//   BASE_URL  address of a server in single-user mode without a speech model
//   SESSION   session cookie as name=value
//   PROJECT   uuid of a project with two clips, with captions and cuts on the first one
//   RATE      frames per second of the clips
//   MODEL     path of a speech model
//   OTHER     path of a file that is not a speech model
import { ask, check, enter, look, page, run, until } from './browser.mjs'

const { BASE_URL: base, SESSION: session, PROJECT: project, MODEL: model, OTHER: other } = process.env
const rate = Number(process.env.RATE)

const button = (name, exact = true) => page.getByRole('button', { name, exact })
const tab = (name) => page.getByRole('tab', { name }).click()
const get = async (path) => (await ask('GET', `/projects/${project}${path}`)).items
const clips = () => get('/clips/')

// shownFrame reads the number of the visible frame: eight squares, black or white, the lowest bit on the left.
const shownFrame = () =>
  page.evaluate(() => {
    const video = document.querySelector('video[data-seen=true]')
    if (!video || video.seeking || video.readyState < 2) return null
    const still = document.querySelector('[data-testid=stage] canvas')
    const canvas = Object.assign(document.createElement('canvas'), { width: 640, height: 360 })
    const ctx = canvas.getContext('2d')
    ctx.drawImage(video, 0, 0, 640, 360)
    if (still?.width > 0) ctx.drawImage(still, 0, 0, 640, 360)
    let number = 0
    for (let bit = 0; bit < 8; bit++) if (ctx.getImageData(40 + 80 * bit, 40, 1, 1).data[0] > 128) number += 1 << bit
    return number
  })

async function shows(frame, what) {
  let seen = null
  try {
    await until(what, async () => {
      seen = await shownFrame()
      return seen === frame
    })
  } catch {
    check(false, `${what} shows frame ${seen} instead of ${frame}`)
  }
}

// firstFrame is the first frame on which an export draws a caption of the first clip.
const firstFrame = (line) => Math.ceil((line.start_ms * rate) / 1000 - 0.001)

async function exactFrames() {
  const cuts = (await get('/edits/')).filter((e) => e.type !== 'asset')
  await tab(/^Cuts/)
  for (const cut of cuts) {
    await page.locator(`[data-cut="${cut.uuid}"]`).click()
    await shows(Math.round((cut.start_ms * rate) / 1000), `the cut at ${cut.start_ms} ms`)
  }
  await tab(/^Captions/)
  const lines = await get('/caption-lines/')
  check(lines.length > 2, `there are ${lines.length} caption lines`)
  const starts = page.getByRole('list', { name: 'Caption lines' }).getByRole('button', { name: /^Go to/ })
  for (const [i, line] of lines.entries()) {
    await starts.nth(i).click()
    await shows(firstFrame(line), `the caption at ${line.start_ms} ms`)
  }
  await page.getByRole('list', { name: 'Caption lines' }).locator('textarea').first().click()
  await shows(firstFrame(lines[0]), 'the text of the first caption')
  await page.keyboard.press('Alt+ArrowDown')
  await shows(firstFrame(lines[1]), 'the key to the second caption')
  // The thumbnail at the pointer is whole, above the timeline.
  const wave = page.locator('canvas[data-wave-top]')
  const box = await wave.boundingBox()
  await page.mouse.move(box.x + box.width / 2, box.y + 20)
  const thumbnail = page.locator('[data-hover-thumbnail]')
  await thumbnail.waitFor()
  const clipped = await thumbnail.evaluate((e) => {
    const { top, bottom } = e.getBoundingClientRect()
    let parent = e.parentElement
    while (parent && window.getComputedStyle(parent).overflow === 'visible') parent = parent.parentElement
    const edge = parent && parent !== document.documentElement ? parent.getBoundingClientRect().top : 0
    return top < Math.max(edge, 0) || bottom - top < 60
  })
  check(!clipped, 'the thumbnail above the timeline is clipped')
  await look('hover')
  await page.mouse.move(5, 5)
}

async function trash() {
  const row = (name) =>
    page.getByRole('list', { name: 'Clips', exact: true }).getByRole('listitem').filter({ hasText: name })
  const total = async () => Number(await page.getByTestId('total-original').getAttribute('data-ms'))
  await tab(/^Clips/)
  const before = { clips: await clips(), edits: await get('/edits/'), captions: await get('/caption-lines/') }
  const same = async () =>
    JSON.stringify((await clips()).map((c) => c.uuid)) === JSON.stringify(before.clips.map((c) => c.uuid)) &&
    (await get('/edits/')).length === before.edits.length &&
    (await get('/caption-lines/')).length === before.captions.length
  const whole = await total()
  const [{ name }, { duration_ms: left }] = before.clips
  const last = Math.round((left * rate) / 1000) - 1
  const remove = async () => {
    await row(name).hover()
    await button(`Remove ${name}`).click()
    await row(name).waitFor({ state: 'detached' })
    await until('the timeline is shorter', async () => (await total()) < whole)
  }
  const comesBack = async (how) => {
    await row(name).waitFor()
    await until(`${how} brings the clip back with everything`, async () => (await same()) && (await total()) === whole)
  }

  // The player follows the clips: the position in the second clip comes to its end, and later to its start.
  await page.locator('body').click({ position: { x: 640, y: 24 } })
  await page.keyboard.press('End')
  await page.keyboard.press('Shift+ArrowLeft')
  await shows(last + 1 - rate, 'the place in the second clip')
  await remove()
  await shows(last, 'the end of what is left')
  const notice = page.getByText(`${name} is in the trash`)
  await notice.hover() // it stays while the pointer is on it
  check((await get('/edits/')).length === 0, 'the cuts of the removed clip are still there')
  await page.keyboard.press('Control+z')
  await comesBack('undo')
  await notice.waitFor({ state: 'detached' })
  await page.mouse.move(5, 5)
  await shows(0, 'the start of the second clip')
  await page.keyboard.press('Control+Shift+z')
  await row(name).waitFor({ state: 'detached' })
  await button('History').click()
  await button(`remove “${name}”`).waitFor()
  await look('history')
  await button('Before all changes').click()
  await comesBack('the history')
  await page.keyboard.press('Escape')

  await remove()
  await page.reload()
  await tab(/^Clips/)
  await page.getByText('1 item in the trash').click()
  await button(`Restore ${name}`).waitFor()
  await look('trash')
  await page.getByText('1 item in the trash').click() // the phone layout has its own list
  await button(`Restore ${name}`).click()
  await comesBack('the trash')
  check((await page.getByText('in the trash', { exact: false }).count()) === 0, 'the trash is not empty')

  await remove()
  await page.getByText('1 item in the trash').click()
  await button('Empty trash').click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Empty trash' }).click()
  await until('the trash is empty', async () => (await get('/trash/')).length === 0)
  check((await clips()).length === 1, 'another clip is gone')
}

async function models() {
  await page.goto(`${base}/settings/models`)
  const field = page.getByLabel('Speech model to add')
  await page.getByText('No speech model is installed').waitFor()
  await field.setInputFiles(other)
  await page.getByRole('alert').getByText('is not a speech model').waitFor()
  await look('no-model')
  await field.setInputFiles(model)
  await page.getByRole('list', { name: 'Installed models' }).getByText('In use').waitFor()
  const [{ name, active }] = (await ask('GET', '/models')).items.filter((m) => m.installed)
  check(active, `the added model ${name} is not used`)
  await look('model')
}

// A click on Rename in a menu puts the focus into the field.
async function rename() {
  await page.goto(base)
  await page.getByRole('button', { name: /^Actions for/ }).click()
  await page.getByRole('menuitem', { name: 'Rename' }).click()
  await page.getByRole('dialog').waitFor()
  await until('the menu is closed', async () => (await page.getByRole('menu').count()) === 0)
  await page.keyboard.type('Another name')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: /Another name$/ }).waitFor()
}

await run(async () => {
  await enter(base, session)
  await page.goto(`${base}/projects/${project}`)
  await page.locator('canvas[data-wave-top]').waitFor()
  await exactFrames()
  await trash()
  await models()
  await rename()
})
