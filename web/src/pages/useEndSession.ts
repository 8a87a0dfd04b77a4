import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { setCSRFToken } from '../api/client'
import { sessionQuery } from '../api/session'

/**
 * Returns a function that sends a request which ends the session, clears all data of the session and opens the sign-in
 * page. Requests in flight are cancelled first: the server would reject them, as if the session had been lost.
 */
export function useEndSession(): <T>(end: () => Promise<T>) => Promise<T> {
  const queryClient = useQueryClient()
  const router = useRouter()
  return async (end) => {
    await queryClient.cancelQueries()
    try {
      const result = await end()
      setCSRFToken('')
      queryClient.clear()
      queryClient.setQueryData(sessionQuery.queryKey, null)
      await router.navigate({ to: '/sign-in', search: { next: undefined, notice: undefined, error: undefined } })
      return result
    } catch (error) {
      void queryClient.invalidateQueries()
      throw error
    }
  }
}
