import { QueryClient } from '@tanstack/react-query'
import { Problem } from './client'

/**
 * A client that also asks again for what is on its way for the first time. Without this, an answer from before a change
 * would stay: TanStack Query only replaces the request of a query that has data.
 */
class FreshQueryClient extends QueryClient {
  override invalidateQueries: QueryClient['invalidateQueries'] = (filters, options) => {
    for (const query of this.getQueryCache().findAll({ ...filters, type: 'active', fetchStatus: 'fetching' }))
      if (query.state.data === undefined && filters?.refetchType !== 'none') void query.cancel({ silent: true })

    return super.invalidateQueries(filters, options)
  }
}

/** The query cache of all pages. */
export const queryClient = new FreshQueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // Only network failures and server errors are worth a retry.
      retry: (failures, error) =>
        failures < 2 && (!(error instanceof Problem) || error.status === 0 || error.status >= 500),
    },
  },
})
