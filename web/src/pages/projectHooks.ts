import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { allProjects } from '../api/projects'

/** Returns a function that invalidates all project lists. */
export function useRefreshProjects(): () => Promise<void> {
  const queryClient = useQueryClient()
  return () => queryClient.invalidateQueries({ queryKey: allProjects.queryKey })
}

/** Returns a function that opens a project, optionally at a position in milliseconds. */
export function useOpenProject(): (uuid: string, at?: number) => void {
  const navigate = useNavigate()
  return (uuid, at) => void navigate({ to: '/projects/$uuid', params: { uuid }, search: { at } })
}
