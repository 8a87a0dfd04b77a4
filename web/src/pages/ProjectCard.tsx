import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { AudioLines, EllipsisVertical, Pencil, Trash2 } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { useEffect, useState } from 'react'
import { toast } from 'sonner'
import { messageOf } from '../api/client'
import { followEvents } from '../api/events'
import { queryKeys } from '../api/keys'
import { deleteProject, renameProject, type ProjectSummary } from '../api/projects'
import { count, formatAge, formatTime } from '../editor/format'
import { Button } from '../ui/Button'
import { Confirm } from '../ui/Confirm'
import { Dialog } from '../ui/Dialog'
import { Field } from '../ui/Field'
import { menuItemClass, menuClass } from '../ui/menu'
import { Progress } from '../ui/Progress'
import { useRefreshProjects } from './projectHooks'
import { Thumbnail } from './Thumbnail'
import { useSubmit } from './useSubmit'

const STATUS: Record<ProjectSummary['status'], readonly [text: string, tone: string]> = {
  created: ['Not analysed yet', 'text-faint'],
  analyzing: ['Finding cuts…', 'text-accent'],
  analyzed: ['Cuts proposed', 'text-muted'],
  failed: ['Analysis failed', 'text-danger'],
}

/** One project; followed, it tells how far its analysis is. */
export function ProjectCard({ project, followed }: { project: ProjectSummary; followed: boolean }) {
  const [status, tone] = STATUS[project.status]
  const progress = useAnalysisProgress(project.uuid, followed)
  const empty = project.clip_count === 0
  return (
    <li className="group relative flex flex-col overflow-hidden rounded-xl border border-line bg-surface transition-colors focus-within:border-strong hover:border-strong">
      <div className="relative flex h-28 items-center justify-center bg-film">
        {empty ? (
          <AudioLines size={32} className="text-faint opacity-50" aria-hidden />
        ) : (
          <Thumbnail project={project.uuid} />
        )}
        <span className="absolute right-2 bottom-2 rounded-sm bg-black/70 px-1.5 py-0.5 text-xs font-medium text-[#fff]">
          {empty ? 'No clips yet' : project.duration_ms === null ? 'Reading clips…' : formatTime(project.duration_ms)}
        </span>
        {project.status === 'analyzing' && (
          <Progress
            value={progress}
            label={`Finding cuts in ${project.name}`}
            className="absolute inset-x-0 bottom-0 !rounded-none"
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
        <p className="truncate text-xs text-faint">
          <span className={tone} title={project.error ?? undefined}>
            {status}
            {progress !== null && ` ${Math.round(progress)}%`}
          </span>
          {!empty && ` · ${count(project.clip_count, 'clip')}`} · {formatAge(project.created_at)}
        </p>
      </div>
    </li>
  )
}

function CardMenu({ project }: { project: ProjectSummary }) {
  const [dialog, setDialog] = useState<'rename' | 'delete' | null>(null)
  return (
    <>
      <DropdownMenu.Root>
        <DropdownMenu.Trigger
          aria-label={`More for ${project.name}`}
          className="relative z-2 -my-1.5 -mr-1 inline-flex size-8 items-center justify-center rounded-md text-muted opacity-70 transition-opacity group-hover:opacity-100 hover:bg-hover hover:text-ink focus-visible:opacity-100 data-[state=open]:opacity-100"
        >
          <EllipsisVertical size={16} />
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content align="end" className={menuClass}>
            <DropdownMenu.Item className={menuItemClass} onSelect={() => setDialog('rename')}>
              <Pencil size={14} /> Rename
            </DropdownMenu.Item>
            <DropdownMenu.Item className={`${menuItemClass} text-danger`} onSelect={() => setDialog('delete')}>
              <Trash2 size={14} /> Delete
            </DropdownMenu.Item>
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      <Rename project={project} open={dialog === 'rename'} onClose={() => setDialog(null)} />
      <ConfirmDelete project={project} open={dialog === 'delete'} onClose={() => setDialog(null)} />
    </>
  )
}

function Rename({ project, open, onClose }: { project: ProjectSummary; open: boolean; onClose: () => void }) {
  const refresh = useRefreshProjects()
  const form = useSubmit(async (v) => {
    await renameProject(project.uuid, (v['name'] ?? '').trim())
    await refresh()
    onClose()
  })
  return (
    <Dialog open={open} onOpenChange={(o) => !o && onClose()} title="Rename the project">
      <form onSubmit={form.onSubmit} className="flex flex-col gap-4">
        <Field
          label="Name"
          name="name"
          defaultValue={project.name}
          required
          maxLength={200}
          autoFocus
          error={form.fields['name'] ?? form.message ?? undefined}
        />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" disabled={form.busy}>
            Rename
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function ConfirmDelete({ project, open, onClose }: { project: ProjectSummary; open: boolean; onClose: () => void }) {
  const refresh = useRefreshProjects()
  const remove = useMutation({
    mutationFn: () => deleteProject(project.uuid),
    onSuccess: async () => {
      await refresh()
      toast(`“${project.name}” is deleted`)
    },
    onError: (error) => toast.error(messageOf(error)),
  })
  return (
    <Confirm
      open={open}
      onOpenChange={(o) => !o && onClose()}
      title={`Delete “${project.name}”?`}
      yes="Delete for good"
      onConfirm={() => {
        remove.mutate()
        onClose()
      }}
    >
      Its {count(project.clip_count, 'clip')}, cuts and exports are removed from this server for good. Recordings that
      you still have elsewhere are not touched.
    </Confirm>
  )
}

// useAnalysisProgress follows a project while it is wanted: from 0 to 100, null while nothing is known.
function useAnalysisProgress(project: string, wanted: boolean): number | null {
  const [progress, setProgress] = useState<number | null>(null)
  const queryClient = useQueryClient()
  useEffect(() => {
    if (!wanted) return
    const stop = followEvents(project, (event) => {
      if (event.type === 'ANALYSIS_PROGRESS') setProgress(event.data.progress)
      else if (event.type !== 'CLIP_PROCESSING' && event.type !== 'EXPORT_PROGRESS')
        void queryClient.invalidateQueries({ queryKey: queryKeys.allProjects })
    })
    return () => {
      stop()
      setProgress(null)
    }
  }, [project, wanted, queryClient])
  return progress
}
