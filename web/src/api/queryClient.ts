import { QueryClient } from '@tanstack/react-query'
import { Problem } from './client'

/** What has been fetched, shared by all pages. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // What the server refused it will refuse again; only silence and its own faults are worth another try.
      retry: (failures, error) =>
        failures < 2 && (!(error instanceof Problem) || error.status === 0 || error.status >= 500),
    },
  },
})
