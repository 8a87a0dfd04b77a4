import type { Page } from '@playwright/test'
import type { Clip } from '../src/api/clips'
import { expect, test } from './support/editor'

declare global {
  interface Window {
    /** How many times louder the output of the page is than what an audio node of a kind plays; null in silence. */
    gainOf?: (kind: string) => number | null
  }
}

/** Adds window.gainOf to a page, which measures both at the same moment. */
function tap() {
  const analysers = new Map<string, AnalyserNode[]>()
  const level = (kind: string) => {
    const levels = (analysers.get(kind) ?? []).map((analyser) => {
      const samples = new Float32Array(analyser.fftSize)
      analyser.getFloatTimeDomainData(samples)
      return Math.hypot(...samples)
    })

    return Math.max(0, ...levels)
  }

  window.gainOf = (kind) => {
    const played = level(kind)
    return played > 1e-3 ? level('AudioDestinationNode') / played : null
  }

  type Connect = (this: AudioNode, to: AudioNode | AudioParam, ...rest: number[]) => unknown
  const connect = Reflect.get(AudioNode.prototype, 'connect') as Connect
  const listen = (node: AudioNode, kind: string) => {
    const analyser = new AnalyserNode(node.context, { fftSize: 2048 })
    analysers.set(kind, [...(analysers.get(kind) ?? []), analyser])
    connect.call(node, analyser)
  }

  const connectAndListen: Connect = function (to, ...rest) {
    const [from, end] = [this.constructor.name, to.constructor.name]
    if (end === 'AudioDestinationNode') listen(this, end)
    if (from === 'MediaElementAudioSourceNode' || from === 'AudioBufferSourceNode') listen(this, from)
    return connect.call(this, to, ...rest)
  }

  Reflect.set(AudioNode.prototype, 'connect', connectAndListen)
}

/** Opens a project as if its recordings had other channels. */
async function openAs(page: Page, edit: () => Promise<void>, channels: (index: number) => Partial<Clip>) {
  await page.addInitScript(tap)
  await page.route('**/clips', async (route) => {
    const response = await route.fetch()
    const { items } = (await response.json()) as { items: Clip[] }
    const changed = items.map((clip, i) => ({ ...clip, ...channels(i) }))
    await route.fulfill({ response, json: { items: changed } })
  })

  await edit()
}

/** Opens the project as if its recordings had a voice on the left channel only, and chooses it for both sides. */
async function openWithVoiceOnBothSides(page: Page, edit: () => Promise<void>) {
  await openAs(page, edit, () => ({ voice_channel: 'left', voice_gain: 0.5 }))
  await page.getByRole('button', { name: 'Export', exact: true }).click()
  await page.getByText('More', { exact: true }).click()
  await page.getByRole('switch', { name: /^Voice on both sides/ }).click()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
}

const gainOf = (page: Page, kind: string) => page.evaluate((kind) => window.gainOf?.(kind) ?? null, kind)

test.describe('a voice of one channel', () => {
  test.use({ seed: 'talk' })

  test('the preview plays a voice of one channel on both sides at the gain of exports', async ({ page, edit }) => {
    await openWithVoiceOnBothSides(page, edit)
    await page.getByRole('button', { name: 'Play', exact: true }).click()
    await expect.poll(() => gainOf(page, 'MediaElementAudioSourceNode')).toBeCloseTo(0.5, 1)
  })

  test('the preview has that gain when it plays before the recording has its address', async ({ page, edit }) => {
    let play = () => {}
    const played = new Promise<void>((done) => (play = done))
    await page.route('**/proxy-url', async (route) => {
      await played
      await route.continue()
    })

    await openWithVoiceOnBothSides(page, edit)
    await page.getByRole('button', { name: 'Play', exact: true }).click()
    play()
    await expect.poll(() => gainOf(page, 'MediaElementAudioSourceNode')).toBeCloseTo(0.5, 1)
  })

  test('room tone of the preview is on both sides with the voice', async ({ page, edit, api, project }) => {
    await openWithVoiceOnBothSides(page, edit)
    const half = ((await project.clips())[0]?.duration_ms ?? 0) / 2 // room tone has time to arrive, and comes from the rest
    const span = { type: 'manual', start_ms: 0, end_ms: Math.round(half) }
    const { uuid } = await api.ask<{ uuid: string }>('POST', `${project.path}/edits/`, span)
    await api.ask('PATCH', `/edits/${uuid}`, { action: 'mute' })
    await expect(page.locator(`[data-cut="${uuid}"]`)).toHaveAttribute('data-action', 'mute')
    await page.getByRole('button', { name: 'Play', exact: true }).click()
    await expect.poll(() => gainOf(page, 'AudioBufferSourceNode')).toBeCloseTo(0.5, 1)
  })
})

test.describe('a mono recording', () => {
  test.use({ seed: 'shapes' })

  for (const [others, gain] of [
    [2, Math.SQRT1_2],
    [1, 1],
  ] as const)
    test(`the preview has the gain of exports next to ${others === 1 ? 'mono' : 'stereo'}`, async ({
      page,
      edit,
      server,
    }) => {
      await openAs(
        page,
        () => edit(server.facts['Mixed']),
        (i) => ({ audio_channels: i === 0 ? 1 : others }),
      )

      await page.getByRole('button', { name: 'Play', exact: true }).click()
      await expect.poll(() => gainOf(page, 'MediaElementAudioSourceNode')).toBeCloseTo(gain, 1)
    })
})
