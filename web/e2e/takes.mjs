// Compares takes, chooses one, mutes cuts, reviews the doubtful cuts, and changes the kinds of silence in a real browser.
// Requests an export and reads on the presets page what Roughcut learned from it. Prints one JSON object.
//
// Environment:
//   BASE_URL  address of the server
//   SESSION   session cookie as name=value
//   PROJECT   UUID of an analyzed project with a group of three takes, of which the third is proposed
import { ask, check, enter, look, page, reportNoFrames, run, until } from './browser.mjs'

const { BASE_URL: base, SESSION: session, PROJECT: project } = process.env

const total = async (name) => Number(await page.getByTestId(`total-${name}`).getAttribute('data-ms'))
const answered = (method, part) =>
  page.waitForResponse((r) => r.request().method() === method && r.url().includes(part) && r.ok())
const saved = () =>
  page.waitForFunction(() => document.querySelector('[data-testid=saved]').textContent.includes('All changes saved'))
const selected = () => page.locator('[data-cut][aria-selected=true]')
const edits = async () => (await ask('GET', `/projects/${project}/edits/`)).items
const groups = async () => (await ask('GET', `/projects/${project}/take-groups/`)).items
const keptOnServer = async () => (await groups())[0].takes.filter((t) => t.kept).map((t) => t.number)
const keptOnPage = () =>
  page.locator('[data-take][data-kept=true]').evaluateAll((rows) => rows.map((r) => Number(r.dataset.take)))

async function open() {
  await page.goto(`${base}/projects/${project}`)
  await page.locator('[data-cut]').first().waitFor()
  await page.getByTestId('total-original').waitFor()
  await page.locator('body').click({ position: { x: 640, y: 24 } })
}

// keeps waits until the page and the server keep one take.
async function keeps(number, what) {
  await page.locator(`[data-take="${number}"][data-kept=true]`).waitFor()
  await saved()
  const [here, there] = [await keptOnPage(), await keptOnServer()]
  check(
    here.join() === `${number}` && there.join() === `${number}`,
    `${what}: the page keeps ${here}, the server ${there}`,
  )
}

// allVisible checks that a laptop shows all takes at once.
async function allVisible() {
  const before = page.viewportSize()
  await page.setViewportSize({ width: 1366, height: 768 })
  await until('a laptop shows the three takes', async () => {
    const list = await page.getByRole('grid', { name: 'Cuts' }).boundingBox()
    const last = await page.locator('[data-take="3"]').boundingBox()
    return last && last.y + last.height <= list.y + list.height
  })
  await page.setViewportSize(before)
}

const position = () =>
  page.getByTestId('position').evaluate((e) => {
    const [minutes, seconds] = e.textContent.split(':')
    return Number(minutes) * 60_000 + Number(seconds) * 1000
  })

// playsTake plays a take by keyboard and waits until it has stopped at its end.
async function playsTake({ number, end_ms }) {
  await page.keyboard.press(`Shift+Digit${number}`)
  await until(
    `take ${number} stops at its end`,
    async () =>
      Math.abs((await position()) - end_ms) < 60 &&
      (await page.getByRole('button', { name: 'Play', exact: true }).isVisible()),
  )
}

// Goes to the takes by keyboard, plays one in a browser that reports no frames, and chooses another one.
async function chooseTakes() {
  for (let i = 0; i < 20 && (await page.locator('[data-takes]').count()) === 0; i++)
    await page.keyboard.press('ArrowDown')
  check((await page.locator('[data-take]').count()) === 3, 'the selected cut does not show three takes')
  await keeps(3, 'at first')
  const aborted = await page.locator('[data-take="1"]').textContent()
  check(
    aborted.includes('Take 2 completes it'),
    `the partial take does not name the sentence that it aborts: ${aborted}`,
  )
  await look('1-takes')
  await allVisible()

  const [{ takes }] = await groups()
  await page.evaluate(reportNoFrames)
  await playsTake(takes[1])

  const before = await total('result')
  const cuts = (await edits()).length
  let choice = answered('POST', '/choose')
  await page.keyboard.press('1')
  await choice
  await keeps(1, 'after 1')
  check((await total('result')) !== before, 'choosing a take does not change the length of the result')
  await page.keyboard.press('Control+z')
  await keeps(3, 'after undo')
  check((await total('result')) === before, 'undo does not restore the length of the result')
  check((await edits()).length === cuts, 'undo leaves a cut that the choice created')
  await page.keyboard.press('Control+Shift+z')
  await keeps(1, 'after redo')
  choice = answered('POST', '/choose')
  await page.locator('[data-take="3"] button[aria-pressed]').click()
  await choice
  await keeps(3, 'after a click')
}

// Mutes a cut by keyboard and by its menu.
async function mute() {
  const uuid = await selected().getAttribute('data-cut')
  const before = await total('result')
  let answer = answered('PATCH', `/edits/${uuid}`)
  await page.keyboard.press('u')
  await answer
  await saved()
  check((await edits()).find((e) => e.uuid === uuid).action === 'mute', 'U does not mute the selected cut')
  check((await total('result')) > before, 'a mute still shortens the result')
  await page.locator('[data-word].word-muted').first().waitFor()
  check((await page.locator('[data-word].word-muted.removed-text').count()) === 0, 'muted words are crossed out')
  await look('2-muted')
  answer = answered('POST', '/edit-history/undo')
  await page.keyboard.press('Control+z')
  await answer
  await saved()
  check((await total('result')) === before, 'undo does not cut again')

  const row = page.locator(`[data-cut="${uuid}"]`)
  const item = page.getByRole('menuitem', { name: /Mute instead of cut/ })
  await row.click({ button: 'right', position: { x: 60, y: 12 } })
  await item.waitFor()
  await look('3-menu')
  await page.keyboard.press('Escape')
  await item.waitFor({ state: 'hidden' })
  await row.click({ button: 'right', position: { x: 60, y: 12 } })
  answer = answered('PATCH', `/edits/${uuid}`)
  await item.click()
  await answer
  await saved()
  check((await row.getAttribute('data-action')) === 'mute', 'the menu does not mute the cut')
  await row.click({ position: { x: 60, y: 12 } })
  await page.keyboard.press('Control+z')
  await saved()
}

// Steps through the cuts below a confidence only.
async function review() {
  const doubtful = (await edits()).filter((e) => e.confidence !== null && Math.round(e.confidence * 100) < 75)
  await page.getByRole('radio', { name: /below 75/ }).click()
  await until('the list is limited', async () => (await page.locator('[data-cut]').count()) === doubtful.length)
  await page.locator('body').click({ position: { x: 640, y: 24 } })
  await page.keyboard.press('Home')
  await page.keyboard.press('Escape')
  const seen = []
  for (let i = 0; i < doubtful.length; i++) {
    await page.keyboard.press('ArrowDown')
    seen.push(await selected().getAttribute('data-cut'))
  }
  check(
    seen.join() === doubtful.map((e) => e.uuid).join(),
    `the review visits ${seen} of ${doubtful.map((e) => e.uuid)}`,
  )
  await look('4-doubtful')
  await page.getByRole('radio', { name: 'All' }).click()
  return doubtful.length
}

async function moreChoices() {
  await page.getByRole('button', { name: 'More choices' }).click()
  const answer = page.waitForResponse(
    (r) => r.url().endsWith('/replan') && !r.request().postDataJSON().dry_run && r.ok(),
  )
  await page.getByRole('group', { name: 'Breaths' }).getByRole('radio', { name: 'Keep' }).click()
  const sent = (await answer).request().postDataJSON()
  check(sent.breaths === 'keep' && sent.background === 'remove', `the replan got ${JSON.stringify(sent)}`)
  await page.getByRole('button', { name: 'More choices (1)' }).waitFor()
  for (const on of [false, true]) {
    await page.getByRole('switch', { name: 'Suggest assets' }).click()
    await until(
      'the switch of the project is stored',
      async () => (await ask('GET', `/projects/${project}`)).ai_director === on,
    )
  }
  await look('5-more-choices')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  await page.locator('body').click({ position: { x: 640, y: 24 } })
  await page.getByRole('button', { name: 'Undo change settings' }).waitFor()
  await page.keyboard.press('Control+z')
  await page.getByRole('button', { name: 'More choices', exact: true }).waitFor()
  await saved()
}

// Rejects two cuts, and undoes and redoes them in the list of changes, after a reload and on another device.
async function changes() {
  const active = async () => (await edits()).filter((e) => e.active).length
  const before = await active()
  const [first, second] = (await edits()).filter((e) => e.active && e.type === 'silence')
  for (const { uuid } of [first, second]) {
    await page.locator(`[data-cut="${uuid}"]`).click({ position: { x: 60, y: 12 } })
    const answer = answered('PATCH', `/edits/${uuid}`)
    await page.keyboard.press('n')
    await answer
  }
  await saved()
  await page.reload()
  await page.getByRole('button', { name: 'Undo reject cut' }).waitFor()
  const list = page.getByRole('list', { name: 'History' })
  await page.getByRole('button', { name: 'History' }).click()
  await list.waitFor()
  await look('5a-history')
  const rejected = list.getByRole('button', { name: 'reject cut', exact: true })
  await rejected.nth(1).click()
  await list.getByRole('button', { name: 'reject cut, undone' }).waitFor()
  await page.keyboard.press('Escape')
  await saved()
  check((await active()) === before - 1, 'the list of changes did not undo one change')
  await ask('POST', `/projects/${project}/edit-history/undo`) // another device
  await page.reload()
  await page.getByRole('button', { name: 'Redo reject cut' }).click()
  await saved()
  check((await active()) === before - 1, 'redo after a reload does not reject the cut')
  await page.getByRole('button', { name: 'Undo reject cut' }).click()
  await saved()
  check((await active()) === before, 'undo after a reload does not restore the cut')
}

// Accepts one suggested asset, then a selected one, and dismisses the last one. A slider changes none of them.
async function suggestions() {
  const placed = async () => (await edits()).filter((e) => e.type === 'asset')
  const rows = page.locator('[data-suggestion]')
  await page.getByRole('button', { name: '3 suggestions' }).click()
  check((await rows.count()) === 3, 'the page does not list three suggestions')
  check(
    (await placed()).every((e) => !e.active),
    'a suggestion is in the video before it is accepted',
  )
  await rows.first().getByText('welcome back').waitFor()
  await look('5c-suggestions')
  await sixCuts()
  await rows.first().getByRole('button', { name: 'Accept lamp.png' }).click()
  await rows.nth(1).waitFor()
  await rows.first().getByRole('checkbox').check()
  await page.getByRole('button', { name: 'Accept 1', exact: true }).click()
  await saved()
  await page.getByRole('button', { name: '1 suggestion', exact: true }).click() // a low window shows the settings again
  const pacing = page.getByRole('slider', { name: 'Pacing' })
  const answer = page.waitForResponse(
    (r) => r.url().endsWith('/replan') && !r.request().postDataJSON().dry_run && r.ok(),
  )
  await pacing.press('ArrowRight')
  await answer
  await page.getByRole('button', { name: 'Undo change settings' }).waitFor()
  check((await placed()).filter((e) => e.active).length === 2, 'the slider changed accepted placements')
  await page.keyboard.press('Control+z')
  await saved()
}

// A common laptop window shows six cuts next to open suggestions.
async function sixCuts() {
  const before = page.viewportSize()
  await page.setViewportSize({ width: 1366, height: 768 })
  const count = (await edits()).filter((e) => e.type !== 'asset').length
  const inView = () =>
    page.getByRole('grid', { name: 'Cuts' }).evaluate((grid) => {
      const { bottom } = grid.getBoundingClientRect()
      return [...grid.querySelectorAll('[data-cut]')].filter((r) => r.getBoundingClientRect().bottom <= bottom + 1)
        .length
    })
  await until('six cuts are in view', async () => (await inView()) >= Math.min(6, count))
  await page.setViewportSize(before)
}

// Rejects a cut and finds the cuts again. The cut stays rejected, and undo brings the former run back.
async function again() {
  const runs = async () => (await ask('GET', `/projects/${project}/analysis-runs`)).items
  const former = (await runs())[0].uuid
  const cut = (await edits()).find((e) => e.active && e.type === 'silence')
  await page.locator(`[data-cut="${cut.uuid}"]`).click({ position: { x: 60, y: 12 } })
  await page.keyboard.press('n')
  await saved()
  await page.getByRole('button', { name: 'Find again' }).click()
  const question = page.getByRole('alertdialog', { name: 'Find cuts again?' })
  await question.waitFor()
  await look('5b-find-again')
  await question.getByRole('button', { name: 'Find cuts' }).click()
  await until('the second run is complete', async () => {
    const [newest] = await runs()
    return newest.uuid !== former && newest.status === 'completed'
  })
  const kept = (await edits()).find((e) => e.start_ms === cut.start_ms && e.end_ms === cut.end_ms)
  check(kept?.active === false && kept.run_uuid !== former, `the rejected cut became ${JSON.stringify(kept)}`)
  await page.getByRole('button', { name: 'Undo find cuts again' }).click()
  await until('the former run is active', async () => {
    const { active_run_id } = await ask('GET', `/projects/${project}`)
    return active_run_id === former
  })
  await saved()
  await page.locator(`[data-cut="${cut.uuid}"][data-active=false]`).waitFor()
  await page.getByRole('button', { name: 'Undo reject cut' }).click()
  await saved()
}

// Reads the learned defaults after an export, switches learning off, and forgets the decisions.
async function learned() {
  const active = (await edits()).filter((e) => e.active && e.type === 'silence').length
  await ask('POST', `/projects/${project}/exports/`, { name: 'First', export_settings: { resolution: '720p' } })
  await page.goto(`${base}/settings/presets`)
  const silences = page.locator('li[data-kind=silence]')
  await silences.getByText(`${active} kept`).waitFor()
  await look('6-learned')
  const switched = answered('PATCH', '/cut-defaults')
  await page.getByRole('switch', { name: 'Learn from my exports' }).click()
  await switched
  await page.getByRole('button', { name: 'Forget decisions' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Forget decisions' }).click()
  await silences.getByText('No decisions yet').waitFor()
  await page.getByRole('button', { name: 'New preset' }).first().click()
  await page.getByRole('dialog').waitFor()
  await look('7-preset')
}

await run(
  async () => {
    await enter(base, session)
    await open()
    await chooseTakes()
    await mute()
    const doubtful = await review()
    await suggestions()
    await moreChoices()
    await changes()
    await again()
    await learned()
    return { doubtful }
  },
  { viewport: { width: 1440, height: 900 } },
)
