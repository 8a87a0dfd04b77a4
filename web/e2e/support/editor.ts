import type { Page } from '@playwright/test'
import type { components } from '../../src/api/schema'
import { expect, test as base, type Api } from './test'

export { chooseStyle, expect, expectToLookRight, file, settled } from './test'

type Schemas = components['schemas']

/** What the server has stored for a project. */
export class Project {
  constructor(
    private readonly api: Api,
    readonly uuid: string,
  ) {}

  get path() {
    return `/projects/${this.uuid}`
  }

  private async list<T>(name: string): Promise<T[]> {
    return (await this.api.ask<{ items: T[] }>('GET', `${this.path}/${name}/?page_size=200`)).items
  }

  edits = () => this.list<Schemas['Edit']>('edits')
  shorts = () => this.list<Schemas['Short']>('shorts')
  markers = () => this.list<Schemas['Marker']>('markers')
  clips = () => this.list<Schemas['Clip']>('clips')
  exports = () => this.list<Schemas['Export']>('exports')
  captions = () => this.list<Schemas['CaptionLine']>('caption-lines')
  trash = () => this.list<Schemas['TrashItem']>('trash')

  async words() {
    return (await this.api.ask<Schemas['Project']>('GET', this.path)).transcript?.words ?? []
  }

  /** The cuts that are active, by start. */
  async activeCuts() {
    return (await this.edits()).filter((edit) => edit.active && edit.type !== 'asset')
  }

  /** The rows of the list of cuts: one for each stretch, and one for each cut without. */
  async rows() {
    const cuts = (await this.edits()).filter((edit) => edit.type !== 'asset')
    const rows = new Map<string, Schemas['Edit']>()
    for (const cut of cuts) {
      const uuid = cut.stretch_uuid ?? cut.uuid
      const row = rows.get(uuid)
      const confidence = Math.min(row?.confidence ?? 1, cut.confidence ?? 1)
      rows.set(uuid, row ? { ...row, confidence, end_ms: Math.max(row.end_ms, cut.end_ms) } : cut)
    }

    return [...rows.values()]
  }

  activeCutCount = async () => (await this.activeCuts()).length
  activeRowCount = async () => (await this.rows()).filter((row) => row.active).length

  /** The words with their times, and the texts of the captions. */
  async texts() {
    return {
      words: (await this.words()).map((w) => `${w.text.trim()}@${w.start_ms}-${w.end_ms}`).join(' '),
      captions: (await this.captions()).map((line) => line.text).join(' '),
    }
  }
}

interface Fixtures {
  /** The project of the seed. */
  project: Project
  /** Opens a project of the seed, the only one by default, and waits until its editor is ready. */
  edit: (uuid?: string) => Promise<void>
}

/** A page test with a project of a seed. */
export const test = base.extend<Fixtures>({
  project: async ({ api, server }, provide) => {
    await provide(new Project(api, server.facts['project'] ?? ''))
  },

  edit: async ({ page, open, project }, provide) => {
    await provide(async (uuid = project.uuid) => {
      await open(`/projects/${uuid}`)
      await editorReady(page)
    })
  },
})

/** Waits until the editor has loaded all that it shows first. */
export async function editorReady(page: Page) {
  await expect(page.getByTestId('saved')).toContainText('All changes saved')
  await expect(page.getByRole('button', { name: 'Play', exact: true })).toBeVisible()
  await expect(page.getByTestId('total-result')).toHaveAttribute('data-ms', /./) // the cuts are loaded
}

/**
 * Returns what waits until the page has loaded the waveforms and pictures of all clips. A clip that goes while the page
 * still requests them gets a 404. Call it before the editor is opened.
 */
export function clipLoads(page: Page, project: Project) {
  const answered: string[] = []
  page.on('response', (response) => {
    const token = /\/media\/v1\/[^.]*\.([^.]*)/.exec(response.url())?.[1]
    answered.push(token ? Buffer.from(token, 'base64url').toString() : response.url())
  })

  return async () => {
    const wanted = (await project.clips()).flatMap(({ uuid }) => [`${uuid}/waveform`, `${uuid}/sprite.jpg`])
    await expect.poll(() => wanted.filter((part) => !answered.some((of) => of.includes(part)))).toEqual([])
  }
}

/** Shows the sliders and further choices above the cuts. */
export const tune = (page: Page) => page.getByRole('button', { name: /^Pacing \d+ · / }).click()

/** Chooses an item of the menu above the cuts. */
export async function fromListMenu(page: Page, item: string) {
  await page.getByRole('button', { name: 'Order and versions' }).click()
  await page.getByRole('menu').getByText(item, { exact: true }).click()
}

/** Limits the list of cuts, by the labels of limits. */
export async function filterCuts(page: Page, ...limits: (string | RegExp)[]) {
  await page.getByRole('button', { name: 'Filter' }).click()
  for (const name of limits) await page.getByRole('radio', { name }).click()
  await page.keyboard.press('Escape')
}

/** The first word of the transcript with a text. */
export const word = (page: Page, text: RegExp | string) => page.locator('[data-word]').filter({ hasText: text }).first()

/** The CSS value of the decoration of removed words and pauses. */
export const STRUCK = /line-through/

/** The place of a project time on the timeline, in pixels of the page. */
export async function placeOnTimeline(page: Page, ms: number) {
  const timeline = page.locator('canvas[data-wave-top]')
  await expect(timeline).toHaveAttribute('data-ms-per-px', /[1-9]/)
  return timeline.evaluate((canvas: HTMLElement, ms) => {
    const box = canvas.getBoundingClientRect()
    const [top, start, scale] = ['waveTop', 'startMs', 'msPerPx'].map((name) => Number(canvas.dataset[name])) as [
      number,
      number,
      number,
    ]

    return {
      x: box.x + (ms - start) / scale,
      ruler: box.y + 10,
      handle: box.y + top + 10, // the top of a cut
      wave: box.y + top + 40,
      msPerPx: scale,
    }
  }, ms)
}

/** Drags with the mouse in steps, as a hand does. */
export async function drag(page: Page, from: { x: number; y: number }, to: { x: number; y: number }) {
  await page.mouse.move(from.x, from.y)
  await page.mouse.down()
  await page.mouse.move(to.x, to.y, { steps: 5 })
  await page.mouse.up()
}
