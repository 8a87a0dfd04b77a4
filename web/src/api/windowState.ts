// What the page tells the desktop window about itself, and the commands that the menu of the window sends.

import { api, dataOf } from './client'
import { inWindow } from './desktop'
import type { components } from './schema'

export type PageState = components['schemas']['PageState']

const COMMAND_EVENT = 'roughcut-command'

/** The window fires this event before it closes, and waits for the state of the page. */
export const CLOSING_EVENT = 'roughcut-closing'

let state: PageState = { title: '', theme: null, unsaved: false, commands: [] }
let told = ''
let sending = false

/** Tells the window a change of the page. Further changes wait for the answer. */
export function tellWindow(change: Partial<PageState>): void {
  state = { ...state, ...change }
  if (inWindow() && !sending && JSON.stringify(state) !== told) void send()
}

/** Tells the window the state of the page again. */
export function answerWindow(): void {
  told = ''
  tellWindow({})
}

async function send(): Promise<void> {
  sending = true
  for (let text = JSON.stringify(state); text !== told; text = JSON.stringify(state)) {
    told = text
    // The window follows the next change.
    await dataOf(api.PUT('/api/v1/desktop/page', { body: state })).catch(() => undefined)
  }

  sending = false
}

/** Calls run with the names of the commands that the menu of the window sends, and returns a function that stops this. */
export function onWindowCommand(run: (name: string) => void): () => void {
  const listener = (event: Event) => {
    if (event instanceof CustomEvent && typeof event.detail === 'string') run(event.detail)
  }

  window.addEventListener(COMMAND_EVENT, listener)
  return () => window.removeEventListener(COMMAND_EVENT, listener)
}
