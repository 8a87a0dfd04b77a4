import { queryOptions } from '@tanstack/react-query'
import table from '../../../media/cutoptions.json'
import { api, dataOf, type Schemas } from './client'
import type { ChangeName } from './edits'
import { namedChange } from './history'

export type Run = Schemas['Run']
export type RunSummary = Schemas['RunSummary']
export type PlannedEdit = Schemas['PlannedEdit']
export type PlannedEditPage = Schemas['PlannedEditPage']

/** The options with a slider or a switch of their own. */
type MainOption = 'pacing_level' | 'false_start_sensitivity' | 'cut_fillers'

/** Choices about kinds of silence, the edges of cuts, and kinds of edits that mute; as the API names them. */
export type CutOptions = Required<Omit<Schemas['ReplanRequest'], MainOption | 'dry_run'>>

/** The settings of an analysis. */
export interface AnalysisSettings {
  /** From 0 to 100. */
  pacing: number
  /** Sensitivity from 0 to 100. */
  falseStarts: number
  /** Proposes fillers as active cuts. They are found in any case. */
  cutFillers: boolean
  /** The spoken language, such as `en`; null detects it. A replan does not change it. */
  language: string | null
  options: CutOptions
  /** Keeps demonstrations if a clip is a recording of a screen. Missing means true. */
  keepScreens?: boolean
}

/** The cut options of a run or a preset. */
export const cutOptionsOf = (source: CutOptions): CutOptions =>
  Object.fromEntries(
    table.filter(({ place }) => place !== 'main').map(({ name }) => [name, source[name as keyof CutOptions]]),
  ) as unknown as CutOptions

const bodyOf = ({ pacing, falseStarts, cutFillers, options }: AnalysisSettings) => ({
  pacing_level: pacing,
  false_start_sensitivity: falseStarts,
  cut_fillers: cutFillers,
  ...options,
})

export const runsQuery = (project: string) =>
  queryOptions({
    queryKey: ['runs', project],
    queryFn: async ({ signal }) =>
      (
        await dataOf(
          api.GET('/api/v1/projects/{project_uuid}/analysis-runs', {
            params: { path: { project_uuid: project } },
            signal,
          }),
        )
      ).items,
  })

/** Every loaded run of a project. */
export const anyRun = (project: string) => ({ queryKey: ['run', project] })

export const runQuery = (project: string, run: string | null) =>
  queryOptions({
    queryKey: [...anyRun(project).queryKey, run],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/api/v1/projects/{project_uuid}/analysis-runs/{run_uuid}', {
          params: { path: { project_uuid: project, run_uuid: run ?? '' } },
          signal,
        }),
      ),
    enabled: run !== null,
  })

export const costQuery = (project: string) =>
  queryOptions({
    queryKey: ['cost', project],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/api/v1/projects/{project_uuid}/analysis-cost', {
          params: { path: { project_uuid: project } },
          signal,
        }),
      ),
  })

/** The settings of a run or a preset. */
export const settingsOf = (source: Pick<RunSummary, MainOption | 'language'> & CutOptions): AnalysisSettings => ({
  pacing: source.pacing_level,
  falseStarts: source.false_start_sensitivity,
  cutFillers: source.cut_fillers,
  language: source.language,
  options: cutOptionsOf(source),
})

/** Starts an analysis as soon as all clips are ready. */
export const analyze = (project: string, settings: AnalysisSettings) =>
  dataOf(
    api.POST('/api/v1/projects/{project_uuid}/analyze', {
      params: { path: { project_uuid: project } },
      body: {
        ...bodyOf(settings),
        language: settings.language,
        wait_for_clips: true,
        keep_screens: settings.keepScreens ?? true,
      },
    }),
  )

/** Makes the server create an export when a run completes; null removes the request. */
export const exportWhenDone = (
  project: string,
  run: string,
  wanted: { name: string; settings: Schemas['ExportSettings'] } | null,
) => {
  const params = { path: { project_uuid: project, run_uuid: run } }
  const path = '/api/v1/projects/{project_uuid}/analysis-runs/{run_uuid}/export-when-done'
  return wanted === null
    ? dataOf(api.DELETE(path, { params }))
    : dataOf(api.PUT(path, { params, body: { name: wanted.name, export_settings: wanted.settings } }))
}

export const cancelRun = (project: string, run: string) =>
  dataOf(
    api.POST('/api/v1/projects/{project_uuid}/analysis-runs/{run_uuid}/cancel', {
      params: { path: { project_uuid: project, run_uuid: run } },
    }),
  )

/** Derives the edits of a run again. With dryRun, the server stores nothing. */
export const replan = (
  project: string,
  run: string,
  settings: AnalysisSettings,
  dryRun: boolean,
  { name, signal }: { name?: ChangeName; signal?: AbortSignal } = {},
) =>
  dataOf(
    api.POST('/api/v1/projects/{project_uuid}/analysis-runs/{run_uuid}/replan', {
      params: { path: { project_uuid: project, run_uuid: run }, ...(name ? { header: namedChange(name) } : {}) },
      body: { ...bodyOf(settings), dry_run: dryRun },
      ...(signal ? { signal } : {}),
    }),
  )

/** Makes another completed run the active one, which provides edits, captions and drafts. */
export const activateRun = (project: string, run: string) =>
  dataOf(
    api.POST('/api/v1/projects/{project_uuid}/analysis-runs/{run_uuid}/activate', {
      params: { path: { project_uuid: project, run_uuid: run } },
    }),
  )

/** The edits that a run yields with the given settings. The server stores nothing. */
export const plannedEditsQuery = (project: string, run: string, settings: AnalysisSettings) =>
  queryOptions({
    queryKey: ['plan', project, run, settings],
    queryFn: ({ signal }) => replan(project, run, settings, true, { signal }),
    staleTime: 0,
  })
