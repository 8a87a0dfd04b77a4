import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { AudioLines, EllipsisVertical, Pencil, Trash2 } from 'lucide-react'
import { AlertDialog, DropdownMenu } from 'radix-ui'
import { useState } from 'react'
import { toast } from 'sonner'
import { messageOf } from '../api/client'
import { deleteProject, renameProject, type ProjectSummary } from '../api/projects'
import { count, formatAge, formatTime } from '../editor/format'
import { Button } from '../ui/Button'
import { Dialog } from '../ui/Dialog'
import { Field } from '../ui/Field'
import { menuItem, menuLook } from '../ui/menu'
import { useRefreshProjects } from './Projects'
import { Thumbnail } from './Thumbnail'
import { useSubmit } from './useSubmit'

const STATUS: Record<ProjectSummary['status'], readonly [text: string, look: string]> = {
  created: ['Not analysed yet', 'text-faint'],
  analyzing: ['Finding cuts…', 'text-accent'],
  analyzed: ['Cuts proposed', 'text-muted'],
  failed: ['Analysis failed', 'text-danger'],
}

export function ProjectCard({ project }: { project: ProjectSummary }) {
  const [status, look] = STATUS[project.status]
  const empty = project.clip_count === 0
  return (
    <li className="group relative flex flex-col overflow-hidden rounded-xl border border-line bg-surface transition-colors focus-within:border-strong hover:border-strong">
      <div className="relative flex h-28 items-center justify-center bg-film">
        {empty ? <AudioLines size={32} className="text-faint opacity-50" aria-hidden /> : <Thumbnail project={project.uuid} />}
        <span className="absolute right-2 bottom-2 rounded-sm bg-black/70 px-1.5 py-0.5 text-xs font-medium text-[#fff]">
          {empty ? 'No clips yet' : project.duration_ms === null ? 'Reading clips…' : formatTime(project.duration_ms)}
        </span>
      </div>
      <div className="flex items-start gap-2 p-3">
        <div className="min-w-0 flex-1">
          <h2 className="truncate text-sm font-semibold">
            <Link to="/projects/$uuid" params={{ uuid: project.uuid }} search={{ at: undefined }} className="outline-none after:absolute after:inset-0 after:z-1 after:rounded-xl focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent">
              {project.name}
            </Link>
          </h2>
          <p className="truncate text-xs text-faint">
            <span className={look}>{status}</span> · {count(project.clip_count, 'clip')} · {formatAge(project.created_at)}
          </p>
        </div>
        <CardMenu project={project} />
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
          className="relative z-2 -mr-1 inline-flex size-8 items-center justify-center rounded-md text-muted opacity-70 transition-opacity group-hover:opacity-100 hover:bg-hover hover:text-ink focus-visible:opacity-100 data-[state=open]:opacity-100"
        >
          <EllipsisVertical size={16} />
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content align="end" className={menuLook}>
            <DropdownMenu.Item className={menuItem} onSelect={() => setDialog('rename')}>
              <Pencil size={14} /> Rename
            </DropdownMenu.Item>
            <DropdownMenu.Item className={`${menuItem} text-danger`} onSelect={() => setDialog('delete')}>
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
        <Field label="Name" name="name" defaultValue={project.name} required maxLength={200} autoFocus error={form.fields['name'] ?? form.message ?? undefined} />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" disabled={form.busy}>
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
    <AlertDialog.Root open={open} onOpenChange={(o) => !o && onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className="fixed inset-0 z-40 bg-scrim" />
        <AlertDialog.Content className="pop fixed top-1/2 left-1/2 z-50 w-[calc(100%-48px)] max-w-md -translate-x-1/2 -translate-y-1/2 rounded-xl border border-line bg-surface p-6 shadow-pop">
          <AlertDialog.Title className="text-lg font-semibold tracking-tight">Delete “{project.name}”?</AlertDialog.Title>
          <AlertDialog.Description className="mt-2 text-sm text-muted">
            Its {count(project.clip_count, 'clip')}, cuts and exports are removed from this server for good. Recordings that you still have elsewhere are not touched.
          </AlertDialog.Description>
          <div className="mt-6 flex justify-end gap-2">
            <AlertDialog.Cancel asChild>
              <Button>Keep it</Button>
            </AlertDialog.Cancel>
            <AlertDialog.Action asChild>
              <Button look="danger" onClick={() => remove.mutate()}>
                Delete for good
              </Button>
            </AlertDialog.Action>
          </div>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}
