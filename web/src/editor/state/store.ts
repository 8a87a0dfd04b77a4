import { create } from 'zustand'
import type { Review } from '../edits/cuts'
import type { Span } from '../timeline/renderPlan'

export type LeftTab = 'transcript' | 'captions' | 'clips' | 'assets'
export type RightTab = 'cuts' | 'exports' | 'placement'

/** What is chosen and shown in the editor. It belongs to the open project and is reset with it. */
interface EditorStore {
  /** The selected cut or placed asset. */
  selected: string | null
  /** A stretch of footage that was marked by hand. */
  selection: Span | null
  /** The words that were marked in the transcript, from the one where it began to the one where it is now; they may be the same. */
  caret: { anchor: number; focus: number } | null
  /** Whether playing leaves out what is cut. */
  skipCuts: boolean
  /** Null until the person chooses: the clips, until there is a transcript to come. */
  leftTab: LeftTab | null
  rightTab: RightTab
  /** The one tab that is shown where there is no room for two; null until one is chosen. */
  onlyTab: LeftTab | RightTab | null
  review: Review
  /** What is looked for in the transcript; null while nothing is. */
  find: string | null
  exporting: boolean
  /** While a link is asked for: the one to begin with. */
  importing: string | null
  help: boolean
  /** Whether runs are being compared. */
  comparing: boolean
  /** Whether a draft is being saved. */
  drafting: boolean
  select: (uuid: string | null) => void
  /** Marks footage; caret names the words where it was marked in the transcript. */
  mark: (selection: Span | null, caret?: EditorStore['caret']) => void
  set: (
    change: Partial<
      Omit<EditorStore, 'selected' | 'selection' | 'caret' | 'onlyTab' | 'select' | 'mark' | 'set' | 'reset'>
    >,
  ) => void
  reset: () => void
}

const initial = {
  selected: null,
  selection: null,
  caret: null,
  skipCuts: true,
  leftTab: null,
  rightTab: 'cuts',
  onlyTab: null,
  review: { order: 'time', hidden: [] },
  find: null,
  exporting: false,
  importing: null,
  help: false,
  comparing: false,
  drafting: false,
} as const

export const useEditorStore = create<EditorStore>()((set) => ({
  ...initial,
  select: (selected) => set({ selected, selection: null, caret: null }),
  mark: (selection, caret = null) => set({ selection, caret }),
  set: (change) =>
    set({
      ...change,
      ...(change.leftTab ? { onlyTab: change.leftTab } : {}),
      ...(change.rightTab ? { onlyTab: change.rightTab } : {}),
    }),
  reset: () => set(initial),
}))

/** How far the running analysis is, as the event stream last said. */
export interface AnalysisProgress {
  run: string
  step: string | null
  progress: number
  /** When the first news of it came; milliseconds since the epoch. */
  since: number
}

/** How far the server is with a clip that is processing. */
export interface ClipProgress {
  step: 'download' | 'ingest'
  progress: number
}

interface LiveStore {
  analysis: AnalysisProgress | null
  clips: Record<string, ClipProgress>
  /** Whether changes wait for a connection that is lost. */
  offline: boolean
  setAnalysis: (analysis: AnalysisProgress | null) => void
  setClip: (uuid: string, progress: ClipProgress | null) => void
}

export const useLive = create<LiveStore>()((set) => ({
  analysis: null,
  clips: {},
  offline: false,
  setAnalysis: (analysis) => set({ analysis }),
  setClip: (uuid, progress) =>
    set((s) => {
      const clips = { ...s.clips }
      if (progress) clips[uuid] = progress
      else delete clips[uuid]
      return { clips }
    }),
}))
