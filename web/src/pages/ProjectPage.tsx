import { useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { messageOf, Problem } from '../api/client'
import { DropZone } from '../editor/clips/DropZone'
import { FirstClips } from '../editor/shell/FirstClips'
import { ExportDialog } from '../editor/export/ExportDialog'
import { TimelineDialog } from '../editor/export/TimelineDialog'
import { Header } from '../editor/shell/Header'
import { ImportDialog } from '../editor/clips/ImportDialog'
import { useAddRecordings } from '../editor/clips/useAddRecordings'
import { ShortcutsDialog } from '../editor/commands/ShortcutsDialog'
import { useLayout, usePlayer, useProject } from '../editor/state/contexts'
import { EditorProvider } from '../editor/state/EditorProvider'
import { Panels } from '../editor/shell/Panels'
import { AnalyzeAgainDialog } from '../editor/analysis/AnalyzeAgain'
import { RunsDialog } from '../editor/analysis/RunsDialog'
import { useProjectOptions } from '../editor/export/useProjectOptions'
import { useShortOptions } from '../editor/export/useShortOptions'
import { useEditorStore } from '../editor/state/store'
import { useUploads } from '../editor/state/uploads'
import { useEvents } from '../editor/state/useEvents'
import { useTitle } from '../editor/shell/useTitle'
import { useShortcuts } from '../editor/commands/useShortcuts'
import { useWindowMenu } from '../editor/commands/useWindowMenu'
import { clipsQuery } from '../api/clips'
import { projectQuery } from '../api/projects'
import { commonText } from '../text/common'
import { projectsText } from '../text/projects'
import { shellText } from '../text/shell'
import { Button } from '../ui/Button'
import { useFocusGuard } from '../ui/useFocusGuard'
import { CenteredMessage } from './ErrorPage'
import { SeveralRecordings } from './SeveralRecordings'
import { useCreateFromDrop } from './useCreateFromDrop'

const route = getRouteApi('/home/projects/$uuid')

export function ProjectPage() {
  const { uuid } = route.useParams()
  return <Editor key={uuid} uuid={uuid} />
}

function Editor({ uuid }: { uuid: string }) {
  useClipsAfterUploads(uuid)
  useEffect(() => () => useEditorStore.getState().reset(), [])
  return (
    <EditorProvider
      uuid={uuid}
      pending={<Skeleton />}
      failed={(error, retry) => <Failed error={error} retry={retry} />}
    >
      <ReceivingWorkspace />
    </EditorProvider>
  )
}

// ReceivingWorkspace asks what files become that the desktop window receives. A project without clips takes them.
function ReceivingWorkspace() {
  const { clips } = useProject()
  const drop = useCreateFromDrop(useAddRecordings().onPaths)
  return (
    <>
      <DropZone onPaths={clips.length > 0 ? (paths) => void drop.receive({ files: [], paths }) : undefined}>
        <Workspace />
      </DropZone>
      <SeveralRecordings drop={drop} />
    </>
  )
}

function Failed({ error, retry }: { error: unknown; retry: () => void }) {
  const gone = error instanceof Problem && (error.status === 404 || error.status === 403)
  return (
    <CenteredMessage title={gone ? projectsText.gone : projectsText.openFailed} text={messageOf(error)}>
      <Button variant={gone ? 'plain' : 'primary'} onClick={retry}>
        {commonText.tryAgain}
      </Button>
      <a
        href="./"
        className="inline-flex h-8 items-center rounded-md border border-line bg-raised px-3 font-medium hover:bg-hover"
      >
        {shellText.goToProjects}
      </a>
    </CenteredMessage>
  )
}

function Workspace() {
  const { project, clips } = useProject()
  useEvents(project.uuid)
  useShortcuts()
  useWindowMenu()
  useFocusGuard()
  useStartPosition()
  useTitle()
  useProjectOptions()
  useShortOptions()
  // A clip with an unconfirmed upload does not count; the page shows its upload instead.
  const empty = !clips.some((c) => c.status !== 'pending_upload')
  return (
    <div className="flex h-full min-h-[430px] min-w-80 flex-col overflow-hidden max-lg:min-h-90 phone:min-h-80">
      <Header />
      <main className="flex min-h-0 flex-1">{empty ? <FirstClips project={project.uuid} /> : <Panels />}</main>
      <ExportDialog />
      <TimelineDialog />
      <ImportDialog project={project.uuid} />
      <ShortcutsDialog />
      <RunsDialog />
      <AnalyzeAgainDialog />
    </div>
  )
}

const paneClass = 'flex w-1/4 shrink-0 flex-col border-line bg-surface max-lg:hidden'

// Skeleton shows the layout of the editor while the project loads.
function Skeleton() {
  return (
    <div className="flex h-full flex-col" role="status" aria-label={projectsText.opening}>
      <div className="h-12 border-b border-line bg-surface" />
      <div className="flex min-h-0 flex-1">
        <div className={`${paneClass} gap-3 border-r p-4`}>
          {[90, 100, 80, 95, 60].map((w) => (
            <div key={w} className="skeleton h-3" style={{ width: `${w}%` }} />
          ))}
        </div>
        <div className="flex-1 bg-black" />
        <div className={`${paneClass} gap-2 border-l p-3`}>
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

// useStartPosition seeks to the position in the URL, which search results set.
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

// useClipsAfterUploads refetches the clips whenever an upload to this project ends.
function useClipsAfterUploads(project: string): void {
  const queryClient = useQueryClient()
  const uploads = useUploads((s) => s.items.filter((u) => u.project === project && u.status !== 'failed').length)
  useEffect(() => {
    for (const queryKey of [clipsQuery(project).queryKey, projectQuery(project).queryKey])
      void queryClient.invalidateQueries({ queryKey })
  }, [uploads, project, queryClient])
}
