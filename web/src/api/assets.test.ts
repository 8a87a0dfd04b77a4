import { QueryClient } from '@tanstack/react-query'
import { expect, it, vi } from 'vitest'

const STATUSES = ['pending', 'uploaded']

vi.mock('./client', () => ({
  Problem: Error,
  dataOf: (response: unknown) => response,
  api: {
    GET: () => Promise.resolve({ items: [{ uuid: 'a', status: STATUSES.shift() }], total: 1, page: 1, page_size: 200 }),
  },
}))

it('the whole list asks again for pages that the cache takes for fresh', async () => {
  const { ALL_ASSETS, wholeListQuery } = await import('./assets')
  const { queryClient } = await import('./queryClient')
  const client = new QueryClient({ defaultOptions: queryClient.getDefaultOptions() })
  for (const status of [...STATUSES]) {
    const list = await client.fetchQuery({ ...wholeListQuery(ALL_ASSETS), staleTime: 0 })
    expect(list.map((a) => a.status)).toEqual([status])
  }
})
