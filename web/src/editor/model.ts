import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { createContext, useCallback, useContext, useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import { toast } from 'sonner'
import {
  plannedEditsQuery,
  runQuery,
  runsQuery,
  type PlannedEdit,
  type PlannedEditPage,
  type Run,
  type RunSummary,
} from '../api/analysis'
import { ALL_ASSETS, wholeListQuery, type Asset } from '../api/assets'
import { messageOf, Problem } from '../api/client'
import { clipsQuery, proxyQuery, waveformQuery, type Clip, type ProxyURL, type Waveform } from '../api/clips'
import {
  changeEdit,
  changeEdits,
  createEdit,
  deleteEdit,
  editsQuery,
  type AnyEdit,
  type Edit,
  type Placement,
} from '../api/edits'
import { projectQuery, type Project, type Word } from '../api/projects'
import { activeSpans, inOrder, totals, type Totals } from './cuts'
import { EditBook, type BookState } from './editbook'
import { stepNumber } from './knobs'
import { planStretches, wholeStretches, type Stretch } from './playback'
import type { AddressSource, Player } from './player'
import { isPlanned, merged } from './proposed'
import { snapPoints, type SnapPoints } from './snap'
import { useEditorStore, useLive } from './store'
import { layOut, makePlan, snapRate, type Rate, type Span } from './timeline'

/** Everything that the panes of the editor show and do. */
export interface Model {
  project: Project
  /** All clips, and those of them that are on the timeline. */
  clips: Clip[]
  ready: Clip[]
  layout: Span[]
  /** Lengths of the ready clips, and the grid of an export. */
  lengths: number[]
  rate: Rate
  /** Frames per second of each ready clip. */
  rates: number[]
  totalMs: number
  /** Edits in the order of the timeline, as shown: while a knob is turned, those that it would give. */
  edits: Edit[]
  /** Placed assets, and the assets of the account by the file that a placement names. */
  placements: Placement[]
  assets: ReadonlyMap<string, Asset>
  /** Where drags catch. */
  snaps: SnapPoints
  /** Edits of a knob that is being turned; null otherwise. */
  setPreview: (edits: Edit[] | null) => void
  previewing: boolean
  /** Silences that a first analysis, which is still under way, has found so far are among the edits. */
  early: boolean
  /** Edits that nothing can be done to now: all while a knob is turned, and those that only an analysis under way has found so far. */
  fixed: (edit: AnyEdit) => boolean
  editsLoaded: boolean
  book: EditBook
  bookState: BookState
  totals: Totals
  /** The edited video, and what is played now: the same, or the whole recording. */
  edited: Stretch[]
  stretches: Stretch[]
  words: Word[]
  run: Run | null
  runs: RunSummary[]
  waveforms: (Waveform | undefined)[]
  proxies: (ProxyURL | undefined)[]
  address: AddressSource
  player: Player | null
  setPlayer: (player: Player | null) => void
}

export const ModelContext = createContext<Model | null>(null)

export function useModel(): Model {
  const model = useContext(ModelContext)
  if (!model) throw new Error('useModel is for panes of the editor')
  return model
}

const NO_WORDS: Word[] = []
const NO_ASSETS: ReadonlyMap<string, Asset> = new Map()
const byFile = (assets: Asset[]): ReadonlyMap<string, Asset> => new Map(assets.map((a) => [a.asset_file_id, a]))

/** Loads a project and keeps its parts together; loading tells what the page still waits for. */
export function useProjectModel(uuid: string): { model: Model | null; error: unknown; retry: () => void } {
  const project = useQuery(projectQuery(uuid))
  const clips = useQuery(clipsQuery(uuid))
  const edits = useQuery(editsQuery(uuid))
  const runs = useQuery(runsQuery(uuid))
  const activeRun = project.data?.active_run_id ?? null
  const run = useQuery(runQuery(uuid, activeRun))
  const { book, bookState } = useBook(uuid, edits.data)
  const [preview, setPreview] = useState<Edit[] | null>(null)
  const [player, setPlayer] = useState<Player | null>(null)
  const heard = useHeard(uuid, project.data, runs.data)
  const shown = useMemo(
    () => preview ?? (heard ? merged(heard, bookState.edits) : bookState.edits),
    [preview, heard, bookState.edits],
  )
  const timeline = useTimeline(clips.data, shown)
  const media = useMedia(timeline.ready)
  const assets = useQuery({ ...wholeListQuery(ALL_ASSETS), select: byFile }).data ?? NO_ASSETS
  const words = project.data?.transcript?.words ?? NO_WORDS
  const { edits: cuts, layout } = timeline
  const { placements } = bookState
  const snaps = useMemo(
    () => snapPoints(words, [...cuts, ...placements], [0, ...layout.map((c) => c.endMs)]),
    [words, cuts, placements, layout],
  )

  const model = useMemo<Model | null>(() => {
    if (!project.data || !clips.data) return null
    return {
      project: project.data,
      clips: clips.data,
      ...timeline,
      ...media,
      placements,
      assets,
      snaps,
      setPreview,
      previewing: preview !== null,
      early: heard !== null,
      fixed: (edit) => preview !== null || isPlanned(edit),
      editsLoaded: edits.isSuccess,
      book,
      bookState,
      words,
      run: run.data ?? null,
      runs: runs.data ?? [],
      player,
      setPlayer,
    }
  }, [
    project.data,
    clips.data,
    timeline,
    media,
    placements,
    assets,
    snaps,
    words,
    preview,
    heard,
    edits.isSuccess,
    book,
    bookState,
    run.data,
    runs.data,
    player,
  ])

  const failed = [project, clips].find((q) => q.isError)
  const retry = () => {
    for (const q of [project, clips, edits, runs]) if (q.isError) void q.refetch()
  }
  return { model, error: failed?.error ?? null, retry }
}

// What a project's first analysis has found so far: silences, while words are still being written down. Null when there is nothing like that.
function useHeard(uuid: string, project: Project | undefined, runs: RunSummary[] | undefined): PlannedEdit[] | null {
  const step = useLive((s) => s.analysis?.step ?? null)
  const first = project?.status === 'analyzing' && project.active_run_id === null
  const run = first ? runs?.find((r) => r.status === 'running' || r.status === 'queued') : undefined
  const plan = useQuery({
    ...plannedEditsQuery(uuid, run?.uuid ?? '', {
      pacing: run?.pacing_level ?? 0,
      falseStarts: run?.false_start_sensitivity ?? 0,
    }),
    select: withoutNames,
    enabled: run !== undefined && stepNumber(step) > stepNumber('detect_silences'),
    retry: false,
  })
  return (run && plan.data) ?? null
}

// A run under way gives its edits other names each time.
const withoutNames = (plan: PlannedEditPage): PlannedEdit[] => plan.items.map((e) => ({ ...e, uuid: null }))

function useBook(project: string, loaded: AnyEdit[] | undefined) {
  const queryClient = useQueryClient()
  const book = useMemo(() => {
    const { queryKey } = editsQuery(project)
    let settled = 0
    const made: EditBook = new EditBook(
      {
        create: (edit) => persist(() => createEdit(project, edit)),
        change: (uuid, change) => persist(() => changeEdit(uuid, change)),
        changeMany: (changes) => persist(() => changeEdits(project, changes)),
        remove: (uuid) => persist(() => deleteEdit(uuid)),
      },
      {
        begun: () => void queryClient.cancelQueries({ queryKey }),
        failed: (error, label) => toast.error(`Not saved: ${label}`, { description: messageOf(error) }),
        settled: () => {
          const mine = ++settled
          // Handed over outright: a list that is equal to the last one, which the book may have left out, changes nothing in React.
          void queryClient.invalidateQueries({ queryKey }).then(() => {
            const list = queryClient.getQueryData(queryKey)
            if (list && mine === settled) made.load(list)
          })
        },
      },
    )
    return made
  }, [project, queryClient])
  const bookState = useSyncExternalStore(book.subscribe, book.snapshot)
  useEffect(() => {
    if (loaded) book.load(loaded)
  }, [book, loaded])
  return { book, bookState }
}

/** Waits between tries while the server does not answer, in milliseconds. */
const RETRY_MS = [1_000, 2_000, 4_000, 8_000, 15_000]

// persist asks until there is an answer, so that a lost connection delays changes and loses none.
async function persist<T>(request: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      const result = await request()
      useLive.setState({ offline: false })
      return result
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== 0) throw error
      useLive.setState({ offline: true })
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS[Math.min(tries, RETRY_MS.length - 1)]))
    }
  }
}

function useTimeline(clips: Clip[] | undefined, shown: Edit[]) {
  const skipCuts = useEditorStore((s) => s.skipCuts)
  const base = useMemo(() => {
    const ready = (clips ?? []).filter((c) => c.status === 'ready' && (c.duration_ms ?? 0) > 0)
    const lengths = ready.map((c) => c.duration_ms ?? 0)
    const layout = layOut(lengths)
    return {
      ready,
      lengths,
      layout,
      rates: ready.map((c) => c.frame_rate ?? 30),
      rate: planRate(ready),
      totalMs: layout.at(-1)?.endMs ?? 0,
    }
  }, [clips])
  return useMemo(() => {
    const edits = inOrder(shown)
    const edited = planStretches(makePlan(base.rate, base.lengths, activeSpans(edits)), base.layout)
    return {
      ready: base.ready,
      layout: base.layout,
      lengths: base.lengths,
      rate: base.rate,
      rates: base.rates,
      totalMs: base.totalMs,
      edits,
      edited,
      stretches: skipCuts ? edited : wholeStretches(base.layout),
      totals: totals(base.rate, base.lengths, edits),
    }
  }, [base, shown, skipCuts])
}

// The grid of an export is that of the first clip with a picture.
function planRate(clips: readonly Clip[]): Rate {
  const first = clips.find((c) => c.frame_rate && c.width)
  return first?.frame_rate ? snapRate(Math.round(first.frame_rate * 1e6), 1e6) : { num: 30, den: 1 }
}

function useMedia(ready: Clip[]) {
  const queryClient = useQueryClient()
  const waveforms = useQueries({
    queries: ready.map((c) => ({ ...waveformQuery(c.uuid), enabled: c.waveform })),
    combine: dataOf,
  })
  const proxies = useQueries({ queries: ready.map((c) => proxyQuery(c.uuid)), combine: dataOf })
  const address = useCallback<AddressSource>(
    async (clip, fresh) =>
      (await queryClient.fetchQuery({ ...proxyQuery(clip), ...(fresh ? { staleTime: 0 } : {}) })).url,
    [queryClient],
  )
  return useMemo(() => ({ waveforms, proxies, address }), [waveforms, proxies, address])
}

function dataOf<T>(results: { data: T | undefined }[]): (T | undefined)[] {
  return results.map((r) => r.data)
}
