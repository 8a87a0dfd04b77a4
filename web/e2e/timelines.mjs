// Sends a project of two clips to another editor as a person does: the clip with a variable frame rate gets a
// constant-rate copy, which the archive has in its place. A timeline with the clips in another order comes back, and one
// step undoes it. So does a timeline that plays a clip out of order. Duplicates clips before and after an
// analysis. Prints one JSON object.
//
// Environment:
//   BASE_URL  address of the server
//   SESSION   session cookie as name=value
//   PROJECT   UUID of a project with two clips, "steady" and "variable", of which the second has a variable frame rate
//   RECORDING path of a recording to add
import { Buffer } from 'node:buffer'
import { readFile } from 'node:fs/promises'
import { ask, check, enter, look, page, run, settled, until } from './browser.mjs'

const { BASE_URL: base, SESSION: session, PROJECT: project, RECORDING: recording } = process.env

const dialog = () => page.getByRole('dialog')

async function openTab() {
  await page.goto(`${base}/projects/${project}`)
  await page.getByTestId('total-original').waitFor()
  await page.getByRole('button', { name: 'Play', exact: true }).waitFor()
  await page.locator('body').click({ position: { x: 640, y: 24 } })
  await page.keyboard.press('e')
  await dialog().getByRole('tab', { name: 'Timeline & text' }).click()
}

const downloaded = async (button) => {
  const [file] = await Promise.all([page.waitForEvent('download'), button.click()])
  return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'latin1') }
}

const row = (format) => dialog().locator(`[data-format=${format}]`)

// Makes the constant-rate copy, downloads the archive with it, and deletes the copy.
async function copies() {
  const list = dialog().getByTestId('variable-rates')
  await list.waitFor()
  check((await list.locator('li').count()) === 1, 'more than one clip is marked')
  check((await list.locator('li').textContent()).includes('variable.mp4'), 'another clip is marked')
  await list.scrollIntoViewIfNeeded()
  await look('1-variable')
  await list.getByRole('button', { name: 'Make constant-rate copy' }).click()
  await list.locator('[data-copy=ready]').waitFor()
  await look('2-copy')
  const bundle = await downloaded(row('otio').getByRole('button', { name: /with its media/ }))
  check(bundle.text.includes('media/steady.mp4'), 'the archive lacks the first recording')
  check(bundle.text.includes('media/variable constant rate.mp4'), 'the archive lacks the copy')
  check(!bundle.text.includes('media/variable.mp4'), 'the archive has the original next to its copy')
  await list.getByRole('button', { name: /^Delete the copy/ }).click()
  await list.locator('[data-copy=none]').waitFor()
  const original = await downloaded(row('otio').getByRole('button', { name: /with its media/ }))
  check(original.text.includes('media/variable.mp4'), 'the archive lacks the original')
  return (await list.textContent()).trim()
}

const order = async () => (await ask('GET', `/projects/${project}/clips/`)).items.map((c) => c.name)

// Opens a timeline with the clips in another order and applies it. One step undoes it.
async function reordered() {
  const otio = await downloaded(row('otio').getByRole('button', { name: 'Download OpenTimelineIO', exact: true }))
  const file = JSON.parse(Buffer.from(otio.text, 'latin1').toString())
  for (const track of file.tracks.children) track.children.reverse()
  const before = await order()
  await dialog().getByLabel('Changed timeline').setInputFiles(changed(otio, file))
  const difference = dialog().getByTestId('timeline-difference')
  await difference.waitFor()
  check((await difference.getAttribute('data-changes')) === '1', 'the order is not the only change')
  const said = (await difference.locator('li').textContent()).trim()
  check(said === 'New order of clipsvariable.mp4, steady.mp4', `the change is "${said}"`)
  await difference.scrollIntoViewIfNeeded()
  await look('3-order')
  await difference.getByRole('button', { name: 'Apply 1 change' }).click()
  await until('the clips have the new order', async () => `${await order()}` === `${[...before].reverse()}`)
  await page.keyboard.press('Escape')
  await dialog().waitFor({ state: 'hidden' })
  await page.getByRole('tab', { name: /Clips/ }).click()
  await look('4-applied')
  await page.locator('body').click({ position: { x: 640, y: 24 } })
  await page.keyboard.press('Control+z')
  await until('one step undoes the order', async () => `${await order()}` === `${before}`)
  return said
}

const changed = (otio, from) => ({
  name: otio.name,
  mimeType: 'application/json',
  buffer: Buffer.from(JSON.stringify(from)),
})

// Opens a timeline that plays the first clip out of order and applies it: Roughcut adds a duplicate. One step undoes it.
async function rearranged() {
  await openTab()
  const otio = await downloaded(row('otio').getByRole('button', { name: 'Download OpenTimelineIO', exact: true }))
  const file = JSON.parse(Buffer.from(otio.text, 'latin1').toString())
  for (const { children } of file.tracks.children) {
    const late = JSON.parse(JSON.stringify(children[0]))
    const half = Math.floor(late.source_range.duration.value / 2)
    late.source_range.start_time.value += half
    late.source_range.duration.value -= half
    children[0].source_range.duration.value = half
    children.unshift(late)
  }
  const before = await order()
  await dialog().getByLabel('Changed timeline').setInputFiles(changed(otio, file))
  const difference = dialog().getByTestId('timeline-difference')
  await difference.waitFor()
  check((await difference.getAttribute('data-changes')) === '1', 'the arrangement is not the only change')
  const said = (await difference.locator('li').textContent()).trim()
  check(said.startsWith('New order of partsadds 1 duplicate1. steady.mp4 '), `the change is "${said}"`)
  await difference.scrollIntoViewIfNeeded()
  await look('5-arrange')
  await difference.getByRole('button', { name: 'Apply 1 change' }).click()
  const after = [before[0], ...before]
  await until('the clips have a duplicate', async () => `${await order()}` === `${after}`)
  await page.keyboard.press('Escape')
  await dialog().waitFor({ state: 'hidden' })
  await page.getByRole('tab', { name: /Clips/ }).click()
  await until('the list shows the duplicate', async () => (await page.locator('[data-clip]').count()) === 3)
  await look('6-arranged')
  await page.locator('body').click({ position: { x: 640, y: 24 } })
  await page.keyboard.press('Control+z')
  await until('one step undoes the arrangement', async () => `${await order()}` === `${before}`)
  await page.keyboard.press('Control+Shift+z')
  await until('redo brings the duplicate back', async () => `${await order()}` === `${after}`)
  await page.keyboard.press('Control+z')
  await until('undo takes it away again', async () => `${await order()}` === `${before}`)
  return said
}

const notAnalyzed = () => page.getByText('New clips have not been analyzed yet.')

// Finds the cuts, which the duplicates of a clip have too: only a new recording needs another analysis.
async function analyzed() {
  await page.getByRole('button', { name: 'Find cuts' }).first().click()
  await page.getByRole('slider', { name: 'Pacing' }).waitFor()
  const shown = page.locator('[data-clip]')
  const clips = async (n) => {
    await until(`the list has ${n} clips`, async () => (await shown.count()) === n)
    await settled()
    check((await notAnalyzed().count()) === 0, `the analysis does not cover ${n} clips`)
  }
  await page.getByRole('tab', { name: /Clips/ }).click()
  await clips(3)
  await shown.nth(0).click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Duplicate' }).click()
  await clips(4)
  await look('9-analyzed')
  await page.locator('body').click({ position: { x: 640, y: 24 } })
  await page.keyboard.press('Control+z')
  await clips(3)
  await page.keyboard.press('Control+Shift+z')
  await clips(4)
  await page.keyboard.press('Control+z')
  await clips(3)
  await page.locator('input[type=file][accept*="video"]').first().setInputFiles(recording)
  await notAnalyzed().waitFor()
  await look('10-not-analyzed')
}

// Duplicates a clip with its menu and with the keyboard.
async function duplicated() {
  const before = await order()
  const clip = (n) => page.locator('[data-clip]').nth(n)
  await until('the duplicate is gone', async () => (await page.locator('[data-clip]').count()) === 2)
  await clip(1).click({ button: 'right' })
  await look('7-menu')
  await page.keyboard.press('Escape')
  await clip(1).click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Duplicate' }).click()
  await until('the menu duplicates the clip', async () => `${await order()}` === `${[...before, before[1]]}`)
  await until('the list shows it', async () => (await clip(2).textContent()).includes('duplicate'))
  await clip(0).getByRole('button').first().focus()
  await page.keyboard.press('Control+d')
  await until('the keys duplicate the clip', async () => (await order()).length === 4)
  await look('8-duplicates')
  const list = await order()
  await page.keyboard.press('Control+z')
  await until('undo removes the last duplicate', async () => (await order()).length === 3)
  return list
}

await run(async () => {
  await enter(base, session)
  await openTab()
  return {
    copies: await copies(),
    order: await reordered(),
    arrangement: await rearranged(),
    duplicates: await duplicated(),
    analyzed: await analyzed(),
  }
})
