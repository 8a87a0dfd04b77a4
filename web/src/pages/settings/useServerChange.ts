import { useMutation, useQueryClient, type QueryKey } from '@tanstack/react-query'
import { toast } from 'sonner'
import { messageOf } from '../../api/client'

/** Changes something on the server and fetches anew what shows it. A refusal is told in a toast, unless the caller shows it itself. */
export function useServerChange<T, R>(
  change: (value: T) => Promise<R>,
  stale: QueryKey[],
  done?: (result: R, value: T) => void,
  refusalIsShown = false,
) {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSuccess: (result, value) => done?.(result, value),
    onSettled: () => Promise.all(stale.map((queryKey) => queryClient.invalidateQueries({ queryKey }))),
    onError: (error) => {
      if (!refusalIsShown) toast.error(messageOf(error))
    },
  })
}
