import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createElement, type ReactNode } from 'react'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import type { Project } from '../../api/projects'

vi.mock('sonner', () => ({ toast: {} })) // inserts a style sheet when it is loaded

// React renders into this stand-in for a DOM; the probes below render no elements.
function fakeContainer(): Element {
  const listeners = { addEventListener: () => undefined, removeEventListener: () => undefined }
  const document = { ...listeners, nodeType: 9, baseURI: 'http://localhost/', activeElement: null, defaultView: null }
  const window = { ...listeners, document, event: undefined, HTMLIFrameElement: class {}, location: {} }
  Object.assign(document, { defaultView: window })
  vi.stubGlobal('document', document)
  vi.stubGlobal('window', window)
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)
  const container = { ...listeners, nodeType: 1, nodeName: 'DIV', tagName: 'DIV', ownerDocument: document }
  return Object.assign(container, {
    textContent: '',
    namespaceURI: 'http://www.w3.org/1999/xhtml',
  }) as unknown as Element
}

const PROJECT = 'p'
const WORDS = [
  { text: 'Hello', start_ms: 100, end_ms: 400 },
  { text: 'there.', start_ms: 450, end_ms: 900 },
]

const project = (words: typeof WORDS) =>
  ({
    uuid: PROJECT,
    name: 'Talk',
    status: 'analyzed',
    active_run_id: 'r',
    transcript: { words },
  }) as unknown as Project

const silence = (uuid: string, active: boolean) => ({
  uuid,
  run_uuid: 'r',
  type: 'silence',
  start_ms: 1000,
  end_ms: 2000,
  active,
  reason: '',
  confidence: 0.9,
  created_at: '',
  updated_at: '',
})

describe('the editor provider', () => {
  const container = fakeContainer()
  // The modules read the document when they are loaded.
  const load = async () => ({
    contexts: await import('./contexts'),
    provider: await import('./EditorProvider'),
    client: await import('react-dom/client'),
    react: await import('react'),
  })

  let modules: Awaited<ReturnType<typeof load>>
  beforeAll(async () => {
    modules = await load()
  })

  function open() {
    const { contexts, provider, client, react } = modules
    const queries = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity, retry: false } } })
    queries.setQueryData(['project', PROJECT], project(WORDS))
    queries.setQueryData(
      ['clips', PROJECT],
      [{ uuid: 'c', status: 'ready', duration_ms: 10_000, frame_rate: 25, width: 1280, waveform: false }],
    )

    queries.setQueryData(['edits', PROJECT], [silence('a', true)])
    queries.setQueryData(['runs', PROJECT], [])
    queries.setQueryData(['run', PROJECT, 'r'], { uuid: 'r' })
    vi.stubGlobal('fetch', () => new Promise(() => undefined))

    const renders = { timeline: 0, words: 0 }
    // What the timeline pane subscribes to.
    const Timeline = () => {
      renders.timeline++
      contexts.useLayout()
      contexts.useEdits()
      contexts.useMedia()
      contexts.useHistory()
      contexts.useAssetFiles()
      contexts.usePlayer()
      contexts.useProject()
      contexts.useEditorAccess()
      return null
    }

    let access: ReturnType<typeof contexts.useEditorAccess> | undefined
    const Transcript = () => {
      renders.words++
      contexts.useWords()
      const found = contexts.useEditorAccess()
      react.useEffect(() => {
        access = found
      })

      return null
    }

    const root = client.createRoot(container)
    const panes: ReactNode[] = [createElement(Timeline, { key: 1 }), createElement(Transcript, { key: 2 })]
    react.act(() => {
      root.render(
        createElement(
          QueryClientProvider,
          { client: queries },
          createElement(provider.EditorProvider, {
            uuid: PROJECT,
            pending: null,
            failed: () => null,
            children: panes,
          }),
        ),
      )
    })

    const set = (key: string, value: unknown, then?: () => void) =>
      react.act(async () => {
        queries.setQueryData([key, PROJECT], value)
        then?.()
        await new Promise((done) => setTimeout(done)) // TanStack Query notifies in the next task
      })

    return { renders, set, access: () => access!, close: () => react.act(() => root.unmount()) }
  }

  it('does not redraw the timeline when a word changes', async () => {
    const { renders, set, access, close } = open()
    const before = { ...renders }
    expect(before.timeline).toBeGreaterThan(0)
    await set('project', project([{ text: 'Hallo', start_ms: 120, end_ms: 400 }, WORDS[1]!]))
    expect(renders).toEqual({ timeline: before.timeline, words: before.words + 1 })
    expect(access().store.getState()!.words[0]!.text).toBe('Hallo')
    expect([...access().snapPoints()]).toContain(120)
    close()
  })

  it('does not redraw the transcript when a cut changes', async () => {
    const { renders, set, access, close } = open()
    const before = { ...renders }
    await set('edits', [silence('a', false)])
    expect(renders.timeline).toBeGreaterThan(before.timeline)
    expect(renders.words).toBe(before.words)
    expect(access().store.getState()!.totals.savedMs).toBe(0)
    close()
  })

  it('keeps a change that a list of the history from before it lacks', async () => {
    const { set, access, close } = open()
    const { history } = access().store.getState()!
    let respond = () => {}
    await set('runs', [], () => void history.request('Remove', () => new Promise<void>((done) => (respond = done))))
    await set('history', [], respond)
    expect(history.snapshot()).toMatchObject({ pending: 0, undo: 'Remove' })
    close()
  })
})
