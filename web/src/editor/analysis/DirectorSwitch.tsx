import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { toast } from 'sonner'
import { messageOf } from '../../api/client'
import { projectQuery, setProjectDirector } from '../../api/projects'
import { sessionQuery } from '../../api/session'
import { directorText as text } from '../../text/director'
import { Switch } from '../../ui/Switch'
import { useProject } from '../state/contexts'

/** Switches the suggestions of the AI Director for the next analyses of the project. */
export function DirectorSwitch() {
  const { project } = useProject()
  const off = useQuery(sessionQuery).data?.ai_director === false
  const queryClient = useQueryClient()
  const { mutate, variables, isPending } = useMutation({
    scope: { id: `director ${project.uuid}` },
    mutationFn: (on: boolean) => setProjectDirector(project.uuid, on),
    onSettled: () => queryClient.invalidateQueries({ queryKey: projectQuery(project.uuid).queryKey }),
    onError: (error) => toast.error(messageOf(error)),
  })

  return (
    <Switch
      label={text.project}
      hint={off ? text.projectOff : text.projectHint}
      checked={!off && (isPending ? variables : project.ai_director)}
      disabled={off}
      onChange={mutate}
    />
  )
}
