// The jobs of a first cut in every engine of browsers: Chromium, Firefox and WebKitGTK. Those with @short do not depend on the
// speed of the machine. The others need an idle one: a busy machine shows too few frames to find one of a cut.

import { expect, test as base } from '@playwright/test'
import { Server, type SeedName } from '../e2e/support/server'
import { Editor } from './editor'
import { frameNow, shownFrames, watchFrames } from './frames'
import { openWithPuppeteer } from './puppeteer'
import { type Tab } from './tab'
import { openWebKit } from './webkit'

const ENGINES: Record<string, () => Promise<Tab>> = {
  Chromium: () =>
    openWithPuppeteer({
      executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium-headless-shell',
      args: ['--no-sandbox', '--disable-gpu'],
    }),
  Firefox: () => openWithPuppeteer({ browser: 'firefox', executablePath: '/usr/bin/firefox-esr' }),
  WebKitGTK: openWebKit,
}

interface Fixtures {
  engine: keyof typeof ENGINES
  seed: SeedName
  server: Server
  editor: Editor
}

const test = base.extend<Fixtures>({
  engine: ['Chromium', { option: true }],
  seed: ['garden', { option: true }],
  server: async ({ seed }, provide) => {
    const server = await Server.start(seed, {})
    await provide(server)
    await server.stop()
  },

  editor: async ({ engine, server }, provide, info) => {
    const tab = await ENGINES[engine]!()
    try {
      await provide(await Editor.open(tab, server))
      if (info.status !== info.expectedStatus)
        await info.attach('page', { body: await tab.picture(), contentType: 'image/png' })
    } finally {
      await tab.close()
    }
  },
})

/** Cuts in the numbered recording; its own ones and others. */
const MORE = [
  { type: 'manual', start_ms: 6000, end_ms: 6400 },
  { type: 'manual', start_ms: 7000, end_ms: 7400 },
]

const FRAME_MS = 40

for (const engine of Object.keys(ENGINES))
  test.describe(engine, () => {
    test.use({ engine })

    test.describe('with numbered frames', () => {
      test.use({ seed: 'numbers' })

      for (const speed of [1, 2])
        test(`no frame of six cuts shows at ${speed}×`, async ({ editor }) => {
          const { tab } = editor
          for (const cut of MORE) await editor.ask('POST', `/projects/${editor.project}/edits/`, cut)
          const cuts = (await editor.edits()).filter((e) => e.active && e.end_ms < 8000)
          expect(cuts).toHaveLength(6)
          await editor.attribute('[data-testid=total-result]', 'data-ms').toBe(`${16_000 - 6 * 400}`)
          await watchFrames(tab)
          for (let i = 0; i < speed; i++) await tab.press('l')
          await editor.text('[data-testid=position]').toMatch(/^0:0[89]/)
          await tab.press('k')
          const shown = (await shownFrames(tab)).slice(0, -1)
          const first = shown.slice(0, shown.findLastIndex((n) => n > 180) + 1) // the second recording has equal numbers
          const isCut = (n: number) =>
            cuts.some((c) => n >= Math.round(c.start_ms / FRAME_MS) && n < Math.round(c.end_ms / FRAME_MS))

          expect(first.filter(isCut), `frames of cuts among ${first.join(' ')}`).toEqual([])
          expect(first.length).toBeGreaterThan(60 / speed)
        })

      test('playback loses less than 60 ms at a cut', async ({ editor }) => {
        const { tab } = editor
        for (const cut of MORE) await editor.ask('POST', `/projects/${editor.project}/edits/`, cut)
        await editor.attribute('[data-testid=total-result]', 'data-ms').toBe(`${16_000 - 6 * 400}`)
        await tab.press('l')
        const [clip, clock] = await tab.run(async () => {
          const now = () => [
            document.querySelector<HTMLVideoElement>('video[data-seen=true]')!.currentTime * 1000,
            performance.now(),
          ]

          const reach = async (ms: number) => {
            while (now()[0]! < ms) await new Promise(requestAnimationFrame)
            return now() as [number, number]
          }

          const [from, to] = [await reach(200), await reach(7500)]
          return [to[0] - from[0], to[1] - from[1]] as const
        })

        expect(clock - (clip - 6 * 400)).toBeLessThan(6 * 60)
      })

      test('each step shows the next frame', { tag: '@short' }, async ({ editor }) => {
        const { tab } = editor
        await watchFrames(tab)
        await expect.poll(() => frameNow(tab)).toBe(0)
        for (let n = 1; n <= 12; n++) {
          await tab.press('ArrowRight')
          await expect.poll(() => frameNow(tab)).toBe(n)
        }
      })
    })

    test('marked words are cut and struck through', { tag: '@short' }, async ({ editor }) => {
      const { tab } = editor
      const [from, to] = [await editor.place('[data-word]', 'Nobody'), await editor.place('[data-word]', 'waters')]
      await tab.drag(from, to)
      await tab.press('Delete')
      const decoration = () =>
        tab.run(() => {
          const word = [...document.querySelectorAll('[data-word]')].find((e) => e.textContent.trim() === 'ever')
          return word ? getComputedStyle(word).textDecorationLine : ''
        })

      await expect.poll(decoration).toBe('line-through')
      await expect.poll(async () => (await editor.edits()).filter((e) => e.type === 'manual')).toHaveLength(2)
    })

    test('the edge of a cut can be dragged', { tag: '@short' }, async ({ editor }) => {
      const cut = (await editor.edits()).find((e) => e.type === 'manual')!
      const edge = await editor.onTimeline(cut.end_ms)
      await editor.tab.drag(edge, { x: edge.x + 30, y: edge.y })
      const end = async () => (await editor.edits()).find((e) => e.uuid === cut.uuid)?.end_ms
      await expect.poll(end).toBeGreaterThan(cut.end_ms)
    })

    test('an asset is placed at the playhead', async ({ editor }) => {
      await editor.click('[role=tab]', 'Assets')
      await editor.click('button', 'Place logo')
      await expect.poll(async () => (await editor.edits()).filter((e) => e.type === 'asset')).toHaveLength(2)
    })

    test('an export is rendered and can be downloaded', async ({ editor }) => {
      await editor.click('header button', 'Export')
      await editor.click('[role=dialog] button', 'Export')
      await editor.attribute('[data-export]', 'data-status').toBe('completed')
      const [made] = await editor.exports()
      const bytes = await editor.tab.run(async (uuid) => {
        const { url } = (await (await fetch(`/api/v1/exports/${uuid}/download-url`)).json()) as { url: string }
        return (await (await fetch(url)).arrayBuffer()).byteLength
      }, made!.uuid)

      expect(bytes).toBe(made!.size_bytes)
    })

    test('a cut can be switched after the server has restarted', { tag: '@short' }, async ({ editor, server }) => {
      const [cut] = (await editor.edits()).filter((e) => !e.active && e.type !== 'asset')
      await server.restart()
      await editor.click(`[data-cut="${cut!.uuid}"] [role=switch]`)
      await expect.poll(async () => (await editor.edits()).find((e) => e.uuid === cut!.uuid)?.active).toBe(true)
      await editor.text('[data-testid=saved]').toContain('All changes saved')
    })
  })
