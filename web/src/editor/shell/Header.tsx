import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ArrowLeft, CircleHelp, Cloud, CloudOff, Moon, Sun } from 'lucide-react'
import { useEffect } from 'react'
import { toast } from 'sonner'
import { messageOf } from '../../api/client'
import { exportsQuery, isUnderWay } from '../../api/exports'
import { allProjects, projectQuery, renameProject } from '../../api/projects'
import { shellText as text } from '../../text/editor/shell'
import { uiText } from '../../text/ui'
import { Button } from '../../ui/Button'
import { holdClose } from '../../ui/closeGuard'
import { MenuItem, MoreMenu } from '../../ui/MoreMenu'
import { switchTheme, useTheme } from '../../ui/theme'
import { useFieldText } from '../../ui/useFieldText'
import { CommandButton } from '../commands/CommandButton'
import { useCommand } from '../commands/useCommand'
import { ExportMenu } from '../export/ExportMenu'
import { useEdits, useProject, useSaveState } from '../state/contexts'
import { useEditorStore, useLive } from '../state/store'
import { timecode } from '../plan/timecode'
import { HistoryMenu } from './HistoryMenu'

/** The toolbar above the panes: project name, save state, durations, undo, history and export. */
export function Header() {
  const saveState = useSaveState()
  const { project } = useProject()
  const set = useEditorStore((s) => s.set)
  const rendering = useQuery(exportsQuery(project.uuid)).data?.find(isUnderWay)
  return (
    <header className="flex h-12 shrink-0 items-center gap-2 border-b border-line bg-surface px-3 phone:px-2">
      <Link
        to="/"
        aria-label={text.allProjects}
        className="inline-flex size-8 shrink-0 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-ink"
      >
        <ArrowLeft size={16} />
      </Link>
      <h1 className="sr-only">{project.name}</h1>
      <Name />
      <Saved />
      <Totals />
      <div className="ml-auto flex shrink-0 items-center gap-1">
        <CommandButton name="undo" label={saveState.undo ? text.undo(saveState.undo) : text.nothingToUndo} />
        <CommandButton name="redo" label={saveState.redo ? text.redo(saveState.redo) : text.nothingToRedo} />
        <span className="contents phone:hidden">
          <HistoryMenu />
        </span>
        {rendering && (
          <Button variant="quiet" onClick={() => set({ rightTab: 'exports' })}>
            <span className="max-lg:sr-only">{text.exporting}</span> {text.percent(rendering.progress)}
          </Button>
        )}
        <HelpMenu />
        <ExportMenu />
      </div>
    </header>
  )
}

// HelpMenu holds the theme and the list of shortcuts.
function HelpMenu() {
  const other = useTheme() === 'dark' ? 'light' : 'dark'
  const { run, keys, label } = useCommand('help')
  return (
    <MoreMenu label={text.more} className="phone:hidden">
      <MenuItem icon={other === 'light' ? Sun : Moon} onSelect={switchTheme}>
        {uiText.switchTheme[other]}
      </MenuItem>
      <MenuItem icon={CircleHelp} keys={keys} onSelect={run}>
        {label}
      </MenuItem>
    </MoreMenu>
  )
}

// Saved shows whether the server has stored all changes.
function Saved() {
  const saveState = useSaveState()
  const offline = useLive((s) => s.offline)
  const busy = saveState.pending > 0
  useEffect(() => (busy ? holdClose() : undefined), [busy])

  const [Icon, message] = offline ? [CloudOff, text.offline] : busy ? [Cloud, text.saving] : [Cloud, text.saved]
  return (
    <span
      className={`flex shrink-0 items-center gap-1.5 text-xs ${offline ? 'text-danger' : 'text-faint'}`}
      role="status"
      data-testid="saved"
      title={message}
    >
      <Icon size={14} aria-hidden /> <span className={offline ? '' : 'max-xl:sr-only'}>{message}</span>
    </span>
  )
}

function Name() {
  const { project } = useProject()
  const queryClient = useQueryClient()
  const rename = useMutation({
    mutationFn: (name: string) => renameProject(project.uuid, name),
    onSettled: () => {
      void queryClient.invalidateQueries({ queryKey: projectQuery(project.uuid).queryKey })
      void queryClient.invalidateQueries({ queryKey: allProjects.queryKey })
    },
    onError: (error) => toast.error(messageOf(error)),
  })

  const { field, typed, reset } = useFieldText<HTMLInputElement>(project.name)
  return (
    <input
      ref={field}
      aria-label={text.projectName}
      dir="auto"
      defaultValue={project.name}
      maxLength={200}
      onKeyDown={(e) => {
        if (e.key === 'Enter') e.currentTarget.blur()
        if (e.key === 'Escape') {
          reset()
          e.currentTarget.blur()
        }
      }}
      onBlur={() => {
        const name = typed()?.trim()
        if (name && name !== project.name) rename.mutate(name)
        else reset()
      }}
      className="h-8 w-56 min-w-0 shrink truncate rounded-md border border-transparent bg-transparent px-2 text-sm font-semibold hover:border-line focus:border-accent focus:bg-raised focus:outline-2 focus:outline-offset-0 focus:outline-accent-soft"
    />
  )
}

// Totals shows the durations of the recording, of the cuts and of the result, once the cuts are loaded.
function Totals() {
  const { totals, previewing, provisional, loaded } = useEdits()
  if (!loaded || totals.originalMs === 0) return null
  const part = (name: string, ms: number, style: string, id: string) => (
    <div
      className={`flex flex-col items-center ${id === 'total-original' ? 'max-lg:sr-only' : ''} ${id === 'total-saved' ? 'phone:sr-only' : ''}`}
    >
      <dt className="text-xs leading-4 text-faint">{name}</dt>
      <dd data-testid={id} data-ms={ms} className={`text-sm leading-5 font-semibold ${style}`}>
        {timecode(ms)}
      </dd>
    </div>
  )

  return (
    <dl
      className={`mx-auto flex shrink-0 items-center gap-4 rounded-md px-3 xl:gap-6 phone:px-0 ${previewing || provisional ? 'bg-accent-soft' : ''}`}
      aria-label={text.durations}
    >
      {part(text.original, totals.originalMs, 'text-muted', 'total-original')}
      {part(text.removed(totals.savedMs, totals.originalMs), totals.savedMs, 'text-ink', 'total-saved')}
      {part(text.result, totals.resultMs, 'text-accent', 'total-result')}
    </dl>
  )
}
