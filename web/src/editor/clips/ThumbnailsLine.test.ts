import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test, vi } from 'vitest'
import type { Clip } from '../../api/clips'
import { clipsText } from '../../text/editor/clips'
import { ThumbnailsLine } from './ThumbnailsLine'

vi.hoisted(() => vi.stubGlobal('document', { baseURI: 'http://localhost/' })) // read when the API client is loaded
vi.mock('sonner', () => ({ toast: {} })) // inserts a style sheet when it is loaded

const shown = (change: Partial<Clip>) =>
  renderToStaticMarkup(
    createElement(
      QueryClientProvider,
      { client: new QueryClient() },
      createElement(ThumbnailsLine, { clip: { uuid: 'c', status: 'ready', ...change } as Clip }),
    ),
  )

test('a clip without thumbnails says why and offers to try again', () => {
  const failed = shown({ sprite_error: 'The video cannot be decoded.' })
  expect(failed).toContain('The video cannot be decoded.')
  expect(failed).toContain(clipsText.tryAgain)
  expect(shown({ sprite_pending: true })).toContain(clipsText.makingThumbnails)
  expect(shown({})).toBe('')
})

test('a clip whose linked file is missing does not offer to try again', () => {
  const reference = { path: '/talk.mp4', state: 'missing', size_bytes: 1 } as const
  expect(shown({ sprite_error: 'The linked file is missing.', reference })).toBe('')
  expect(shown({ sprite_error: 'It crashed.', reference: { ...reference, state: 'present' } })).toContain('It crashed.')
})
