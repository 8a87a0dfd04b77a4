import type { Page } from '@playwright/test'
import table from '../../media/captionstyles.json' with { type: 'json' }
import type { components } from '../src/api/schema'
import { dropFile } from './support/drop'
import { chooseStyle, editorReady, expect, expectToLookRight, file, test } from './support/editor'

const openDialog = async (page: Page) => {
  await expect(page.getByTestId('saved')).toContainText('All changes saved')
  await page.getByRole('button', { name: 'Export', exact: true }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Export video' })
  await expect(dialog).toBeVisible()
  return dialog
}

test.describe('of a talk', () => {
  test.use({ seed: 'talk' })

  test('the audio alone is exported as Opus', async ({ page, edit, project, api }) => {
    await edit()
    const dialog = await openDialog(page)
    await dialog.getByLabel('File type').selectOption('opus')
    await expect(dialog.getByText(/^Audio only, about/)).toBeVisible()
    await expectToLookRight(page)
    await dialog.getByRole('button', { name: 'Export', exact: true }).click()
    await expect(page.locator('[data-export][data-status=completed]')).toBeVisible()
    const [made] = await project.exports()
    expect(made).toMatchObject({ status: 'completed', content_type: 'audio/ogg', width: null })
    const { filename } = await api.ask<{ filename: string }>('GET', `/exports/${made?.uuid}/download-url`)
    expect(filename).toMatch(/\.opus$/)
    await expectToLookRight(page)
  })

  test('an export that was requested during an upload waits for it', async ({ page, edit, project }) => {
    await edit()
    let arrive = () => {}
    const held = new Promise<void>((done) => (arrive = done))
    await page.route('**/upload/**', (route) => held.then(() => route.continue()))
    await page.getByRole('tab', { name: /Clips/ }).click()
    await page.getByLabel('Recordings to add').first().setInputFiles(file('tiny.mp4'))
    await page.getByRole('button', { name: 'Export', exact: true }).first().click()
    const dialog = page.getByRole('dialog', { name: 'Export video' })
    await expect(dialog.getByText('1 clip is still being read')).toBeVisible()
    await expect(dialog.getByRole('radio', { name: 'Wait' })).toBeChecked()
    await expect(dialog.getByText('The export starts when all clips are read.')).toBeVisible()
    await expectToLookRight(page)
    await dialog.getByRole('button', { name: 'Export', exact: true }).click()
    const waiting = page.getByText('Starts when all clips are read', { exact: true })
    await expect(waiting).toBeVisible()
    expect((await project.exports())[0]?.waits_for_clips).toBe(true)
    await expectToLookRight(page)
    arrive()
    await expect(waiting).toHaveCount(0)
    await expect.poll(async () => (await project.exports())[0]?.waits_for_clips).toBe(false)
  })
})

test.describe('of a range', () => {
  test.use({ seed: 'talk' })

  test('a typed range is exported, and the estimate and the length follow it', async ({ page, edit, project }) => {
    await edit()
    const dialog = await openDialog(page)
    await expect(dialog.getByTestId('estimate')).toHaveAttribute('data-bytes', /./)
    const whole = Number(await dialog.getByTestId('estimate').getAttribute('data-bytes'))
    await expect(dialog.getByLabel('Range').getByRole('option')).toHaveText(['Whole video', 'From–to…'])
    await dialog.getByLabel('Range').selectOption('From–to…')
    await dialog.getByLabel('From', { exact: true }).fill('0:12')
    await dialog.getByLabel('To', { exact: true }).fill('11')
    await expect(dialog.getByText('Type a time after “From”.')).toBeVisible()
    await expect(dialog.getByRole('button', { name: 'Export', exact: true })).toBeDisabled()
    await dialog.getByLabel('To', { exact: true }).fill('9:00')
    await expect(dialog.getByText(/^The recording ends at 0:\d\d\.\d\d\.$/)).toBeVisible()
    await expectToLookRight(page)
    await dialog.getByLabel('To', { exact: true }).fill('0:15,5')
    const bytes = async () => Number(await dialog.getByTestId('estimate').getAttribute('data-bytes'))
    await expect.poll(bytes).toBeGreaterThan(0)
    expect(await bytes()).toBeLessThan(whole / 2)
    const length = dialog.getByTestId('export-length')
    const shown = Number(await length.getAttribute('data-ms'))
    await dialog.getByRole('button', { name: 'Export', exact: true }).click()
    await expect(page.locator('[data-export][data-status=completed]')).toBeVisible()
    const [made] = await project.exports()
    expect(made?.export_settings.range).toEqual({ start_ms: 12_000, end_ms: 15_500 })
    expect(Math.abs((made?.duration_ms ?? 0) - shown), 'milliseconds beside the shown length').toBeLessThan(50)
  })

  test('the selected words are exported', async ({ page, edit, project, api }) => {
    await edit()
    const words = await project.words()
    await page.locator('[data-word="2"]').click()
    await page.locator('[data-word="5"]').click({ modifiers: ['Shift'] })
    const dialog = await openDialog(page)
    await expect(dialog.getByLabel('Range').getByRole('option')).toHaveText([
      'Whole video',
      /^Selection, 0:\d\d\.\d\d to 0:\d\d\.\d\d$/,
      'From–to…',
    ])

    await dialog.getByLabel('Range').selectOption({ index: 1 })
    await dialog.getByRole('button', { name: 'Export', exact: true }).click()
    await expect.poll(project.exports).toHaveLength(1)
    const range = (await project.exports())[0]?.export_settings.range
    expect(range?.start_ms).toBeLessThanOrEqual(words[2]!.start_ms)
    expect(range?.start_ms).toBeGreaterThanOrEqual(words[1]!.end_ms)
    expect(range?.end_ms).toBeGreaterThanOrEqual(words[5]!.end_ms)
    expect(range?.end_ms).toBeLessThanOrEqual(words[6]!.start_ms)
    const stored = async () => (await api.ask<components['schemas']['Project']>('GET', project.path)).export_settings
    expect((await stored())?.range, 'of the project').toBeUndefined()
  })

  test('the subtitles of an exported short have its times, until a cut in it changes', async ({
    page,
    edit,
    project,
    api,
    server,
  }) => {
    await edit()
    const place = { name: 'Window', start_ms: 10_000, end_ms: 24_000 }
    const short = await api.ask<{ uuid: string }>('POST', `${project.path}/shorts/`, { ...place, export_settings: {} })
    await api.ask('POST', `${project.path}/exports/`, { short_uuid: short.uuid })
    await page.getByRole('tab', { name: 'Exports' }).click()
    const row = page.locator('[data-export][data-status=completed]')
    await expect(row).toBeVisible()
    const link = row.getByRole('link', { name: '.srt' })
    await expect(link).toHaveAttribute('href', /captions\.srt\?start_ms=10000&end_ms=24000$/)
    await expectToLookRight(page)
    const srt = await page.request.get(`${server.url}/${await link.getAttribute('href')}`)
    const text = await srt.text()
    expect(text).toMatch(/^1\n00:00:0[01],\d+ --> .*\num the first/)
    const ends = [...text.matchAll(/--> 00:00:(\d+),(\d+)/g)].map(([, s, ms]) => 1000 * Number(s) + Number(ms))
    const [made] = await project.exports()
    expect(Math.max(...ends)).toBeLessThanOrEqual((made?.duration_ms ?? 0) + 100)
    const cut = (await project.activeCuts()).find((c) => c.start_ms > 12_000 && c.end_ms < 16_000)
    await api.ask('PATCH', `/edits/${cut?.uuid}`, { active: false })
    await expect(row.getByText(/^The cuts have changed since/)).toBeVisible()
    await expect(link).toHaveCount(0)
  })

  test('more than three minutes are too long for Shorts, and a range is not', async ({ page, edit, project, api }) => {
    await edit()
    const [clip] = await project.clips()
    for (let i = 0; i < 11; i++) await api.ask('POST', `/clips/${clip?.uuid}/duplicate`)
    await page.reload()
    const dialog = await openDialog(page)
    const warning = dialog.getByText(/^Shorts last 3 minutes at most\. This one lasts \d min/)
    await expect(dialog.getByTestId('estimate')).toHaveAttribute('data-bytes', /./)
    await expect(warning).toHaveCount(0)
    await dialog.getByRole('button', { name: /Shorts/ }).click()
    await expect(warning).toBeVisible()
    await expectToLookRight(page)
    await dialog.getByLabel('Range').selectOption('From–to…')
    await dialog.getByLabel('To', { exact: true }).fill('1:00')
    await expect(warning).toHaveCount(0)
  })
})

test.describe('of audio alone', () => {
  test.use({ seed: 'empty' })

  test('it has the file type of the recording, and podcasts are proposed in words', async ({ page, open, api }) => {
    await open()
    await dropFile(page, file('bell.wav'), 'bell.wav', 'audio/wav')
    await editorReady(page)
    await page.getByRole('button', { name: 'Export', exact: true }).first().click()
    const dialog = page.getByRole('dialog', { name: 'Export audio' })
    await expect(dialog.getByLabel('File type')).toHaveValue('wav')
    await expect(dialog.getByText('Podcasts use −16 LUFS.')).toBeVisible()
    await expectToLookRight(page)
    await dialog.getByRole('button', { name: 'Use −16 LUFS' }).click()
    await expect(dialog.getByLabel('Loudness')).toHaveValue('-16')
    await expect(dialog.getByText('Podcasts use −16 LUFS.')).toHaveCount(0)
    await dialog.getByRole('button', { name: 'Export', exact: true }).click()
    await expect(page.locator('[data-export][data-status=completed]')).toBeVisible()
    const { pathname } = new URL(page.url())
    const { items } = await api.ask<{ items: object[] }>('GET', `${pathname}/exports/`)
    const audio = { normalize: true, target_lufs: -16 }
    expect(items).toMatchObject([{ content_type: 'audio/wav', export_settings: { format: 'wav', audio } }])
  })
})

test.describe('of the garden', () => {
  test.use({ seed: 'garden' })

  test('the ringed color of captions is the drawn one', async ({ page, edit }) => {
    await edit()
    const dialog = await openDialog(page)
    const ringed = () =>
      dialog
        .getByRole('group', { name: /olor$/ })
        .locator('button[aria-pressed=true]')
        .evaluateAll((buttons) => buttons.map((b) => getComputedStyle(b).backgroundColor))

    await chooseStyle(page, 'Captions in the video', 'Classic')
    await dialog.getByText('More', { exact: true }).click()
    expect(await ringed()).toEqual(['rgb(255, 255, 255)'])
    await chooseStyle(page, 'Captions in the video', 'Karaoke')
    expect(await ringed()).toEqual(['rgb(255, 214, 10)'])
    await expectToLookRight(page)
  })

  test('a grid shows every caption style as it is drawn, and the choice is stored', async ({
    page,
    edit,
    project,
    api,
  }) => {
    await edit()
    const dialog = await openDialog(page)
    const button = dialog.getByRole('button', { name: 'Captions in the video' })
    await button.press('Enter')
    const styles = page.getByRole('radio')
    await expect(styles).toHaveCount(table.styles.length + 1)
    await expect(styles.first()).toBeFocused()
    await expectToLookRight(page)
    const drawings = () =>
      page.locator('canvas[data-swatch]').evaluateAll((all: HTMLCanvasElement[]) => all.map((c) => c.toDataURL()))

    for (const { family } of table.fonts)
      await expect
        .poll(() => page.evaluate((name) => [...document.fonts].some((f) => f.family.includes(name)), family))
        .toBe(true)

    expect(new Set(await drawings()).size, 'all styles look different').toBe(table.styles.length)
    await page.keyboard.press('End')
    await expect(styles.last()).toBeFocused() // the group moves the focus after the event of the key
    await page.keyboard.press('Enter')
    await expect(page.getByRole('radio')).toHaveCount(0)
    await expect(button).toBeFocused()
    await expect(button).toContainText('Typewriter')
    await chooseStyle(page, 'Captions in the video', 'One word')
    const stored = async () =>
      (await api.ask<components['schemas']['Project']>('GET', project.path)).export_settings?.captions

    await expect.poll(stored).toMatchObject({ enabled: true, style: 'one_word', position: 'middle' })
    await chooseStyle(page, 'Captions in the video', 'None')
    await expect.poll(stored).toMatchObject({ enabled: false })
  })

  test('an export gets every choice of the dialog', async ({ page, edit, project }) => {
    await edit()
    const dialog = await openDialog(page)
    await dialog.getByRole('button', { name: /Shorts/ }).click()
    await chooseStyle(page, 'Captions in the video', 'Boxed')
    await dialog.getByText('More', { exact: true }).click()
    await expectToLookRight(page)
    await expect(dialog.getByRole('radio', { name: 'Crop to fill' })).toBeChecked()
    await dialog.getByRole('switch', { name: 'Reduce background noise' }).click()
    await dialog.getByRole('radio', { name: 'Bleep' }).click()
    await expectToLookRight(page)
    await dialog.getByRole('button', { name: /Small file/ }).click()
    await expect(dialog.getByTestId('estimate')).toContainText(/, about .*B/)
    await dialog.getByRole('button', { name: 'Export', exact: true }).click()
    await expect.poll(project.exports).toMatchObject([
      {
        export_settings: {
          resolution: '720p',
          captions: { style: 'boxed' },
          audio: { noise_reduction: true, normalize: true, target_lufs: -16 },
          audio_censorship: 'bleep',
        },
      },
    ])

    await expect(page.locator('[data-export][data-status=completed]')).toBeVisible()
  })

  test('captions in the preview do not change the export', async ({ page, edit, project, api }) => {
    await edit()
    const stored = async () => (await api.ask<components['schemas']['Project']>('GET', project.path)).export_settings
    const before = await stored()
    const menu = page.getByRole('button', { name: 'Frame and speed' })
    await menu.click()
    const captions = page.getByRole('switch', { name: 'Show captions' })
    await captions.click()
    await expect(captions).toBeChecked()
    await page.keyboard.press('Escape')
    await expect(captions).toHaveCount(0)
    await expect(menu).toBeFocused() // later than the panel closes, and the dialog remembers what has the focus
    await page.keyboard.press('e')
    const dialog = page.getByRole('dialog', { name: 'Export video' })
    await expect(dialog.getByRole('button', { name: 'Captions in the video' })).toHaveText('None')
    await page.keyboard.press('Escape')
    await expect(menu, 'the focus returns from the dialog').toBeFocused()
    expect(await stored()).toEqual(before)
  })
})

test.describe('of an upright recording', () => {
  test.use({ seed: 'shapes' })

  const estimate = (page: Page) => page.getByTestId('estimate')
  test('the dialog proposes the format of the recording and says how it is made', async ({ page, edit, server }) => {
    await edit(server.facts['Phone'])
    const shape = () =>
      page
        .getByTestId('stage')
        .boundingBox()
        .then((box) => (box?.width ?? NaN) / (box?.height ?? NaN))

    await expect.poll(shape, 'the preview is upright').toBeLessThan(1)
    const dialog = await openDialog(page)
    const recorded = dialog.getByRole('button', { name: /As recorded/ })
    await expect(recorded).toHaveAttribute('aria-pressed', 'true')
    await expect(recorded).toContainText('360×640')
    await expect(estimate(page)).toHaveAttribute('data-method', 'copy')
    await expect(estimate(page)).toHaveText(/^Copied, \d+% re-encoded, about \d+ s, [\d.]+ (KB|MB)$/)
    await expectToLookRight(page)
    await dialog.getByRole('button', { name: /YouTube/ }).click()
    await expect(estimate(page)).toHaveAttribute('data-method', 'encode')
    await expect(estimate(page)).toHaveText(/^Re-encoded, about .*Because 16:9 is chosen/)
  })

  test('the dialog shows what the export does, and keeps its height', async ({ page, edit, server }) => {
    await edit(server.facts['Phone'])
    const dialog = await openDialog(page)
    await expect(estimate(page)).toHaveAttribute('data-method', 'copy')
    const height = async () => (await dialog.boundingBox())?.height
    const before = await height()
    const controls = dialog.locator('button, input, select, summary').filter({ visible: true })
    expect(await controls.count()).toBeLessThanOrEqual(14)
    await dialog.getByText('More', { exact: true }).click()
    await expect(dialog.getByRole('radio', { name: '9:16' })).toBeVisible()
    await expect(dialog.getByText('When the aspect ratio differs'), 'it does not differ').toHaveCount(0)
    expect(await height()).toBe(before)
    await dialog.getByRole('radio', { name: '16:9' }).click()
    await dialog.getByRole('radio', { name: 'Fit with bars' }).click()
    await expect(dialog.getByRole('button', { name: /^Bar color/ }).first()).toBeVisible()
    expect(await height()).toBe(before)
  })

  test('a choice has no estimate until the server has answered', async ({ page, edit, server }) => {
    await edit(server.facts['Phone'])
    const dialog = await openDialog(page)
    await expect(estimate(page)).toHaveAttribute('data-method', 'copy')
    let respond = () => {}
    const held = new Promise<void>((done) => (respond = done))
    await page.route('**/exports/estimate', async (route) => {
      await held
      await route.continue()
    })

    await dialog.getByRole('button', { name: /YouTube/ }).click()
    await expect(estimate(page)).toHaveText(/^Estimating/)
    respond()
    await expect(estimate(page)).toHaveAttribute('data-method', 'encode')
  })

  test('an export plays upright in the page, and the next one gets another name', async ({ page, edit, server }) => {
    await edit(server.facts['Phone'])
    const dialog = await openDialog(page)
    await dialog.getByRole('button', { name: 'Export', exact: true }).click()
    await expect(page.locator('[data-export][data-status=completed]')).toBeVisible()
    const upright = (video: HTMLVideoElement) => video.readyState >= 2 && video.videoHeight > video.videoWidth
    await expect.poll(() => page.locator('[data-export] video').evaluate(upright), 'the thumbnail').toBe(true)
    await page.getByRole('button', { name: /^Play Phone/ }).click()
    const video = page.getByRole('dialog').locator('video')
    await expect.poll(() => video.evaluate(upright), 'the export').toBe(true)
    await expect.poll(() => video.evaluate((v: HTMLVideoElement) => v.currentTime)).toBeGreaterThan(0)
    await expectToLookRight(page)
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await page.keyboard.press('e')
    await expect(page.getByRole('dialog').getByLabel('Name')).toHaveAttribute('placeholder', 'Phone cut 2')
  })

  test('the dialog says that the clips differ', async ({ page, edit, server }) => {
    await edit(server.facts['Mixed'])
    await openDialog(page)
    const note = page.getByTestId('clips-differ')
    await expect(note).toHaveText(/The clips differ: .*640×360.*first clip, 360×640/)
    await expectToLookRight(page)
  })
})

test.describe('a deleted export', () => {
  test.use({ seed: 'exported' })

  const remove = (page: Page) => page.getByRole('button', { name: 'Delete export' })
  const openExports = async (page: Page, edit: () => Promise<void>) => {
    await edit()
    await page.getByRole('tab', { name: /^Exports/ }).click()
  }

  test('comes back by the button of the notice, and from the trash', async ({ page, edit, project }) => {
    await openExports(page, edit)
    await remove(page).click()
    await expect(page.getByText('Kitchen is in the trash')).toBeVisible()
    await expect.poll(project.exports).toEqual([])
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await expect.poll(project.exports).toHaveLength(1)
    await remove(page).click()
    await expect.poll(project.exports).toEqual([])
    await page.reload()
    await page.getByRole('tab', { name: /^Exports/ }).click()
    await page.getByTestId('right').getByText('1 item in the trash').click()
    await page.getByRole('button', { name: 'Restore Kitchen' }).click()
    await expect.poll(project.exports).toHaveLength(1)
  })

  // The file may be gone as soon as the server has answered.
  test('ends the request of its thumbnail before the server has answered', async ({ page, edit }) => {
    await page.route('**/download/v1/**', () => undefined)
    await page.route('**/exports/*', (route) => (route.request().method() === 'DELETE' ? undefined : route.continue()))
    const loads = page.waitForRequest('**/download/v1/**')
    await openExports(page, edit)
    await loads
    const ends = page.waitForEvent('requestfailed', (request) => request.url().includes('/download/v1/'))
    await remove(page).click()
    await ends
  })
})
