import { expect } from '@playwright/test'
import type { components } from '../src/api/schema'
import type { Server } from '../e2e/support/server'
import type { Point, Tab } from './tab'

type Schemas = components['schemas']

/** The editor of a project in a tab. */
export class Editor {
  private constructor(
    readonly tab: Tab,
    readonly project: string,
  ) {}

  /** Signs the tab in at a server in owner mode and opens a project. */
  static async open(tab: Tab, server: Server): Promise<Editor> {
    await tab.open(server.launch)
    await expect.poll(() => tab.run(() => document.querySelectorAll('a[href*="/projects/"]').length)).toBeGreaterThan(0)
    const uuid = server.facts['project'] ?? ''
    await tab.open(`${server.url}/projects/${uuid}`)
    const editor = new Editor(tab, uuid)
    await editor.text('[data-testid=saved]').toContain('All changes saved')
    await editor.attribute('[data-testid=total-result]', 'data-ms').not.toBe('')
    return editor
  }

  /** Sends a request to the API from the page. */
  ask<T>(method: string, path: string, body?: unknown): Promise<T> {
    return this.tab.run(
      async (method, path, body) => {
        const { csrf_token } = (await (await fetch('/api/v1/auth/check')).json()) as { csrf_token: string }
        const headers = { 'X-CSRF-Token': csrf_token, 'Content-Type': 'application/json' }
        const sent = body === null ? undefined : JSON.stringify(body)
        const response = await fetch(`/api/v1${path}`, { method, headers, ...(sent && { body: sent }) })
        const text = await response.text()
        if (!response.ok) throw new Error(`${method} ${path}: ${text}`)
        return (text ? JSON.parse(text) : null) as T
      },
      method,
      path,
      body ?? null,
    )
  }

  edits = async () =>
    (await this.ask<{ items: Schemas['Edit'][] }>('GET', `/projects/${this.project}/edits/?page_size=200`)).items

  exports = async () =>
    (await this.ask<{ items: Schemas['Export'][] }>('GET', `/projects/${this.project}/exports/`)).items

  /** Expects the text of an element. */
  text = (selector: string) =>
    expect.poll(() => this.tab.run((selector) => document.querySelector(selector)?.textContent ?? '', selector))

  /** Expects an attribute of an element; empty while it is missing. */
  attribute = (selector: string, name: string) =>
    expect.poll(() =>
      this.tab.run((selector, name) => document.querySelector(selector)?.getAttribute(name) ?? '', selector, name),
    )

  /** The middle of the first visible element of a selector with a label or text that starts with a name. */
  async place(selector: string, name = ''): Promise<Point> {
    const find = () =>
      this.tab.run(
        (selector, name) => {
          for (const e of document.querySelectorAll(selector)) {
            const { x, y, width, height } = e.getBoundingClientRect()
            const called = (e.getAttribute('aria-label') ?? e.textContent).trim()
            if (width > 0 && called.startsWith(name)) return { x: x + width / 2, y: y + height / 2 }
          }

          return null
        },
        selector,
        name,
      )

    await expect.poll(find, `${selector} ${name}`).not.toBeNull()
    return (await find())!
  }

  /** Clicks such an element. */
  click = async (selector: string, name?: string) => this.tab.drag(await this.place(selector, name))

  /** The place of a project time on the waveform. */
  async onTimeline(ms: number): Promise<Point> {
    await this.attribute('canvas[data-wave-top]', 'data-ms-per-px').toMatch(/[1-9]/)
    return this.tab.run((ms) => {
      const canvas = document.querySelector<HTMLCanvasElement>('canvas[data-wave-top]')!
      const { x, y } = canvas.getBoundingClientRect()
      const { waveTop, startMs, msPerPx } = canvas.dataset
      return { x: x + (ms - Number(startMs)) / Number(msPerPx), y: y + Number(waveTop) + 40 }
    }, ms)
  }
}
