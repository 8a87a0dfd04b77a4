import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { AudioLines, Copy, EllipsisVertical, Pencil, Trash2 } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { useEffect, useState } from 'react'
import { toast } from 'sonner'
import { messageOf } from '../api/client'
import { followEvents, type EventType } from '../api/events'
import {
  allProjects,
  duplicateProject,
  renameProject,
  restoreProject,
  trashProject,
  type ProjectSummary,
} from '../api/projects'
import { timecode } from '../editor/plan/timecode'
import { commonText } from '../text/common'
import { percent, relativeTime } from '../text/format'
import { projectsText } from '../text/projects'
import { menuItemClass, menuClass } from '../ui/menu'
import { Progress } from '../ui/Progress'
import { RenameDialog } from '../ui/RenameDialog'
import { useRefreshProjects } from './projectHooks'
import { Thumbnail } from './Thumbnail'
import { returnFocus } from '../ui/home'

const TONES: Record<ProjectSummary['status'], string> = {
  created: 'text-faint',
  analyzing: 'text-accent',
  analyzed: 'text-muted',
  failed: 'text-danger',
}

// stateOf says what a person can expect: the cuts that are left to review, or the state of the analysis.
const stateOf = ({ status, to_review }: ProjectSummary): string =>
  status === 'analyzed' && to_review > 0 ? projectsText.toReview(to_review) : projectsText.status[status]

/** A project in the list. `followed` shows the progress of its analysis. */
export function ProjectCard({ project, followed }: { project: ProjectSummary; followed: boolean }) {
  const progress = useAnalysisProgress(project.uuid, followed)
  const empty = project.clip_count === 0
  return (
    <li className="group relative flex flex-col overflow-hidden rounded-xl border border-line bg-surface transition-colors focus-within:border-strong hover:border-strong">
      <div className="relative flex aspect-video items-center justify-center bg-film">
        {empty ? (
          <AudioLines size={32} className="text-faint opacity-50" aria-hidden />
        ) : (
          <Thumbnail project={project.uuid} />
        )}
        <span className="absolute right-2 bottom-2 rounded-sm bg-black/70 px-1.5 py-0.5 text-xs font-medium text-[#fff]">
          {empty
            ? projectsText.noClips
            : project.duration_ms === null
              ? projectsText.readingClips
              : timecode(project.duration_ms)}
        </span>
        {project.status === 'analyzing' && (
          <Progress
            value={progress}
            label={projectsText.findingCutsIn(project.name)}
            className="absolute inset-x-0 bottom-0 rounded-none"
          />
        )}
      </div>
      <div className="p-3">
        <div className="flex items-center gap-2">
          <h2 dir="auto" className="min-w-0 flex-1 truncate text-left text-sm font-semibold" title={project.name}>
            <Link
              to="/projects/$uuid"
              params={{ uuid: project.uuid }}
              search={{ at: undefined }}
              data-result
              className="outline-none after:absolute after:inset-0 after:z-1 after:rounded-xl focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent"
            >
              {project.name}
            </Link>
          </h2>
          <CardMenu project={project} />
        </div>
        <p className="truncate text-xs text-muted">
          <span className={TONES[project.status]} title={project.error ?? undefined}>
            {stateOf(project)}
            {progress !== null && ` ${percent(progress)}`}
          </span>
          {project.export_count > 0 && ` · ${projectsText.exports(project.export_count)}`}
        </p>
        <p className="truncate text-xs text-faint">
          {project.clip_count > 1 && `${projectsText.clips(project.clip_count)} · `}
          {relativeTime(project.created_at)}
        </p>
      </div>
    </li>
  )
}

function CardMenu({ project }: { project: ProjectSummary }) {
  const refresh = useRefreshProjects()
  const [renaming, setRenaming] = useState(false)
  const duplicate = useDuplicate(project)
  const trash = useTrash(project)
  return (
    <>
      <DropdownMenu.Root modal={false}>
        <DropdownMenu.Trigger
          aria-label={projectsText.actions(project.name)}
          className="relative z-2 -my-1.5 -mr-1 inline-flex size-8 items-center justify-center rounded-md text-muted opacity-70 transition-opacity group-hover:opacity-100 hover:bg-hover hover:text-ink focus-visible:opacity-100 data-[state=open]:opacity-100"
        >
          <EllipsisVertical size={16} />
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content align="end" className={menuClass} onCloseAutoFocus={returnFocus}>
            <DropdownMenu.Item className={menuItemClass} onSelect={() => setRenaming(true)}>
              <Pencil size={14} /> {commonText.rename}
            </DropdownMenu.Item>
            <DropdownMenu.Item className={menuItemClass} onSelect={duplicate}>
              <Copy size={14} /> {projectsText.duplicate}
            </DropdownMenu.Item>
            <DropdownMenu.Item className={menuItemClass} onSelect={trash}>
              <Trash2 size={14} /> {projectsText.moveToTrash}
            </DropdownMenu.Item>
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      <RenameDialog
        name={renaming ? project.name : null}
        field="name"
        title={projectsText.rename}
        maxLength={200}
        rename={async (name) => {
          await renameProject(project.uuid, name)
          await refresh()
        }}
        onClose={() => setRenaming(false)}
      />
    </>
  )
}

// useDuplicate returns a function that copies a project.
function useDuplicate(project: ProjectSummary): () => void {
  const refresh = useRefreshProjects()
  const copy = useMutation({
    mutationFn: () => duplicateProject(project.uuid),
    onSettled: refresh,
    onSuccess: (made) =>
      toast.success(projectsText.duplicated(made.name), { description: projectsText.duplicatedHelp }),
    onError: (error) => toast.error(messageOf(error)),
  })

  return () => copy.mutate()
}

// useTrash returns a function that moves a project to the trash. Its message offers to undo that.
function useTrash(project: ProjectSummary): () => void {
  const refresh = useRefreshProjects()
  const onError = (error: unknown) => toast.error(messageOf(error))
  const remove = useMutation({
    mutationFn: () => trashProject(project.uuid),
    onSettled: refresh,
    onSuccess: () => {
      const undo = () => void restoreProject(project.uuid).catch(onError).finally(refresh)
      toast.success(projectsText.trashed(project.name), {
        description: projectsText.trashedHelp,
        action: { label: projectsText.undo, onClick: undo },
      })
    },
    onError,
  })

  return () => remove.mutate()
}

/** Events that change nothing on the card. */
const PROGRESS: ReadonlySet<EventType> = new Set(['CLIP_PROCESSING', 'CONSTANT_RATE_PROGRESS', 'EXPORT_PROGRESS'])

// useAnalysisProgress follows a project's events while `enabled` and returns the progress from 0 to 100, or null.
function useAnalysisProgress(project: string, enabled: boolean): number | null {
  const [progress, setProgress] = useState<number | null>(null)
  const queryClient = useQueryClient()
  useEffect(() => {
    if (!enabled) return
    const stop = followEvents(project, (event) => {
      if (event.type === 'ANALYSIS_PROGRESS') setProgress(event.data.progress)
      else if (!PROGRESS.has(event.type)) void queryClient.invalidateQueries({ queryKey: allProjects.queryKey })
    })

    return () => {
      stop()
      setProgress(null)
    }
  }, [project, enabled, queryClient])

  return progress
}
