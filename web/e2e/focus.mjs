// Checks the focus of the keyboard after the crop, the command palette and a removed asset, the dividers between panes, the
// bar of the crop, and the keys R and Delete on a pause and on the only clip.
//
// Environment:
//   BASE_URL  address of the server
//   SESSION   session cookie as name=value
//   PROJECT   UUID of an analyzed project with pauses that are cut, of an account with one asset
//   OUT_DIR   folder for screenshots; no screenshots if empty
import { join } from 'node:path'
import { accessible, ask, check, enter, fits, page, run, settled, until } from './browser.mjs'

const { BASE_URL: base, SESSION: session, PROJECT: project, OUT_DIR: outDir } = process.env

// focused describes the element that has the focus.
const focused = () =>
  page.evaluate(() => {
    const e = document.activeElement
    return e === document.body ? 'body' : `${e.tagName.toLowerCase()} ${e.ariaLabel ?? e.textContent.slice(0, 40)}`
  })
const edits = async () => (await ask('GET', `/projects/${project}/edits/`)).items
const lands = (what, wanted) => until(`${what}: the focus is at ${wanted}`, async () => (await focused()) === wanted)
const VIEW = 'button Frame and speed'
const TIMELINE = 'section Timeline'

async function shoot(name) {
  if (!outDir) return
  for (const colorScheme of ['dark', 'light']) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await settled()
    await page.screenshot({ path: join(outDir, `focus-${name}-${colorScheme}.png`) })
  }
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
}

// The bar of the crop is one line of buttons in every window, and its end gives the focus back.
async function crop() {
  const open = async () => {
    await page.getByRole('button', { name: 'Frame and speed' }).click()
    await page.getByRole('radio', { name: '9:16' }).click()
    await page.getByRole('radio', { name: 'Crop to fill' }).click()
    await page.getByRole('button', { name: 'Move the crop' }).click()
    await page.getByTestId('crop-surface').waitFor()
  }
  await open()
  const done = page.getByRole('button', { name: 'Done' })
  for (const [width, height] of [
    [1440, 900],
    [1366, 768],
    [1280, 720],
  ]) {
    await page.setViewportSize({ width, height })
    await settled()
    const [end, start] = [
      await done.boundingBox(),
      await page.getByRole('button', { name: 'Previous keyframe' }).boundingBox(),
    ]
    const apart = Math.abs(end.y + end.height / 2 - (start.y + start.height / 2))
    check(apart < 2, `at ${width} px, Done is ${apart} px below the other buttons`)
    const bar = await done.locator('../..').boundingBox()
    check(
      end.x + end.width <= bar.x + bar.width && bar.height < 56,
      `at ${width} px, the bar is ${JSON.stringify(bar)}`,
    )
    await shoot(`crop-${width}`)
  }
  await page.setViewportSize({ width: 390, height: 844 })
  await fits('the bar of the crop on a phone')
  await shoot('crop-390')
  await page.setViewportSize({ width: 1440, height: 900 })
  await done.click()
  await lands('Done', VIEW)
  await open()
  await page.keyboard.press('Escape')
  await lands('Escape', VIEW)
}

// The command palette gives the focus back after Escape, after a command, and when nothing had the focus before.
async function palette() {
  const search = page.getByPlaceholder('Go to a project or page')
  const button = page.getByRole('button', { name: 'Frame and speed' })
  const open = async () => {
    await page.keyboard.press('Control+k')
    await search.waitFor()
  }
  await button.focus()
  await open()
  await accessible('the command palette')
  await page.keyboard.press('Escape')
  await lands('Escape in the palette', VIEW)
  await open()
  await page.keyboard.press('Tab')
  check(await search.evaluate((e) => e === document.activeElement), 'Tab leaves the command palette')
  await search.fill('theme')
  const chosen = page.locator('[cmdk-item][aria-selected=true]')
  const options = page.getByRole('option')
  await until('the palette lists the themes', async () => (await options.count()) === 3)
  await page.keyboard.press('ArrowDown')
  check((await chosen.textContent()) === (await options.nth(1).textContent()), 'an arrow key does not choose')
  await search.fill('System theme')
  await page.keyboard.press('Enter')
  await search.waitFor({ state: 'detached' })
  await lands('a command', VIEW)
  await page.evaluate(() => document.activeElement.blur())
  await open()
  await page.keyboard.press('Escape')
  await lands('Escape without an opener', TIMELINE)
  await open()
  await search.fill('Library')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/library')
  await until('the library has the focus', async () => (await focused()).startsWith('main'))
  await page.goto(`${base}/projects/${project}`)
  await page.locator('[data-cut]').first().waitFor()
}

// A placed asset that is removed by its menu, by its key or by its button leaves the focus on the timeline.
async function removed() {
  await page.getByRole('tab', { name: 'Assets' }).click()
  const place = page.getByRole('button', { name: /^Place / })
  const block = page.locator('[data-placement]')
  for (const [what, remove] of [
    [
      'the menu',
      async () => {
        await block.focus()
        await page.keyboard.press('Shift+F10')
        await page.getByRole('menuitem', { name: /^Remove/ }).press('Enter')
      },
    ],
    [
      'a right click',
      async () => {
        await block.click({ button: 'right' })
        await page.getByRole('menuitem', { name: /^Remove/ }).click()
      },
    ],
    [
      'the key',
      async () => {
        await block.focus()
        await page.keyboard.press('Delete')
      },
    ],
    [
      'the button',
      () =>
        page
          .getByRole('tabpanel', { name: /^Placed/ })
          .getByRole('button', { name: /^Remove/ })
          .press('Enter'),
    ],
  ]) {
    await place.click()
    await block.waitFor()
    await remove()
    await block.waitFor({ state: 'detached' })
    await lands(what, TIMELINE)
  }
  await shoot('timeline')
  for (const name of ['Transcript', /^Cuts/]) await page.getByRole('tab', { name }).click()
}

// Each divider has a name, values and keys.
async function dividers() {
  for (const [width, height, count] of [
    [1440, 900, 3],
    [900, 1000, 2],
    [900, 600, 2],
  ]) {
    await page.setViewportSize({ width, height })
    const list = page.getByRole('separator')
    await until(`there are ${count} dividers at ${width} px`, async () => (await list.count()) === count)
    for (const divider of await list.all()) {
      const label = await divider.getAttribute('aria-label')
      const value = async (name) => Number((await divider.getAttribute(`aria-value${name}`)) ?? NaN)
      const [now, min, max] = [await value('now'), await value('min'), await value('max')]
      check(label && min <= now && now <= max, `the divider ${label} has the values ${now}, ${min} and ${max}`)
      const upright = (await divider.getAttribute('aria-orientation')) === 'vertical'
      await divider.focus()
      await page.keyboard.press(upright ? 'ArrowLeft' : 'ArrowUp')
      await until(`an arrow key moves ${label}`, async () => (await value('now')) < now)
      await page.keyboard.press(upright ? 'ArrowRight' : 'ArrowDown')
    }
    await accessible(`dividers at ${width} px`)
  }
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.locator('[data-cut]').first().waitFor()
}

// R restores the pause that a clicked chip stands for.
async function restorePause() {
  const before = await edits()
  const state = (list) => JSON.stringify(list.map((e) => [e.start_ms, e.end_ms, e.active]).sort())
  const chip = page.locator('[data-pause].removed-text').first()
  const index = await chip.getAttribute('data-pause')
  await chip.click()
  await page.keyboard.press('r')
  const same = page.locator(`[data-pause="${index}"]`)
  await until('the pause is not crossed out', async () => !(await same.getAttribute('class')).includes('removed-text'))
  await until('the server has restored the pause', async () => state(await edits()) !== state(before))
  const changed = (await edits()).filter((e) => before.find((b) => b.uuid === e.uuid)?.active !== e.active)
  check(changed.length === 1 && !changed[0].active, `changed: ${JSON.stringify(changed)}`)
  await page.keyboard.press('Control+z')
  await until('undo cuts the pause again', async () => state(await edits()) === state(before))
}

// Delete on the only clip removes it, and undo restores it. With a selected cut it means the cut.
async function removeClip() {
  const clips = async () => (await ask('GET', `/projects/${project}/clips/`)).items
  await page.getByRole('tab', { name: /^Clips/ }).click()
  const row = page.locator('[data-clip]').getByRole('button').first()
  const cut = page.locator('[data-cut]').first()
  await cut.click()
  const uuid = await cut.getAttribute('data-cut')
  await row.focus()
  await page.keyboard.press('Delete')
  await until('the cut is rejected', async () => !(await edits()).find((e) => e.uuid === uuid).active)
  check((await clips()).length === 1, 'Delete has removed the clip, and not the selected cut')
  await page.keyboard.press('Control+z')
  await until('the cut is back', async () => (await edits()).find((e) => e.uuid === uuid).active)
  await row.click()
  await page.keyboard.press('Delete')
  await until('the clip is removed', async () => (await clips()).length === 0)
  await until('another element has the focus', async () => (await focused()) !== 'body')
  await page.getByText(/is in the trash$/).waitFor()
  await shoot('clip-removed')
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await until('the clip is back', async () => (await clips()).length === 1)
  await page.locator('[data-clip]').waitFor()
  await page.locator('[data-clip]').getByRole('button').first().click({ button: 'right' })
  await page.getByRole('menuitem', { name: /^Remove/ }).waitFor()
  await shoot('clip-menu')
  await page.keyboard.press('Escape')
}

await run(
  async () => {
    await enter(base, session)
    await page.goto(`${base}/projects/${project}`)
    await page.locator('[data-cut]').first().waitFor()
    await crop()
    await palette()
    await removed()
    await dividers()
    await restorePause()
    await removeClip()
  },
  { viewport: { width: 1440, height: 900 } },
)
