import type { Page } from '@playwright/test'
import type { components } from '../src/api/schema'
import { expect, expectToLookRight, placeOnTimeline, test as base } from './support/editor'

type Options = NonNullable<components['schemas']['Project']['export_settings']>

interface Fixtures {
  /** The export options that the server has stored for the project. */
  stored: () => Promise<Options | undefined>
}

const test = base.extend<Fixtures>({
  stored: async ({ api, project }, provide) => {
    await provide(async () => {
      const { export_settings } = await api.ask<components['schemas']['Project']>('GET', project.path)
      return export_settings ?? undefined
    })
  },
})

const menu = (page: Page) => page.getByRole('button', { name: 'Frame and speed' })
const choice = (page: Page, group: string, name: string | RegExp) =>
  page.getByRole('radiogroup', { name: group }).getByRole('radio', { name })

async function goTo(page: Page, ms: number) {
  const at = await placeOnTimeline(page, ms)
  await page.mouse.click(at.x, at.ruler)
}

test.describe('of footage without a face', () => {
  test.use({ seed: 'garden' })

  test('keys and the mouse set the center of a punch-in', async ({ page, open, edit, api, project, stored }) => {
    await open()
    const punch_in = { scale_percent: 125, ease: false, x: 0.4, y: 0.3 }
    await api.ask('PATCH', project.path, { export_settings: { punch_in } })
    await edit()
    await menu(page).click()
    await choice(page, 'Punch-in after every other cut', '115%').click()
    await page.getByRole('switch', { name: 'Ease' }).click()
    await page.getByRole('button', { name: 'Set its center' }).click()
    const mark = page.getByTestId('punch-in-point')
    await mark.press('Shift+ArrowRight')
    await mark.press('ArrowUp')
    await expect
      .poll(async () => (await stored())?.punch_in)
      .toMatchObject({ scale_percent: 115, ease: true, x: expect.closeTo(0.45, 6), y: expect.closeTo(0.29, 6) })

    const frame = await page.getByTestId('punch-in-frame').boundingBox()
    if (!frame) throw new Error('the frame is not visible')
    await page.mouse.click(frame.x + frame.width * 0.6, frame.y + frame.height * 0.75)
    await expect
      .poll(async () => (await stored())?.punch_in)
      .toMatchObject({ x: expect.closeTo(0.6, 2), y: expect.closeTo(0.75, 2) })

    for (let i = 0; i < 3; i++) await mark.press('Shift+ArrowDown')
    await expect.poll(async () => (await stored())?.punch_in?.y).toBeCloseTo(0.9, 2)
    const onTop = () =>
      mark.evaluate((m) => {
        const { x, y, width, height } = m.getBoundingClientRect()
        return document.elementFromPoint(x + width / 2, y + height / 2) === m
      })

    await expect.poll(onTop, 'the hint at the other edge does not cover the mark').toBe(true)
    await expectToLookRight(page)
    await mark.press('Escape')
    await expect(mark).toHaveCount(0)
  })

  test('the crop of mirrored footage follows the mouse and keys', async ({
    page,
    open,
    edit,
    api,
    project,
    server,
    stored,
  }) => {
    const keyframe = (at_ms: number, x: number) => ({ clip_uuid: server.facts['clip'], at_ms, x, y: 0.5 })
    const crop_keyframes = [keyframe(0, 0.3), keyframe(8000, 0.6)]
    await open()
    await api.ask('PATCH', project.path, {
      export_settings: { aspect_ratio: '1:1', fit: 'crop', video_flip_h: true, crop_keyframes },
    })

    await edit()
    await goTo(page, 4000)
    await menu(page).click()
    await expectToLookRight(page)
    await page.getByRole('button', { name: 'Move the crop' }).click()
    const surface = page.getByTestId('crop-surface')
    const box = await surface.boundingBox()
    if (!box) throw new Error('the crop is not visible')
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
    await page.mouse.move(x, y)
    await page.mouse.down()
    await page.mouse.move(x + box.width / 5, y, { steps: 3 })
    await page.mouse.up()
    const here = async () => (await stored())?.crop_keyframes?.find((k) => k.at_ms > 0 && k.at_ms < 8000)?.x
    const dragged = 0.45 + (720 / 1280) * 0.2 // the square is 720 of 1280 pixels wide
    await expect.poll(here).toBeCloseTo(dragged, 2)
    await surface.press('ArrowLeft')
    await expect.poll(here).toBeCloseTo(dragged + 0.01, 2)
    await expectToLookRight(page)
    await page.getByRole('button', { name: 'Remove keyframe' }).click()
    await expect.poll(async () => (await stored())?.crop_keyframes).toMatchObject(crop_keyframes)
  })

  test('the menu of the timeline enlarges only the part after that cut', async ({ page, edit, stored }) => {
    await edit()
    const cut = await placeOnTimeline(page, 2500)
    await page.mouse.click(cut.x, cut.wave, { button: 'right' })
    await page.getByRole('menuitem', { name: 'Punch-in after this cut' }).focus()
    await page.keyboard.press('ArrowRight')
    await page.getByRole('menuitemradio', { name: 'Punch in' }).click()
    await expect.poll(async () => (await stored())?.punch_in?.joins).toMatchObject([{ size: 'in' }])
    const footage = page.getByTestId('footage')
    await goTo(page, 3600)
    await expect(footage).toHaveAttribute('style', /scale\(1\.15\)/)
    await goTo(page, 1000)
    await expect(footage).not.toHaveAttribute('style', /scale/)
  })
})

test.describe('of footage with a face', () => {
  test.use({ seed: 'shapes' })

  /** Opens a project of the seed and the menu of the preview, and turns the punch-in on. */
  async function punchIn(page: Page, edit: (uuid?: string) => Promise<void>, project: string | undefined) {
    await edit(project)
    await menu(page).click()
    await choice(page, 'Punch-in after every other cut', /^115/).click()
  }

  test('the face is the center of a punch-in until a point is set', async ({ page, edit, api, server }) => {
    await punchIn(page, edit, server.facts['Face'])
    const center = async () => {
      const path = `/projects/${server.facts['Face']}`
      return (await api.ask<components['schemas']['Project']>('GET', path)).export_settings?.punch_in?.center
    }

    await expect(choice(page, 'Zoom center', 'Face')).toBeChecked()
    await page.getByRole('button', { name: 'Set its center' }).click()
    const mark = page.getByTestId('punch-in-point')
    const at = () => mark.evaluate((e) => ({ x: parseFloat(e.style.left) / 100, y: parseFloat(e.style.top) / 100 }))
    const toFace = async () => Math.hypot((await at()).x - 0.25, (await at()).y - 0.4)
    await expect.poll(toFace).toBeLessThan(0.05)
    const { x } = await at()
    await page.keyboard.press('ArrowRight')
    await expect.poll(async () => (await at()).x).toBeCloseTo(x + 0.01, 3)
    await expect.poll(center).toBe('point')
    await page.getByRole('button', { name: 'Done' }).click()
    await menu(page).click()
    await choice(page, 'Zoom center', 'Face').click()
    await expect.poll(center).toBe('face')
  })

  test('a narrower crop follows the face', async ({ page, edit, server }) => {
    await edit(server.facts['Face'])
    await menu(page).click()
    await choice(page, 'Aspect ratio', '9:16').click()
    await choice(page, 'When the aspect ratio differs', 'Crop to fill').click()
    const left = () =>
      page.getByTestId('footage').evaluate((e) => parseFloat(window.getComputedStyle(e).getPropertyValue('--crop')))

    await expect.poll(async () => Math.abs((await left()) - 13.4)).toBeLessThan(6)
  })

  test('without a face, the center of a punch-in is the middle', async ({ page, edit, server }) => {
    await punchIn(page, edit, server.facts['Phone'])
    await expect(choice(page, 'Zoom center', 'Middle')).toBeChecked()
  })
})
