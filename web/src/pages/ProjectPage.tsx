import { useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Tabs } from 'radix-ui'
import { useEffect, useRef } from 'react'
import { messageOf, Problem } from '../api/client'
import { AnalysisPanel } from '../editor/AnalysisPanel'
import { ClipsPane } from '../editor/ClipsPane'
import { DropZone, FirstClips } from '../editor/DropZone'
import { ExportDialog } from '../editor/ExportDialog'
import { ExportsPane } from '../editor/ExportsPane'
import { Header } from '../editor/Header'
import { HelpDialog } from '../editor/HelpDialog'
import { ImportDialog } from '../editor/ImportDialog'
import { ModelContext, useModel, useProjectModel } from '../editor/model'
import { PlayerPane } from '../editor/PlayerPane'
import { useEditorStore } from '../editor/store'
import { TimelinePane } from '../editor/TimelinePane'
import { TranscriptPane } from '../editor/TranscriptPane'
import { useUploads } from '../editor/uploads'
import { useEvents } from '../editor/useEvents'
import { useKeys } from '../editor/useKeys'
import { Button } from '../ui/Button'
import { Centre } from './Failure'

const route = getRouteApi('/home/projects/$uuid')

export function ProjectPage() {
  const { uuid } = route.useParams()
  return <Editor key={uuid} uuid={uuid} />
}

function Editor({ uuid }: { uuid: string }) {
  const { model, error, retry } = useProjectModel(uuid)
  useEvents(uuid)
  useClipsAfterUploads(uuid)
  useEffect(() => () => useEditorStore.getState().reset(), [])
  if (error) {
    const gone = error instanceof Problem && (error.status === 404 || error.status === 403)
    return (
      <Centre title={gone ? 'This project is not here' : 'This project could not be opened'} text={messageOf(error)}>
        <Button look={gone ? 'plain' : 'primary'} onClick={retry}>
          Try again
        </Button>
        <a href="./" className="inline-flex h-8 items-center rounded-md border border-line bg-raised px-3 font-medium hover:bg-hover">
          To your projects
        </a>
      </Centre>
    )
  }
  if (!model) return <Skeleton />
  return (
    <ModelContext value={model}>
      <DropZone project={uuid}>
        <Workspace />
      </DropZone>
    </ModelContext>
  )
}

function Workspace() {
  const { project, clips } = useModel()
  useKeys()
  useStartPosition()
  useTitle(project.name)
  // A clip whose upload has not been confirmed is not there yet; its upload is what is shown.
  const empty = !clips.some((c) => c.status !== 'pending_upload')
  return (
    <div className="flex h-full min-h-[600px] min-w-[960px] flex-col overflow-hidden">
      <Header />
      <main className="flex min-h-0 flex-1">
        {empty ? (
          <FirstClips project={project.uuid} />
        ) : (
          <>
            <LeftPane />
            <PlayerPane />
            <RightPane />
          </>
        )}
      </main>
      {!empty && <TimelinePane />}
      <ExportDialog />
      <ImportDialog project={project.uuid} />
      <HelpDialog />
    </div>
  )
}

const tabLook = 'relative h-10 px-1 text-sm font-medium text-muted transition-colors hover:text-ink data-[state=active]:text-ink data-[state=active]:after:absolute data-[state=active]:after:inset-x-0 data-[state=active]:after:bottom-0 data-[state=active]:after:h-0.5 data-[state=active]:after:rounded-full data-[state=active]:after:bg-accent'
const paneLook = 'flex shrink-0 flex-col border-line bg-surface w-[clamp(304px,25vw,432px)]'
const contentLook = 'flex min-h-0 flex-1 flex-col outline-none data-[state=inactive]:hidden'

function LeftPane() {
  const { clips, project } = useModel()
  const chosen = useEditorStore((s) => s.leftTab)
  const set = useEditorStore((s) => s.set)
  const tab = chosen ?? (project.active_run_id || project.status === 'analyzing' ? 'transcript' : 'clips')
  return (
    <Tabs.Root value={tab} onValueChange={(v) => set({ leftTab: v as typeof tab })} className={`${paneLook} border-r`}>
      <Tabs.List className="flex shrink-0 gap-4 border-b border-line px-4">
        <Tabs.Trigger value="transcript" className={tabLook}>
          Transcript
        </Tabs.Trigger>
        <Tabs.Trigger value="clips" className={tabLook}>
          Clips <span className="text-faint">{clips.filter((c) => c.status !== 'pending_upload').length || ''}</span>
        </Tabs.Trigger>
      </Tabs.List>
      <Tabs.Content value="transcript" className={contentLook}>
        <TranscriptPane />
      </Tabs.Content>
      <Tabs.Content value="clips" className={contentLook}>
        <ClipsPane />
      </Tabs.Content>
    </Tabs.Root>
  )
}

function RightPane() {
  const { edits } = useModel()
  const tab = useEditorStore((s) => s.rightTab)
  const set = useEditorStore((s) => s.set)
  return (
    <Tabs.Root value={tab} onValueChange={(v) => set({ rightTab: v as typeof tab })} className={`${paneLook} border-l`}>
      <Tabs.List className="flex shrink-0 gap-4 border-b border-line px-4">
        <Tabs.Trigger value="cuts" className={tabLook}>
          Cuts <span className="text-faint">{edits.length || ''}</span>
        </Tabs.Trigger>
        <Tabs.Trigger value="exports" className={tabLook}>
          Exports
        </Tabs.Trigger>
      </Tabs.List>
      <Tabs.Content value="cuts" className={contentLook}>
        <AnalysisPanel />
      </Tabs.Content>
      <Tabs.Content value="exports" className={contentLook}>
        <ExportsPane />
      </Tabs.Content>
    </Tabs.Root>
  )
}

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
      <div className="h-60 border-t border-line bg-surface p-3">
        <div className="skeleton h-full" />
      </div>
    </div>
  )
}

// A hit of the search opens the project at its moment.
function useStartPosition(): void {
  const { at } = route.useSearch()
  const { player, totalMs } = useModel()
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
