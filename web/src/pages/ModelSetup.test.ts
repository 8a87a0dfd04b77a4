import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createElement, type ComponentType } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test, vi } from 'vitest'
import { modelsQuery } from '../api/models'
import { sessionQuery } from '../api/session'
import { ModelOffer } from '../editor/analysis/ModelOffer'
import { Models } from './settings/Models'
import { ModelSetup } from './ModelSetup'

// The client of the API reads the address of the page when it loads.
vi.hoisted(() => vi.stubGlobal('document', { baseURI: 'http://localhost/' }))
vi.mock('sonner', () => ({ toast: {} })) // adds its styles to the page when it loads

// The page with one speech model that can be downloaded.
function offered(page: ComponentType, name: string, multilingual: boolean, speed = {}): string {
  const client = new QueryClient()
  const model = { name, size_bytes: 1, multilingual, installed: false, active: false, proposed: true }
  const items = [{ ...model, download: null, minutes_per_hour: null, ...speed }]
  client.setQueryData<unknown>(modelsQuery.queryKey, { items, is_set: false })
  client.setQueryData<unknown>(sessionQuery.queryKey, { is_admin: true })
  return renderToStaticMarkup(createElement(QueryClientProvider, { client }, createElement(page)))
}

test.each([
  ['the first page', ModelSetup],
  ['the editor', ModelOffer],
  ['the settings', Models],
])('%s offers an English-only model as English', (_, page) => {
  expect(offered(page, 'base.en', false)).toContain('English')
  expect(offered(page, 'base.en', false)).not.toMatch(/multilingual|languages/i)
  expect(offered(page, 'base', true)).toMatch(/multilingual/i)
})

test.each([
  ['the first page', ModelSetup],
  ['the editor', ModelOffer],
  ['the settings', Models],
])('%s says how fast a model is', (_, page) => {
  expect(offered(page, 'my-model', true)).not.toMatch(/on this machine|per hour/i)
  expect(offered(page, 'small', true, { speed: 'medium' })).toContain('Medium speed on this machine')
  const timed = offered(page, 'small', true, { speed: 'medium', minutes_per_hour: 31 })
  expect(timed).toContain('About 31 min per hour of speech')
  expect(timed).not.toContain('on this machine')
})
