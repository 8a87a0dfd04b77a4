import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { setCSRFToken } from '../../api/client'
import { sessionQuery } from '../../api/session'

/** Returns a function that clears all data of the ended session and opens the sign-in page. */
export function useForgetSession(): () => Promise<void> {
  const queryClient = useQueryClient()
  const router = useRouter()
  return async () => {
    setCSRFToken('')
    queryClient.clear()
    queryClient.setQueryData(sessionQuery.queryKey, null)
    await router.navigate({ to: '/sign-in', search: { next: undefined, notice: undefined, error: undefined } })
  }
}
