import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import table from '../../media/captionstyles.json' with { type: 'json' }
import { expect, placeOnTimeline, Project, settled, test } from './support/editor'
import type { Api } from './support/test'

// The preview has at least as many pixels as the export, so that its edges are as sharp.
test.use({ seed: 'garden', viewport: { width: 1920, height: 1080 }, deviceScaleFactor: 2 })

interface Size {
  width: number
  height: number
}

interface Picture extends Size {
  /** Three bytes a pixel. */
  rgb: Buffer
}

/** Decodes a frame of a file or of an image and scales it. */
function decode(source: string | Buffer, { width, height }: Size, frame = 0): Picture {
  const [path, input] = typeof source === 'string' ? [source, undefined] : ['pipe:0', source]
  const filter = `select=eq(n\\,${frame}),scale=${width}:${height}:flags=area:in_color_matrix=bt709,format=rgb24`
  const args = ['-v', 'error', '-i', path, '-vf', filter, '-frames:v', '1', '-f', 'rawvideo', 'pipe:1']
  const rgb = execFileSync('ffmpeg', args, { input, maxBuffer: 3 * width * height + 1 })
  expect(rgb, `frame ${frame} of ${path}`).toHaveLength(3 * width * height)
  return { width, height, rgb }
}

/** The mean difference of the values of two pictures, of 255. */
function difference(a: Picture, b: Picture) {
  let sum = 0
  for (let i = 0; i < a.rgb.length; i++) sum += Math.abs((a.rgb[i] ?? 0) - (b.rgb[i] ?? 0))
  return sum / a.rgb.length
}

type Color = (r: number, g: number, b: number) => boolean

const COLORS: Record<string, { test: Color; within: number }> = {
  footage: { test: (r, g, b) => g > 130 && r < 90 && b < 110, within: 2 },
  'placed image': { test: (r, g, b) => r > 190 && g < 70 && b < 70, within: 2 },
  caption: { test: (r, g) => r > 200 && g > 170, within: 3 },
}

/** The bounding box of the pixels of a color: left, top, right, bottom. */
function bounds({ width, rgb }: Picture, matches: Color) {
  let box = [Infinity, Infinity, -Infinity, -Infinity] as const
  for (let i = 0; i < rgb.length; i += 3) {
    if (!matches(rgb[i] ?? 0, rgb[i + 1] ?? 0, rgb[i + 2] ?? 0)) continue
    const [x, y] = [(i / 3) % width, Math.floor(i / 3 / width)]
    box = [Math.min(box[0], x), Math.min(box[1], y), Math.max(box[2], x), Math.max(box[3], y)]
  }

  return box
}

/** Expects that two pictures show footage, image and caption at the same places, and differ as two renderers do. */
function expectAlike(shown: Picture, rendered: Picture, what: string) {
  for (const [name, { test, within }] of Object.entries(COLORS)) {
    const [a, b] = [bounds(shown, test), bounds(rendered, test)]
    const apart = a.map((edge, i) => (edge === b[i] ? 0 : Math.abs(edge - (b[i] ?? NaN))))
    expect(
      Math.max(...apart),
      `${what}: the ${name} is at ${a.join()}, in the export at ${b.join()}`,
    ).toBeLessThanOrEqual(within)
  }

  expect(difference(shown, rendered), what).toBeLessThan(3)
}

const position = (page: Page) =>
  page.getByTestId('position').evaluate((e) => {
    const [minutes, seconds] = (e.textContent ?? '').split(':').map(Number)
    return 60 * (minutes ?? NaN) + (seconds ?? NaN)
  })

/** Goes to a time with a click on the ruler, and returns the position in seconds. */
async function goTo(page: Page, ms: number) {
  const at = await placeOnTimeline(page, ms)
  await page.mouse.click(at.x, at.ruler)
  await page.keyboard.press('ArrowRight') // to the start of a frame
  await settled(page)
  await expect.poll(() => position(page)).toBeGreaterThan(ms / 1000 - 0.1)
  return position(page)
}

/** Waits until the video is at the playhead. The project has one clip. */
const sought = (page: Page) =>
  expect
    .poll(async () => {
      const { time, ready } = await page
        .locator('video[data-seen=true]')
        .evaluate((v: HTMLVideoElement) => ({ time: v.currentTime, ready: !v.seeking && v.readyState >= 2 }))

      return ready && Math.abs(time - (await position(page))) < 0.02
    })
    .toBe(true)

/** Waits for images and fonts, and returns what the preview shows. */
async function picture(page: Page, style: string) {
  const font = table.styles.find((s) => s.name === style)?.font ?? ''
  await expect(page.getByTestId('stage').locator('img')).not.toHaveCount(0)
  const loaded = () =>
    page.evaluate(
      (font) =>
        [...document.querySelectorAll<HTMLImageElement>('[data-testid=stage] img')].every((image) => image.complete) &&
        (font === '' || [...document.fonts].some((f) => f.family.includes(font) && f.status === 'loaded')),
      font,
    )

  await expect.poll(loaded).toBe(true)
  await settled(page)
  return page.getByTestId('stage').screenshot()
}

/** Exports a project with these settings, and returns the path of the video. */
async function exported(page: Page, api: Api, project: Project, settings: object) {
  const { uuid } = await api.ask<{ uuid: string }>('POST', `${project.path}/exports/`, {
    name: 'Shown',
    export_settings: settings,
  })

  await expect.poll(async () => (await project.exports())[0]?.status).toBe('completed')
  const { url } = await api.ask<{ url: string }>('GET', `/exports/${uuid}/download-url`)
  const path = test.info().outputPath('shown.mp4')
  writeFileSync(path, await (await page.request.get(url)).body())
  return path
}

const WIDE = { width: 1280, height: 720 }
const SQUARE = { width: 720, height: 720 }

const cases: { name: string; size: Size; settings: (clip: string) => { captions: { style: string } } }[] = [
  {
    name: 'the captions are classic',
    size: WIDE,
    settings: () => ({ aspect_ratio: '16:9', captions: { enabled: true, style: 'classic' } }),
  },
  {
    name: 'an upright crop has karaoke captions',
    size: { width: 720, height: 1280 },
    settings: () => ({ aspect_ratio: '9:16', fit: 'crop', captions: { enabled: true, style: 'karaoke' } }),
  },
  {
    name: 'a colored letterbox has boxed captions at the top',
    size: SQUARE,
    settings: () => ({
      aspect_ratio: '1:1',
      letterbox_background: '#203040',
      captions: { enabled: true, style: 'boxed', position: 'top' },
    }),
  },
  {
    name: 'mirrored footage has bold yellow captions in the middle',
    size: WIDE,
    settings: () => ({
      aspect_ratio: '16:9',
      video_flip_h: true,
      captions: { enabled: true, style: 'bold', position: 'middle', color: '#ffe600' },
    }),
  },
  {
    name: 'the captions are minimal and large',
    size: WIDE,
    settings: () => ({ aspect_ratio: '16:9', captions: { enabled: true, style: 'minimal', font_size: 90 } }),
  },
  {
    name: 'a box is behind the spoken word',
    size: WIDE,
    settings: () => ({ aspect_ratio: '16:9', captions: { enabled: true, style: 'word_box' } }),
  },
  {
    name: 'a label is behind each row of an upright crop',
    size: { width: 720, height: 1280 },
    settings: () => ({ aspect_ratio: '9:16', fit: 'crop', captions: { enabled: true, style: 'label' } }),
  },
  {
    name: 'yellow capitals are at the top',
    size: SQUARE,
    settings: () => ({ aspect_ratio: '1:1', captions: { enabled: true, style: 'headline', position: 'top' } }),
  },
  {
    name: 'one word is in the middle',
    size: WIDE,
    settings: () => ({ aspect_ratio: '16:9', captions: { enabled: true, style: 'one_word', position: 'middle' } }),
  },
  {
    name: 'yellow words appear on the left as they are spoken',
    size: WIDE,
    settings: () => ({ aspect_ratio: '16:9', captions: { enabled: true, style: 'typewriter', color: '#ffd60a' } }),
  },
  {
    name: 'a crop moves and the part after a cut is enlarged',
    size: SQUARE,
    settings: (clip) => ({
      aspect_ratio: '1:1',
      fit: 'crop',
      video_flip_h: true,
      punch_in: { scale_percent: 125, ease: false, x: 0.4, y: 0.3 },
      crop_keyframes: [
        { clip_uuid: clip, at_ms: 0, x: 0.3, y: 0.5 },
        { clip_uuid: clip, at_ms: 8000, x: 0.6, y: 0.5 },
      ],
      captions: { enabled: true, style: 'classic' },
    }),
  },
]

/** The frames per second of the garden, and the number of frames in its cut, which ends at 3 s. */
const [RATE, CUT] = [25, 25]

for (const { name, size, settings } of cases)
  test(`the preview matches the export when ${name}`, async ({ page, open, edit, api, project, server }) => {
    await open()
    const chosen = { resolution: '720p', ...settings(server.facts['clip'] ?? '') }
    await api.ask('PATCH', project.path, { export_settings: chosen })
    const path = await exported(page, api, project, chosen) // before the editor is open, which shows a notice
    await edit()
    for (const ms of [960, 5440]) {
      const frame = Math.round((await goTo(page, ms)) * RATE)
      await expect(page.getByTestId('titles')).toHaveAttribute('data-caption', /./)
      await sought(page)
      const shown = decode(await picture(page, chosen.captions.style), size)
      expectAlike(shown, decode(path, size, frame < 3 * RATE ? frame : frame - CUT), `at frame ${frame}`)
    }
  })

test.describe('with recordings of other shapes', () => {
  test.use({ seed: 'shapes' })

  test('the waveform and the cover of a recording without video match the export', async ({
    page,
    open,
    api,
    server,
  }) => {
    await open()
    const project = new Project(api, server.facts['Mixed'] ?? '')
    await open(project.path)
    await goTo(page, 14_000)
    await expect(page.getByTestId('audio-clip').locator('canvas[data-bar]')).toBeVisible()
    await page.keyboard.press('e')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('More', { exact: true }).click()
    await dialog.getByRole('button', { name: 'Waveform color: #ffd60a' }).click()
    await dialog.getByRole('combobox', { name: 'Cover' }).selectOption({ label: 'cover.png' })
    const stored = () => api.ask<{ export_settings: { audio_clips?: object } | null }>('GET', project.path)
    await expect
      .poll(async () => (await stored()).export_settings?.audio_clips)
      .toMatchObject({ color: '#ffd60a', cover_asset_file_id: expect.stringMatching(/./) })

    await page.keyboard.press('Escape')
    await expect(dialog).toHaveCount(0)
    await expect(page.getByTestId('audio-clip').locator('img')).toBeVisible()
    const size = { width: 360, height: 640 }
    const shown = decode(await picture(page, ''), size)
    const path = await exported(page, api, project, (await stored()).export_settings ?? {})
    const frame = Math.round((await position(page)) * 30)
    expect(difference(shown, decode(path, size, frame))).toBeLessThan(4)
  })
})
