// Analyses that wait in this browser until they can be requested from the server.

import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { toast } from 'sonner'
import { create } from 'zustand'
import { analyze, runsQuery, type AnalysisSettings } from '../../api/analysis'
import { messageOf } from '../../api/client'
import { allProjects, projectQuery } from '../../api/projects'
import { modelInUse, modelsQuery } from '../../api/models'
import { presetsQuery } from '../../api/presets'
import { queryClient } from '../../api/queryClient'
import { analysisText } from '../../text/editor/analysis'
import { useUploads, type Upload } from './uploads'
import { initialSettings, rememberSettings } from './initialSettings'

/** `waiting` waits for the start of uploads, `model` also for the download of a speech model, `starting` for the server. */
type QueueState = 'waiting' | 'model' | 'starting'

interface QueuedAnalysis {
  settings: AnalysisSettings
  /** Whether the analysis starts even while a speech model is being downloaded. */
  audioOnly: boolean
  state: QueueState
}

interface AnalysisQueue {
  /** The queued analyses by project. */
  projects: Record<string, QueuedAnalysis>
  add: (project: string, settings: AnalysisSettings, audioOnly?: boolean) => void
  setState: (project: string, state: QueueState) => void
  remove: (project: string) => void
}

export const useAnalysisQueue = create<AnalysisQueue>()((set) => ({
  projects: {},
  add: (project, settings, audioOnly = false) =>
    set((s) => ({ projects: { ...s.projects, [project]: { settings, audioOnly, state: 'waiting' } } })),
  setState: (project, state) =>
    set((s) => {
      const queued = s.projects[project]
      return queued ? { projects: { ...s.projects, [project]: { ...queued, state } } } : s
    }),
  remove: (project) =>
    set((s) => ({ projects: Object.fromEntries(Object.entries(s.projects).filter(([uuid]) => uuid !== project)) })),
}))

/** Queues an analysis with the settings of the default preset or of the last analysis. */
export async function queueAnalysis(project: string): Promise<void> {
  // Without the presets, the last settings are better than no analysis.
  const presets = await queryClient.fetchQuery(presetsQuery).catch(() => [])
  useAnalysisQueue.getState().add(project, initialSettings(presets))
}

/** The state of the speech model: installed, being downloaded, or missing. */
export function useSpeechModel(enabled = true): 'ready' | 'downloading' | 'missing' {
  const models = useQuery({ ...modelsQuery, enabled }).data ?? []
  if (modelInUse(models)) return 'ready'
  return models.some((m) => m.download?.status === 'loading') ? 'downloading' : 'missing'
}

/** Reports whether the server knows all clips of a project. Failed uploads do not count. */
export const uploadsStarted = (uploads: readonly Upload[], project: string): boolean =>
  uploads.every((u) => u.project !== project || u.status === 'failed' || u.started !== null)

/** Requests queued analyses from the server once their uploads have started and no speech model is being downloaded. */
export function useQueuedAnalyses(): void {
  const { projects, setState, remove } = useAnalysisQueue()
  const uploads = useUploads((s) => s.items)
  const speech = useSpeechModel(Object.keys(projects).length > 0)
  useEffect(() => {
    for (const [project, { settings, audioOnly, state }] of Object.entries(projects)) {
      if (state === 'starting' || !uploadsStarted(uploads, project)) continue
      if (speech === 'downloading' && !audioOnly) {
        if (state === 'waiting') setState(project, 'model')
      } else if (speech === 'missing' && state === 'model') {
        remove(project) // the download failed, so the person decides again
      } else {
        setState(project, 'starting')
        void requestAnalysis(project, settings).finally(() => remove(project))
      }
    }
  }, [projects, uploads, speech, setState, remove])
}

async function requestAnalysis(project: string, settings: AnalysisSettings): Promise<void> {
  try {
    await analyze(project, settings)
    rememberSettings(settings)
  } catch (error) {
    toast.error(analysisText.startFailed, { description: messageOf(error) })
  }

  await Promise.all(
    [projectQuery(project).queryKey, runsQuery(project).queryKey, allProjects.queryKey].map((queryKey) =>
      queryClient.invalidateQueries({ queryKey }),
    ),
  )
}
