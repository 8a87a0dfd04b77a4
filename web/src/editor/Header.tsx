import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ArrowLeft, CircleHelp, Redo2, Share, Undo2 } from 'lucide-react'
import { toast } from 'sonner'
import { messageOf } from '../api/client'
import { exportsQuery, isUnderWay } from '../api/exports'
import { renameProject } from '../api/projects'
import { Button, IconButton } from '../ui/Button'
import { ThemeButton } from '../ui/ThemeButton'
import { formatTime, percent } from './format'
import { useModel } from './model'
import { useEditorStore } from './store'

export function Header() {
  const { project, book, bookState, totalMs } = useModel()
  const set = useEditorStore((s) => s.set)
  const rendering = useQuery(exportsQuery(project.uuid)).data?.find(isUnderWay)
  return (
    <header className="flex h-12 shrink-0 items-center gap-2 border-b border-line bg-surface px-3">
      <Link to="/" aria-label="All projects" className="inline-flex size-8 shrink-0 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-ink">
        <ArrowLeft size={16} />
      </Link>
      <Name key={project.name} />
      <span className="w-16 shrink-0 text-xs text-faint" role="status">
        {bookState.pending > 0 ? 'Saving…' : ''}
      </span>
      <Totals />
      <div className="ml-auto flex shrink-0 items-center gap-1">
        <IconButton label={bookState.undo ? `Undo ${bookState.undo}` : 'Nothing to undo'} keys="Ctrl Z" disabled={!bookState.undo} onClick={() => book.undo()}>
          <Undo2 size={16} />
        </IconButton>
        <IconButton label={bookState.redo ? `Redo ${bookState.redo}` : 'Nothing to redo'} keys="Ctrl Shift Z" disabled={!bookState.redo} onClick={() => book.redo()}>
          <Redo2 size={16} />
        </IconButton>
        <ThemeButton />
        <IconButton label="Keys" keys="?" onClick={() => set({ help: true })}>
          <CircleHelp size={16} />
        </IconButton>
        {rendering && (
          <Button look="quiet" onClick={() => set({ rightTab: 'exports' })}>
            Exporting {rendering.progress} %
          </Button>
        )}
        <Button look="primary" className="ml-1" disabled={totalMs === 0} onClick={() => set({ exporting: true })}>
          <Share size={14} aria-hidden /> Export
        </Button>
      </div>
    </header>
  )
}

function Name() {
  const { project } = useModel()
  const queryClient = useQueryClient()
  const rename = useMutation({
    mutationFn: (name: string) => renameProject(project.uuid, name),
    onSettled: () => {
      void queryClient.invalidateQueries({ queryKey: ['project', project.uuid] })
      void queryClient.invalidateQueries({ queryKey: ['projects'] })
    },
    onError: (error) => toast.error(messageOf(error)),
  })
  return (
    <input
      aria-label="Name of the project"
      defaultValue={project.name}
      maxLength={200}
      onKeyDown={(e) => {
        if (e.key === 'Enter') e.currentTarget.blur()
        if (e.key === 'Escape') {
          e.currentTarget.value = project.name
          e.currentTarget.blur()
        }
      }}
      onBlur={(e) => {
        const name = e.currentTarget.value.trim()
        if (name && name !== project.name) rename.mutate(name)
        else e.currentTarget.value = project.name
      }}
      className="h-8 w-56 min-w-0 shrink truncate rounded-md border border-transparent bg-transparent px-2 text-sm font-semibold hover:border-line focus:border-accent focus:bg-raised focus:outline-none"
    />
  )
}

// Totals are always in sight: what it was, what goes, what stays.
function Totals() {
  const { totals, previewing } = useModel()
  if (totals.originalMs === 0) return null
  const part = (name: string, ms: number, look: string, id: string) => (
    <div className="flex flex-col items-center">
      <dt className="text-xs leading-4 text-faint">{name}</dt>
      <dd data-testid={id} data-ms={ms} className={`text-sm leading-5 font-semibold ${look}`}>
        {formatTime(ms)}
      </dd>
    </div>
  )
  return (
    <dl className={`mx-auto flex items-center gap-6 rounded-md px-3 ${previewing ? 'bg-accent-soft' : ''}`} aria-label="Lengths">
      {part('Original', totals.originalMs, 'text-muted', 'total-original')}
      {part(`Saved ${percent(totals.savedMs, totals.originalMs)} %`, totals.savedMs, 'text-ink', 'total-saved')}
      {part('New length', totals.resultMs, 'text-accent', 'total-result')}
    </dl>
  )
}
