import { queryOptions } from '@tanstack/react-query'
import { answer, api, type Schemas } from './client'
import { queryKeys } from './keys'

export type Run = Schemas['Run']
export type RunSummary = Schemas['RunSummary']
export type PlannedEdit = Schemas['PlannedEdit']
export type PlannedEditPage = Schemas['PlannedEditPage']

/** The settings that a replan can change, from 0 to 100. */
export interface ReplanSettings {
  pacing: number
  falseStarts: number
}

/** The settings of an analysis. Fillers are always found; cutFillers proposes them as active cuts. */
export interface AnalysisSettings extends ReplanSettings {
  cutFillers: boolean
}

export const runsQuery = (project: string) =>
  queryOptions({
    queryKey: queryKeys.runs(project),
    queryFn: async ({ signal }) =>
      (
        await answer(
          api.GET('/api/v1/projects/{project_uuid}/analysis-runs', {
            params: { path: { project_uuid: project } },
            signal,
          }),
        )
      ).items,
  })

export const runQuery = (project: string, run: string | null) =>
  queryOptions({
    queryKey: queryKeys.run(project, run),
    queryFn: ({ signal }) =>
      answer(
        api.GET('/api/v1/projects/{project_uuid}/analysis-runs/{run_uuid}', {
          params: { path: { project_uuid: project, run_uuid: run ?? '' } },
          signal,
        }),
      ),
    enabled: run !== null,
  })

export const costQuery = (project: string) =>
  queryOptions({
    queryKey: queryKeys.cost(project),
    queryFn: ({ signal }) =>
      answer(
        api.GET('/api/v1/projects/{project_uuid}/analysis-cost', {
          params: { path: { project_uuid: project } },
          signal,
        }),
      ),
  })

/** The settings of a run. */
export const settingsOf = (run: RunSummary): AnalysisSettings => ({
  pacing: run.pacing_level,
  falseStarts: run.false_start_sensitivity,
  cutFillers: run.cut_fillers ?? false,
})

export const analyze = (project: string, settings: AnalysisSettings, language: string | null) =>
  answer(
    api.POST('/api/v1/projects/{project_uuid}/analyze', {
      params: { path: { project_uuid: project } },
      body: {
        pacing_level: settings.pacing,
        false_start_sensitivity: settings.falseStarts,
        language,
        cut_fillers: settings.cutFillers,
      },
    }),
  )

export const cancelRun = (project: string, run: string) =>
  answer(
    api.POST('/api/v1/projects/{project_uuid}/analysis-runs/{run_uuid}/cancel', {
      params: { path: { project_uuid: project, run_uuid: run } },
    }),
  )

/** Derives the edits of a run again. With dryRun, the server stores nothing. */
export const replan = (project: string, run: string, settings: ReplanSettings, dryRun: boolean, signal?: AbortSignal) =>
  answer(
    api.POST('/api/v1/projects/{project_uuid}/analysis-runs/{run_uuid}/replan', {
      params: { path: { project_uuid: project, run_uuid: run } },
      body: { pacing_level: settings.pacing, false_start_sensitivity: settings.falseStarts, dry_run: dryRun },
      ...(signal ? { signal } : {}),
    }),
  )

/** Makes another completed run the active one, which provides edits, captions and drafts. */
export const activateRun = (project: string, run: string) =>
  answer(
    api.POST('/api/v1/projects/{project_uuid}/analysis-runs/{run_uuid}/activate', {
      params: { path: { project_uuid: project, run_uuid: run } },
    }),
  )

/** The edits that a run yields with the given settings. The server stores nothing. */
export const plannedEditsQuery = (project: string, run: string, settings: ReplanSettings) =>
  queryOptions({
    queryKey: queryKeys.plannedEdits(project, run, settings),
    queryFn: ({ signal }) => replan(project, run, settings, true, signal),
    staleTime: 0,
  })
