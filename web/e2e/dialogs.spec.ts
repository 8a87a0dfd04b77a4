import type { Page } from '@playwright/test'
import { drag, expect, fromListMenu, placeOnTimeline, settled, test, tune, word } from './support/editor'
import { expectNoFindings } from './support/test'

test.use({ seed: 'exported', viewport: { width: 1440, height: 900 } })

const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true }).first().click()
const tab = (page: Page, name: RegExp) => page.getByRole('tab', { name }).click()

/** The dialogs of the editor by their names, and what opens each. */
const DIALOGS: Record<string, (page: Page) => Promise<unknown>> = {
  'Export video': async (page) => {
    await page.keyboard.press('e')
    await page.getByRole('dialog').getByText('More', { exact: true }).click()
  },
  'Captions in the video': async (page) => {
    await page.keyboard.press('e')
    await press(page, /^Captions in the video/)
  },
  'Timeline & text': async (page) => {
    await press(page, 'Kinds of exports')
    await page.getByRole('menuitem', { name: /^Timeline/ }).click()
  },
  Versions: (page) => fromListMenu(page, 'Versions'),
  'Analyze again': (page) => fromListMenu(page, 'Analyze again…'),
  'Keyboard shortcuts': (page) => page.keyboard.press('?'),
  'Add from link': async (page) => {
    await tab(page, /^Clips/)
    await press(page, 'Add from link')
  },
  'Import captions': async (page) => {
    await tab(page, /^Captions/)
    const buffer = Buffer.from('1\n00:00:01,000 --> 00:00:02,000\nHello\n')
    const srt = { name: 'talk.srt', mimeType: 'application/x-subrip', buffer }
    await page.locator('input[type=file][accept*=".srt"]').setInputFiles(srt)
  },
  'the video of an export': async (page) => {
    await tab(page, /^Exports/)
    await press(page, /^Play Kitchen/)
  },
  History: (page) => press(page, 'History'),
  Filter: (page) => press(page, 'Filter'),
  'More choices': async (page) => {
    await tune(page)
    await press(page, 'More choices')
  },
  'Frame and speed': (page) => press(page, 'Frame and speed'),
  Volume: (page) => press(page, 'Volume'),
  'the menu of a cut': (page) => page.locator('[data-cut]').nth(1).click({ button: 'right' }),
  'the menu of a word': (page) => word(page, /window/).click({ button: 'right' }),
  'the menu of a short': (page) => page.locator('[data-short]').click({ button: 'right' }),
}

/** The parts of the page that open without a dialog, by their names. */
const PARTS: Record<string, (page: Page) => Promise<unknown>> = {
  'find and replace': async (page) => {
    await page.keyboard.press('Control+h')
    await page.keyboard.type('window')
  },
  'find in captions': (page) => page.keyboard.press('Control+Shift+H'),
  'the takes of a cut': (page) =>
    page
      .locator('[data-cut]')
      .nth(1)
      .click({ position: { x: 60, y: 12 } }),
  'the speaker of a caption': async (page) => {
    await page.keyboard.press('Alt+ArrowDown')
    await page.keyboard.press('Alt+s')
  },
  'a word to correct': async (page) => {
    await word(page, /window/).click()
    await page.keyboard.press('F2')
  },
  'selected footage': async (page) => {
    const [from, to] = [await placeOnTimeline(page, 20_000), await placeOnTimeline(page, 22_000)]
    await drag(page, { x: from.x, y: from.wave }, { x: to.x, y: to.wave })
  },
  'the trash': async (page) => {
    await tab(page, /^Exports/)
    await press(page, 'Delete export')
    await expect(page.getByText(/^An export is the finished video/)).toBeVisible()
    await page.getByText('1 item in the trash').click()
  },
  'the question of the trash': async (page) => {
    await tab(page, /^Exports/)
    await page.getByText('1 item in the trash').click()
    await press(page, 'Empty trash')
    await expect(page.getByRole('alertdialog')).toBeVisible()
  },
}

test('axe finds nothing in the dialogs of the editor, and in the parts that open', async ({
  page,
  edit,
  project,
  api,
}) => {
  await edit()
  const short = { name: 'Window', start_ms: 10_000, end_ms: 15_000, export_settings: {} }
  await api.ask('POST', `${project.path}/shorts/`, short)
  const open = page.locator('[role=dialog], [role=alertdialog], [role=menu]')
  for (const [name, show] of Object.entries({ ...DIALOGS, ...PARTS })) {
    await tab(page, /^Transcript/)
    await tab(page, /^Cuts/)
    await show(page)
    if (name in DIALOGS) await expect(open.first()).toBeVisible()
    await expectNoFindings(page, name)
    while ((await open.count()) > 0) {
      await page.keyboard.press('Escape')
      await settled(page)
    }

    await page.keyboard.press('Escape')
  }
})
