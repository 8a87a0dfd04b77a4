import type { Page } from '@playwright/test'
import type { Clip, ClipTrack } from '../src/api/clips'
import { expect, expectToLookRight, test } from './support/editor'

test.use({ seed: 'talk' })

const tracks: ClipTrack[] = [
  { index: 1, codec: 'ac3', channels: 0, decodable: false, heard: false },
  { index: 2, codec: 'aac', title: 'Desktop', channels: 2, decodable: true, speech: false, heard: false },
  { index: 3, codec: 'aac', language: 'eng', channels: 1, decodable: true, speech: true, heard: true },
]

/** Makes the clips look as if their recordings had several audio tracks, and returns the choices that the page sends. */
async function severalTracks(page: Page): Promise<number[][]> {
  const sent: number[][] = []
  const heard = () => sent.at(-1) ?? [3]
  const withTracks = (clip: Clip): Clip => ({
    ...clip,
    audio_tracks: 3,
    tracks: tracks.map((t) => ({ ...t, heard: heard().includes(t.index) })),
  })

  let clips: Clip[] = []
  await page.route('**/clips', async (route) => {
    const response = await route.fetch()
    const { items } = (await response.json()) as { items: Clip[] }
    clips = items
    await route.fulfill({ response, json: { items: items.map(withTracks) } })
  })

  await page.route('**/clips/*/tracks', async (route) => {
    sent.push((route.request().postDataJSON() as { heard: number[] }).heard)
    await route.fulfill({ json: clips[0] && withTracks(clips[0]) })
  })

  return sent
}

test('a clip with several audio tracks names the one that is heard, and warns of one that cannot be decoded', async ({
  page,
  edit,
}) => {
  await severalTracks(page)
  await edit()
  await page.getByRole('tab', { name: /^Clips/ }).click()
  const row = page.locator('[data-clip]').first()
  await expect(row.getByRole('button', { name: 'Audio track 3 of 3' })).toBeVisible()
  await expect(row).toContainText('Audio track 1 cannot be decoded.')
  await expectToLookRight(page)
})

test('checkboxes mix the audio tracks of a clip', async ({ page, edit }) => {
  const sent = await severalTracks(page)
  await edit()
  await page.getByRole('tab', { name: /^Clips/ }).click()
  await page.getByRole('button', { name: 'Audio track 3 of 3' }).click()
  const panel = page.getByRole('dialog', { name: 'Audio tracks' })
  await expect(panel.getByRole('checkbox', { name: /^Track 1/ })).toBeDisabled()
  await expect(panel.getByRole('checkbox', { name: /English · AAC · 1 channel · speech/ })).toBeChecked()
  await panel.getByRole('checkbox', { name: /Desktop/ }).click()
  await expect.poll(() => sent).toEqual([[2, 3]])
  await expect(page.locator('[data-tracks="2,3"]')).toContainText('Mix of audio tracks 2, 3')
})

test('a clip with one audio track has no choice of tracks', async ({ page, edit }) => {
  await edit()
  await page.getByRole('tab', { name: /^Clips/ }).click()
  await expect(page.locator('[data-clip] [data-thumbnail]')).toBeVisible()
  await expect(page.locator('[data-tracks]')).toHaveCount(0)
})

for (const several of [true, false]) {
  const choice = several ? 'can drop the audio tracks that are not heard' : 'of one audio track has none to drop'
  test(`an export ${choice}`, async ({ page, edit }) => {
    if (several) await severalTracks(page)
    await edit()
    await page.getByRole('button', { name: 'Export', exact: true }).click()
    await page.getByText('More', { exact: true }).click()
    await expect(page.getByRole('switch', { name: /^Reduce background noise/ })).toBeVisible()
    const others = page.getByRole('switch', { name: /^Keep the other audio tracks/ })
    await expect(others).toHaveCount(several ? 1 : 0)
    if (!several) return
    await expect(others).toBeChecked()
    const estimate = page.waitForRequest(
      (r) => r.url().endsWith('/exports/estimate') && !!r.postData()?.includes('"drop_other_tracks":true'),
    )

    await others.click()
    await estimate
  })
}
