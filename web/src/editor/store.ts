import { create } from 'zustand'
import type { Span } from './timeline'

/** What is chosen and shown in the editor. It belongs to the open project and is reset with it. */
interface EditorStore {
  /** The selected cut. */
  selected: string | null
  /** A stretch of footage that was marked by hand. */
  selection: Span | null
  /** Whether playing leaves out what is cut. */
  skipCuts: boolean
  /** Null until the person chooses: the clips, until there is a transcript to come. */
  leftTab: 'transcript' | 'clips' | null
  rightTab: 'cuts' | 'exports'
  exporting: boolean
  /** While a link is asked for: the one to begin with. */
  importing: string | null
  help: boolean
  select: (uuid: string | null) => void
  mark: (selection: Span | null) => void
  set: (change: Partial<Pick<EditorStore, 'skipCuts' | 'leftTab' | 'rightTab' | 'exporting' | 'importing' | 'help'>>) => void
  reset: () => void
}

const initial = { selected: null, selection: null, skipCuts: true, leftTab: null, rightTab: 'cuts', exporting: false, importing: null, help: false } as const

export const useEditorStore = create<EditorStore>()((set) => ({
  ...initial,
  select: (selected) => set({ selected, selection: null }),
  mark: (selection) => set({ selection }),
  set: (change) => set(change),
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
  setAnalysis: (analysis: AnalysisProgress | null) => void
  setClip: (uuid: string, progress: ClipProgress | null) => void
}

export const useLive = create<LiveStore>()((set) => ({
  analysis: null,
  clips: {},
  setAnalysis: (analysis) => set({ analysis }),
  setClip: (uuid, progress) =>
    set((s) => {
      const clips = { ...s.clips }
      if (progress) clips[uuid] = progress
      else delete clips[uuid]
      return { clips }
    }),
}))
