import { useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { messageOf, Problem } from '../api/client'
import { DropZone, FirstClips } from '../editor/clips/DropZone'
import { ExportDialog } from '../editor/export/ExportDialog'
import { Header } from '../editor/shell/Header'
import { ImportDialog } from '../editor/clips/ImportDialog'
import { ShortcutsDialog } from '../editor/commands/ShortcutsDialog'
import { useLayout, usePlayer, useProject } from '../editor/state/contexts'
import { EditorProvider } from '../editor/state/EditorProvider'
import { Panels } from '../editor/shell/Panels'
import { RunsDialog } from '../editor/analysis/RunsDialog'
import { useEditorStore } from '../editor/state/store'
import { useUploads } from '../editor/clips/uploads'
import { useEvents } from '../editor/state/useEvents'
import { useShortcuts } from '../editor/commands/useShortcuts'
import { Button } from '../ui/Button'
import { Centre } from './Failure'

const route = getRouteApi('/home/projects/$uuid')

export function ProjectPage() {
  const { uuid } = route.useParams()
  return <Editor key={uuid} uuid={uuid} />
}

function Editor({ uuid }: { uuid: string }) {
  useEvents(uuid)
  useClipsAfterUploads(uuid)
  useEffect(() => () => useEditorStore.getState().reset(), [])
  return (
    <EditorProvider
      uuid={uuid}
      pending={<Skeleton />}
      failed={(error, retry) => <Failed error={error} retry={retry} />}
    >
      <DropZone project={uuid}>
        <Workspace />
      </DropZone>
    </EditorProvider>
  )
}

function Failed({ error, retry }: { error: unknown; retry: () => void }) {
  const gone = error instanceof Problem && (error.status === 404 || error.status === 403)
  return (
    <Centre title={gone ? 'This project is not here' : 'This project could not be opened'} text={messageOf(error)}>
      <Button look={gone ? 'plain' : 'primary'} onClick={retry}>
        Try again
      </Button>
      <a
        href="./"
        className="inline-flex h-8 items-center rounded-md border border-line bg-raised px-3 font-medium hover:bg-hover"
      >
        To your projects
      </a>
    </Centre>
  )
}

function Workspace() {
  const { project, clips } = useProject()
  useShortcuts()
  useStartPosition()
  useTitle(project.name)
  // A clip whose upload has not been confirmed is not there yet; its upload is what is shown.
  const empty = !clips.some((c) => c.status !== 'pending_upload')
  return (
    <div className="flex h-full min-h-[560px] min-w-[720px] flex-col overflow-hidden">
      <Header />
      <main className="flex min-h-0 flex-1">{empty ? <FirstClips project={project.uuid} /> : <Panels />}</main>
      <ExportDialog />
      <ImportDialog project={project.uuid} />
      <ShortcutsDialog />
      <RunsDialog />
    </div>
  )
}

const paneLook = 'flex w-1/4 shrink-0 flex-col border-line bg-surface max-lg:hidden'

// The page has its shape before its data is there.
function Skeleton() {
  return (
    <div className="flex h-full flex-col" role="status" aria-label="Opening the project">
      <div className="h-12 border-b border-line bg-surface" />
      <div className="flex min-h-0 flex-1">
        <div className={`${paneLook} gap-3 border-r p-4`}>
          {[90, 100, 80, 95, 60].map((w) => (
            <div key={w} className="skeleton h-3" style={{ width: `${w}%` }} />
          ))}
        </div>
        <div className="flex-1 bg-black" />
        <div className={`${paneLook} gap-2 border-l p-3`}>
          {[0, 1, 2, 3].map((i) => (
            <div key={i} className="skeleton h-12" />
          ))}
        </div>
      </div>
      <div className="h-69 border-t border-line bg-surface p-3">
        <div className="skeleton h-full" />
      </div>
    </div>
  )
}

// A hit of the search opens the project at its moment.
function useStartPosition(): void {
  const { at } = route.useSearch()
  const player = usePlayer()
  const { totalMs } = useLayout()
  const done = useRef(false)
  useEffect(() => {
    if (done.current || !player || totalMs === 0 || at === undefined) return
    done.current = true
    player.seek(at)
  }, [player, totalMs, at])
}

// useClipsAfterUploads fetches the clips anew whenever an upload of this project has ended.
function useClipsAfterUploads(project: string): void {
  const queryClient = useQueryClient()
  const uploads = useUploads((s) => s.items.filter((u) => u.project === project && u.status !== 'failed').length)
  useEffect(() => {
    for (const name of ['clips', 'project']) void queryClient.invalidateQueries({ queryKey: [name, project] })
  }, [uploads, project, queryClient])
}

function useTitle(name: string): void {
  useEffect(() => {
    document.title = `${name} · Roughcut`
    return () => {
      document.title = 'Roughcut'
    }
  }, [name])
}
