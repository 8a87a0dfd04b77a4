import { useQueryClient, type QueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { toast } from 'sonner'
import { anyRun, costQuery, runsQuery } from '../../api/analysis'
import { clipsQuery, refreshAudio, refreshSprite } from '../../api/clips'
import { editsQuery } from '../../api/edits'
import { followEvents, type ProjectEvent } from '../../api/events'
import { exportsQuery } from '../../api/exports'
import { historyQuery } from '../../api/history'
import { markersQuery } from '../../api/markers'
import { projectQuery } from '../../api/projects'
import { shortsQuery } from '../../api/shorts'
import { takeGroupsQuery } from '../../api/takes'
import { commonText } from '../../text/common'
import { analysisText } from '../../text/editor/analysis'
import { shellText } from '../../text/editor/shell'
import { notify } from './notifications'
import { useHistory } from './contexts'
import { refetch, refreshAll, refreshKind, type ProjectQuery } from './refresh'
import { useEditorStore, useLive } from './store'

/** Follows the event stream of the project and refetches what changed. */
export function useEvents(project: string): void {
  const queryClient = useQueryClient()
  const { history } = useHistory()
  useEffect(() => {
    // Clips and analyses may have finished, and another window may have changed the project, between the first requests
    // and the start of the stream.
    const opened = () => {
      void compareHistory(project, queryClient)
      const clips = queryClient.getQueryData(clipsQuery(project).queryKey) ?? []
      const settled = clips.length > 0 && clips.every((c) => c.status !== 'processing')
      refetch(queryClient, project, clipsQuery, ...(settled ? [] : [projectQuery, costQuery, editsQuery]))
      for (const c of clips) if (c.status === 'ready' && !c.sprite_key) void refreshSprite(queryClient, c.uuid)
      if (queryClient.getQueryData(projectQuery(project).queryKey)?.status === 'analyzing')
        refetch(queryClient, project, projectQuery, runsQuery, anyRun, editsQuery, takeGroupsQuery, costQuery)
    }

    const onEvent = (event: ProjectEvent) => {
      if (event.type !== 'HISTORY_CHANGED') return applyEvent(event, project, queryClient)
      const { entry_uuid, kind, undone } = event.data
      if (history.isOwn(entry_uuid, undone)) return
      refreshKind(queryClient, project, kind)
      refetch(queryClient, project, editsQuery, takeGroupsQuery, historyQuery)
    }

    const stop = followEvents(project, onEvent, opened)
    return () => {
      stop()
      useLive.getState().setAnalysis(null)
    }
  }, [project, history, queryClient])
}

// compareHistory loads the history again, and everything else too if the history has changed.
async function compareHistory(project: string, queryClient: QueryClient): Promise<void> {
  const query = historyQuery(project)
  const before = queryClient.getQueryData(query.queryKey)
  await queryClient.invalidateQueries({ queryKey: query.queryKey })
  // TanStack Query keeps the list if the response equals it.
  if (before && queryClient.getQueryData(query.queryKey) !== before) refreshAll(queryClient, project)
}

function applyEvent(
  event: Exclude<ProjectEvent, { type: 'HISTORY_CHANGED' }>,
  project: string,
  queryClient: QueryClient,
): void {
  const live = useLive.getState()
  const refresh = (...queries: ProjectQuery[]) => refetch(queryClient, project, ...queries)
  switch (event.type) {
    case 'CLIP_PROCESSING': {
      const { clip_uuid, step, progress } = event.data
      if (step === undefined || progress === undefined) return refresh(clipsQuery)
      return live.setClip(clip_uuid, { step, progress })
    }

    case 'CLIP_READY':
    case 'CLIP_FAILED':
      live.setClip(event.data.clip_uuid, null)
      for (const c of queryClient.getQueryData(clipsQuery(project).queryKey) ?? [])
        if (c.tracks_pending) refreshAudio(queryClient, c.uuid)
      return refresh(
        clipsQuery,
        projectQuery,
        runsQuery,
        costQuery,
        editsQuery,
        takeGroupsQuery,
        markersQuery,
        shortsQuery,
      )
    case 'CLIP_TILES_READY':
      refresh(clipsQuery, editsQuery, takeGroupsQuery)
      return void refreshSprite(queryClient, event.data.clip_uuid)
    case 'CLIP_TILES_FAILED':
      return refresh(clipsQuery, editsQuery, takeGroupsQuery)
    case 'CONSTANT_RATE_PROGRESS':
      return live.setCopy(event.data.clip_uuid, event.data.progress)
    case 'CONSTANT_RATE_READY':
    case 'CONSTANT_RATE_FAILED':
      live.setCopy(event.data.clip_uuid, null)
      return refresh(clipsQuery)
    case 'ANALYSIS_STARTED':
      live.setAnalysis({
        run: event.data.run_uuid,
        step: null,
        progress: 0,
        from: 0,
        since: Date.now(),
        at: Date.now(),
      })

      return refresh(projectQuery, runsQuery)
    case 'ANALYSIS_PROGRESS': {
      const { run_uuid: run, step, progress } = event.data
      const before = live.analysis?.run === run && live.analysis.step === step ? live.analysis : null
      const at = Date.now()
      return live.setAnalysis({
        run,
        step,
        progress,
        from: before?.from ?? progress,
        since: before?.since ?? at,
        at: before?.progress === progress ? before.at : at,
      })
    }

    case 'ANALYSIS_COMPLETE':
    case 'ANALYSIS_FAILED':
      void announceAnalysis(event, project, queryClient)
      // The edits load first, so that provisional results stay until the final ones replace them.
      return void queryClient.invalidateQueries({ queryKey: editsQuery(project).queryKey }).then(() => {
        live.setAnalysis(null)
        refresh(projectQuery, runsQuery, anyRun, costQuery, takeGroupsQuery, historyQuery)
      })
    case 'EXPORT_PROGRESS': {
      const { export_uuid, step, progress } = event.data
      const { queryKey } = exportsQuery(project)
      queryClient.setQueryData(queryKey, (list) =>
        list?.map((e) =>
          e.uuid === export_uuid ? { ...e, status: 'rendering' as const, step, progress: Math.round(progress) } : e,
        ),
      )

      return
    }

    case 'EXPORT_COMPLETE':
      if (useEditorStore.getState().rightTab !== 'exports') toast.success(shellText.exportReady)
      notify(nameOf(project, queryClient), shellText.exportReady)
      return refresh(exportsQuery)
    case 'EXPORT_STARTED':
    case 'EXPORT_FAILED':
      return refresh(exportsQuery)
    case 'RESYNC':
      return refreshAll(queryClient, project)
  }
}

const nameOf = (project: string, queryClient: QueryClient): string =>
  queryClient.getQueryData(projectQuery(project).queryKey)?.name ?? commonText.appName

// announceAnalysis notifies of the end of an analysis. It shows the export that the analysis has created.
async function announceAnalysis(event: ProjectEvent, project: string, queryClient: QueryClient): Promise<void> {
  const name = nameOf(project, queryClient)
  if (event.type === 'ANALYSIS_FAILED') return notify(name, analysisText.failed)
  if (event.type !== 'ANALYSIS_COMPLETE') return
  notify(name, analysisText.cutsFound(event.data.edit_count))
  const runs = await queryClient.fetchQuery({ ...runsQuery(project), staleTime: 0 })
  const wanted = runs.find((r) => r.uuid === event.data.run_uuid)?.export_when_done
  if (!wanted) return
  if (wanted.error) toast.error(analysisText.exportNotCreated, { description: wanted.error })
  else {
    useEditorStore.getState().set({ rightTab: 'exports' })
    await queryClient.invalidateQueries({ queryKey: exportsQuery(project).queryKey })
  }
}
