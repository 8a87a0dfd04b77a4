// Loads what the editor shows of a project and derives the timeline from it.

import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import {
  plannedEditsQuery,
  settingsOf,
  type PlannedEdit,
  type PlannedEditPage,
  type RunSummary,
} from '../../api/analysis'
import { ALL_ASSETS, wholeListQuery, type Asset } from '../../api/assets'
import { proxyQuery, waveformQuery, type Clip } from '../../api/clips'
import type { AnyEdit, Edit, Placement } from '../../api/edits'
import type { Project, Word } from '../../api/projects'
import { DEFAULT_SETTINGS, stepNumber } from '../edits/analysisSettings'
import { activeSpans, mutedSpans, sortEdits, totals } from '../edits/cuts'
import { isPlanned, mergePlanned } from '../edits/plannedEdits'
import { reviewRows, rowsByEdit, startsOf } from '../edits/stretches'
import { planSegments, wholeSegments } from '../plan/playback'
import type { AddressSource } from '../decks/deck'
import { layOutClips, makePlan, snapRate, type Rate } from '../plan/renderPlan'
import type { EditsState, LayoutState, MediaState, ProjectInfo, SegmentsState } from './contexts'
import { useEditorStore, useLive } from './store'

const NO_WORDS: Word[] = []
const NO_ASSETS: ReadonlyMap<string, Asset> = new Map()

/** The project without its transcript. TanStack Query keeps the object when only the transcript changes. */
export function infoOf(project: Project): ProjectInfo {
  const info: Partial<Project> & ProjectInfo = { ...project }
  delete info.transcript
  return info
}

/** The words of a project's transcript; the same array until a word changes. */
export const wordsOf = (project: Project): Word[] => project.transcript?.words ?? NO_WORDS

/** The clips that can be played, one after the other. */
export function useClipLayout(clips: Clip[] | undefined): LayoutState {
  return useMemo(() => {
    const ready = (clips ?? []).filter((c) => c.status === 'ready' && (c.duration_ms ?? 0) > 0)
    const lengths = ready.map((c) => c.duration_ms ?? 0)
    const layout = layOutClips(lengths)
    return {
      ready,
      lengths,
      layout,
      rates: ready.map((c) => c.frame_rate ?? 30),
      rate: exportRate(ready),
      totalMs: layout.at(-1)?.endMs ?? 0,
    }
  }, [clips])
}

// exportRate is the frame rate of the first clip with video.
function exportRate(clips: readonly Clip[]): Rate {
  const first = clips.find((c) => c.frame_rate && c.width)
  return first?.frame_rate ? snapRate(Math.round(first.frame_rate * 1e6), 1e6) : { num: 30, den: 1 }
}

interface EditSources {
  saved: Edit[]
  placements: Placement[]
  preview: Edit[] | null
  provisional: PlannedEdit[] | null
  loaded: boolean
}

/** The edits to show: a preview first, then the results of an unfinished analysis, then the saved edits. */
export function useShownEdits({ rate, lengths, layout }: LayoutState, sources: EditSources): EditsState {
  const { saved, placements, preview, provisional, loaded } = sources
  const previewing = preview !== null
  const isLocked = useCallback((edit: AnyEdit) => previewing || isPlanned(edit), [previewing])
  const cuts = useMemo(() => {
    const edits = sortEdits(preview ?? (provisional ? mergePlanned(provisional, saved) : saved))
    const rows = reviewRows(edits, startsOf(layout))
    return { edits, rows, rowOf: rowsByEdit(rows), totals: totals(rate, lengths, edits) }
  }, [preview, provisional, saved, rate, lengths, layout])

  return useMemo(
    () => ({ ...cuts, placements, previewing, provisional: provisional !== null, isLocked, loaded }),
    [cuts, placements, previewing, provisional, isLocked, loaded],
  )
}

/** The segments that stay when the active cuts are removed, and those that play. */
export function useSegmentsOf({ rate, lengths, layout }: LayoutState, edits: readonly Edit[]): SegmentsState {
  const skipCuts = useEditorStore((s) => s.skipCuts)
  const edited = useMemo(
    () => planSegments(makePlan(rate, lengths, activeSpans(edits)), layout),
    [rate, lengths, layout, edits],
  )

  return useMemo(
    () => ({
      edited,
      playing: skipCuts ? edited : wholeSegments(layout),
      muted: skipCuts ? mutedSpans(edits) : [],
    }),
    [edited, skipCuts, layout, edits],
  )
}

/** The silences that a project's first analysis has found while its transcription still runs; null at any other time. */
export function useProvisionalEdits(
  uuid: string,
  project: ProjectInfo | undefined,
  runs: RunSummary[] | undefined,
): PlannedEdit[] | null {
  const step = useLive((s) => s.analysis?.step ?? null)
  const first = project?.status === 'analyzing' && project.active_run_id === null
  const run = first ? runs?.find((r) => r.status === 'running' || r.status === 'queued') : undefined
  const plan = useQuery({
    ...plannedEditsQuery(uuid, run?.uuid ?? '', run ? settingsOf(run) : DEFAULT_SETTINGS),
    select: withoutIDs,
    enabled: run !== undefined && stepNumber(step) > stepNumber('detect_silences'),
    retry: false,
  })

  return (run && plan.data) ?? null
}

// withoutIDs drops the UUIDs, which an unfinished run assigns again for every request.
const withoutIDs = (plan: PlannedEditPage): PlannedEdit[] => plan.items.map((e) => ({ ...e, uuid: null }))

/** Waveforms and proxies of the ready clips. */
export function useClipMedia(ready: Clip[]): MediaState {
  const queryClient = useQueryClient()
  const waveforms = useQueries({
    queries: ready.map((c) => ({ ...waveformQuery(c.uuid), enabled: c.waveform })),
    combine: dataOfAll,
  })

  const proxies = useQueries({ queries: ready.map((c) => proxyQuery(c.uuid)), combine: dataOfAll })
  const address = useCallback<AddressSource>(
    async (clip, fresh) =>
      (await queryClient.fetchQuery({ ...proxyQuery(clip), ...(fresh ? { staleTime: 0 } : {}) })).url,
    [queryClient],
  )

  return useMemo(() => ({ waveforms, proxies, address }), [waveforms, proxies, address])
}

function dataOfAll<T>(results: { data: T | undefined }[]): (T | undefined)[] {
  return results.map((r) => r.data)
}

/** The account's assets by their file. */
export function useAssetsByFile(): ReadonlyMap<string, Asset> {
  return useQuery({ ...wholeListQuery(ALL_ASSETS), select: byFile }).data ?? NO_ASSETS
}

const byFile = (assets: Asset[]): ReadonlyMap<string, Asset> => new Map(assets.map((a) => [a.asset_file_id, a]))
