import { useMutation, useQuery } from '@tanstack/react-query'
import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { toast } from 'sonner'
import { messageOf } from '../api/client'
import { deleteProject, restoreProject, trashedProjectsQuery, type ProjectSummary } from '../api/projects'
import { commonText } from '../text/common'
import { date } from '../text/format'
import { projectsText } from '../text/projects'
import { Button } from '../ui/Button'
import { Confirm } from '../ui/Confirm'
import { useRefreshProjects } from './projectHooks'

/** The projects in the trash; nothing if the trash is empty. */
export function TrashedProjects() {
  const items = useQuery(trashedProjectsQuery).data ?? []
  const [asking, ask] = useState<ProjectSummary | null>(null)
  const refresh = useRefreshProjects()
  const onError = (error: unknown) => toast.error(messageOf(error))
  const restore = useMutation({
    mutationFn: (project: ProjectSummary) => restoreProject(project.uuid),
    onSettled: refresh,
    onSuccess: (project) => toast.success(projectsText.restored(project.name)),
    onError,
  })

  const remove = useMutation({
    mutationFn: (project: ProjectSummary) => deleteProject(project.uuid),
    onSettled: refresh,
    onSuccess: (_, project) => toast(projectsText.deleted(project.name)),
    onError,
  })

  if (items.length === 0) return null
  return (
    <details className="group mt-8 border-t border-line pt-4">
      <summary className="flex min-h-10 cursor-pointer items-center gap-1.5 text-sm font-medium text-muted hover:text-ink [&::-webkit-details-marker]:hidden">
        <ChevronRight size={16} className="transition-transform group-open:rotate-90" aria-hidden />
        {projectsText.trashCount(items.length)}
      </summary>
      <p className="mt-1 text-sm text-muted">{projectsText.trashHelp}</p>
      <ul className="mt-3 flex flex-col gap-2" aria-label={projectsText.trash}>
        {items.map((project) => (
          <li
            key={project.uuid}
            className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-lg border border-line bg-surface px-4 py-2"
          >
            <span className="min-w-0 flex-1 basis-48">
              <bdi className="block truncate text-sm font-medium">{project.name}</bdi>
              <span className="block text-xs text-muted">
                {projectsText.clips(project.clip_count)}
                {project.purged_at && ` · ${projectsText.keptUntil(date(project.purged_at))}`}
              </span>
            </span>
            <span className="flex flex-wrap gap-2">
              <Button
                aria-label={projectsText.restoreNamed(project.name)}
                disabled={restore.isPending}
                onClick={() => restore.mutate(project)}
              >
                {projectsText.restore}
              </Button>
              <Button
                variant="quiet"
                aria-label={projectsText.deleteNamed(project.name)}
                disabled={remove.isPending}
                onClick={() => ask(project)}
              >
                {commonText.deletePermanently}
              </Button>
            </span>
          </li>
        ))}
      </ul>
      <Confirm
        open={asking !== null}
        onOpenChange={(open) => !open && ask(null)}
        title={projectsText.confirmDelete(asking?.name ?? '')}
        yes={commonText.deletePermanently}
        onConfirm={() => {
          if (asking) remove.mutate(asking)
          ask(null)
        }}
      >
        {projectsText.confirmDeleteHelp(asking?.clip_count ?? 0)}
      </Confirm>
    </details>
  )
}
