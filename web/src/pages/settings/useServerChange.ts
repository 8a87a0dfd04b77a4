import { useMutation, useQueryClient, type QueryKey } from '@tanstack/react-query'
import { useId } from 'react'
import { toast } from 'sonner'
import { messageOf } from '../../api/client'

/**
 * A mutation that invalidates the given queries. Changes are sent one after the other, so that none overtakes another.
 * Errors appear in a toast unless the caller shows them.
 */
export function useServerChange<T, R>(
  change: (value: T) => Promise<R>,
  stale: QueryKey[],
  done?: (result: R, value: T) => void,
  showsError = false,
) {
  const queryClient = useQueryClient()
  const id = useId()
  return useMutation({
    scope: { id },
    mutationFn: change,
    onSuccess: (result, value) => done?.(result, value),
    onSettled: () => Promise.all(stale.map((queryKey) => queryClient.invalidateQueries({ queryKey }))),
    onError: (error) => {
      if (!showsError) toast.error(messageOf(error))
    },
  })
}
