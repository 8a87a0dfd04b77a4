import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { queryKeys } from '../api/keys'

/** Forgets every list of projects, so that it is fetched anew. */
export function useRefreshProjects(): () => Promise<void> {
  const queryClient = useQueryClient()
  return () => queryClient.invalidateQueries({ queryKey: queryKeys.allProjects })
}

/** Goes to a project, at a moment of it where one is given. */
export function useOpenProject(): (uuid: string, at?: number) => void {
  const navigate = useNavigate()
  return (uuid, at) => void navigate({ to: '/projects/$uuid', params: { uuid }, search: { at } })
}
