import type { Page } from '@playwright/test'
import type { Asset } from '../src/api/assets'
import type { Api } from './support/test'
import { expect, expectToLookRight, test } from './support/test'

test.use({ seed: 'library' })

const assets = async (api: Api) => (await api.ask<{ items: Asset[] }>('GET', '/assets/?page_size=200')).items
const asset = async (api: Api, uuid: string | undefined) => (await assets(api)).find((a) => a.uuid === uuid)
const lengthOf = (asset: Asset | undefined) => asset?.duration_ms ?? NaN

/** The longest difference between a wanted and an encoded length, in milliseconds. */
const TOLERANCE_MS = 200

/** Chooses an action of the video of the seed. */
async function choose(page: Page, action: string) {
  await page.getByRole('button', { name: 'Actions for city.mp4' }).click()
  await page.getByRole('menuitem', { name: action }).click()
}

async function openTrim(page: Page) {
  await choose(page, 'Trim')
  await expect(page.locator('[data-wave]')).toBeVisible()
}

/** Clicks on the track at a share of the length of the video. */
async function clickTrack(page: Page, share: number) {
  const track = page.locator('[data-track]')
  const box = await track.boundingBox()
  if (!box) throw new Error('the track is not visible')
  await track.click({ position: { x: share * box.width, y: box.height / 2 } })
}

/** Cuts the part of the video from 40 % to 60 %. */
async function cutMiddle(page: Page) {
  await clickTrack(page, 0.4)
  await page.getByRole('button', { name: 'Cut from here' }).click()
  await clickTrack(page, 0.6)
  await page.getByRole('button', { name: 'Cut to here' }).click()
  await expect(page.locator('[data-cut-mark]')).toBeVisible()
}

/** Waits until the API has an asset that was not there before and that is ready, and returns it. */
async function newAsset(api: Api, before: Asset[]): Promise<Asset | undefined> {
  const added = async () => (await assets(api)).find((a) => !before.some((b) => b.uuid === a.uuid))
  await expect.poll(async () => (await added())?.status).toBe('uploaded')
  return added()
}

test('a trimmed copy lasts as long as its kept parts', async ({ page, open, api, server }) => {
  await open('/library')
  const before = await assets(api)
  await openTrim(page)
  await page.getByRole('slider', { name: 'Start', exact: true }).focus()
  for (let i = 0; i < 5; i++) await page.keyboard.press('ArrowRight')
  await cutMiddle(page)
  await page.getByRole('button', { name: 'Save copy' }).click()
  await expect(page.getByText('Saving a copy').first()).toBeVisible()
  const copy = await newAsset(api, before)
  expect(copy?.kind).toBe('video')
  const wanted = lengthOf(await asset(api, server.facts['city'])) * 0.8 - 500
  expect(Math.abs(lengthOf(copy) - wanted)).toBeLessThan(TOLERANCE_MS)
  await expect(page.locator(`[data-asset="${copy?.uuid}"][data-status=uploaded]`)).toBeVisible()
})

// The media stays paused, so that only the page moves its position.
test('playback of a trim skips its cuts', async ({ page, open, api, server }) => {
  await page.addInitScript(() => {
    HTMLMediaElement.prototype.play = () => Promise.resolve()
  })

  await open('/library')
  const length = lengthOf(await asset(api, server.facts['city']))
  await openTrim(page)
  await cutMiddle(page)
  await clickTrack(page, 0.35)
  const share = () =>
    page
      .locator('[data-bench]')
      .evaluate((e: HTMLMediaElement) => e.currentTime * 1000)
      .then((ms) => ms / length)

  await page.getByRole('button', { name: 'Play result' }).click()
  await expect.poll(share).toBeCloseTo(0.35, 1)
  await page.locator('[data-bench]').evaluate((e: HTMLMediaElement, s) => (e.currentTime = s), (0.45 * length) / 1000)
  await expect.poll(share).toBeGreaterThan(0.58)
})

test('extracted audio lasts as long as its video', async ({ page, open, api, server }) => {
  await open('/library')
  const before = await assets(api)
  await choose(page, 'Extract audio')
  const audio = await newAsset(api, before)
  expect(audio?.kind).toBe('audio')
  const wanted = lengthOf(await asset(api, server.facts['city']))
  expect(Math.abs(lengthOf(audio) - wanted)).toBeLessThan(TOLERANCE_MS)
  await expect(page.locator(`[data-asset="${audio?.uuid}"] [data-outline]`)).toBeVisible()
})

test('a trim with a cut and the choices for replacing look right', async ({ page, open }) => {
  await open('/library')
  await openTrim(page)
  await cutMiddle(page)
  await expectToLookRight(page)
  await page.getByRole('radio', { name: 'Replace original' }).click()
  await page.getByRole('switch', { name: /^Fast/ }).setChecked(true)
  await expectToLookRight(page)
  await page.getByRole('switch', { name: 'Audio only' }).click()
  await expectToLookRight(page)
})

for (const [name, mode, fast] of [
  ['a fast trim replaces the original', 'Replace original', true],
  ['an exact trim replaces the original', 'Replace original', false],
  ['a fast trim saves a copy', 'New asset', true],
] as const)
  test(name, async ({ page, open, api, server }) => {
    await open('/library')
    const before = await assets(api)
    const source = await asset(api, server.facts['city'])
    await openTrim(page)
    await page.getByRole('slider', { name: 'End', exact: true }).focus()
    for (let i = 0; i < 5; i++) await page.keyboard.press('ArrowLeft')
    await page.getByRole('radio', { name: mode }).click()
    await page.getByRole('switch', { name: /^Fast/ }).setChecked(fast)
    const copied = mode === 'New asset'
    await page.getByRole('button', { name: copied ? 'Save copy' : 'Replace', exact: true }).click()
    const result = copied ? await newAsset(api, before) : await changedAsset(api, source)
    expect(result?.kind).toBe('video')
    expect(Math.abs(lengthOf(result) - lengthOf(source) + 500)).toBeLessThan(TOLERANCE_MS)
    expect(await assets(api)).toHaveLength(before.length + (copied ? 1 : 0))
  })

/** Waits until an asset is ready with another length, and returns it. */
async function changedAsset(api: Api, source: Asset | undefined): Promise<Asset | undefined> {
  await expect
    .poll(async () => {
      const now = await asset(api, source?.uuid)
      return now?.status === 'uploaded' && now.duration_ms !== source?.duration_ms
    })
    .toBe(true)

  return asset(api, source?.uuid)
}
