import { QueryClient } from '@tanstack/react-query'
import { Problem } from './client'

/** The query cache of all pages. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // Only network failures and server errors are worth a retry.
      retry: (failures, error) =>
        failures < 2 && (!(error instanceof Problem) || error.status === 0 || error.status >= 500),
    },
  },
})
