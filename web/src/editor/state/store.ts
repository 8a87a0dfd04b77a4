import { create } from 'zustand'
import type { AnalysisSettings } from '../../api/analysis'
import type { Review } from '../edits/cuts'
import type { Span } from '../plan/renderPlan'

export type LeftTab = 'transcript' | 'captions' | 'clips' | 'assets'
export type RightTab = 'cuts' | 'exports'

/** The selection and the open tabs and dialogs. Reset when the project is closed. */
interface EditorStore {
  /** The selected cut, placed asset or short. A cut stands for its stretch. */
  selected: string | null
  /** Whether the selected cut stands for itself, as a part of its stretch. */
  part: boolean
  /** The stretches whose parts the list shows, by their first cuts. */
  opened: readonly string[]
  /** The cuts that are chosen together in the list; the selected one may be among them. */
  chosen: readonly string[]
  /** Whether a click chooses cuts in the list, as with Ctrl. */
  choosing: boolean
  /** Whether the settings of the cuts are shown; a phone then shows the kinds, too. */
  adjusting: boolean
  /** The selected footage. */
  selection: Span | null
  /** The first and the last word of a selection in the transcript, in the order of selecting; they may be the same. */
  caret: { anchor: number; focus: number } | null
  /** Whether playback skips cuts. */
  skipCuts: boolean
  /** Whether the player fills the screen. */
  fullscreen: boolean
  /** Null until the person chooses a tab: then the clips before an analysis, and the transcript after it. */
  leftTab: LeftTab | null
  rightTab: RightTab
  /** The tab of a narrow window, which shows one at a time; null until the person chooses. */
  onlyTab: LeftTab | RightTab | null
  review: Review
  /** The search query in the transcript; null while the search bar is closed. */
  find: string | null
  /** Whether the search bar also replaces. */
  replacing: boolean
  /** The new text in the search bar. */
  replacement: string
  /** The footage of the words that a field corrects, or null. */
  correcting: Span | null
  /** The chapter or note whose text a field on the timeline changes, or null. */
  renamingChapter: string | null
  /** The short whose name a field on the timeline changes, or null. */
  renamingShort: string | null
  /** The selected caption line. */
  caption: string | null
  /** The search query in the captions; null while their search bar is closed. */
  findCaption: string | null
  /** The new text in the search bar of the captions. */
  captionReplacement: string
  exporting: boolean
  /** The short that the export dialog exports, or null; undefined while the dialog is closed. */
  exportedShort: string | null | undefined
  /** Whether the timelines for other editors are shown. */
  timelines: boolean
  /** The initial link of the import dialog; null while it is closed. */
  importing: string | null
  help: boolean
  /** What dragging on the preview moves, if not a selected overlay. */
  framing: 'point' | 'crop' | null
  /** Whether the dialog that compares runs is open. */
  comparing: boolean
  /** Whether the list of suggested assets is open. */
  suggesting: boolean
  /** The suggested assets that are chosen together. */
  suggestions: ReadonlySet<string>
  /** Whether the preview shows captions; null shows them if the export does. */
  captions: boolean | null
  /** The settings of another analysis that waits for an answer; null without a question. */
  again: AnalysisSettings | null
  /** Selects one cut or placed asset, and nothing else. A cut stands for its stretch, unless it is selected as a part. */
  select: (uuid: string | null, part?: boolean) => void
  /** Shows or hides the parts of a stretch in the list. */
  open: (stretch: string, open: boolean) => void
  choose: (chosen: readonly string[]) => void
  /** Changes what the list of cuts shows. Cuts that it hides are not chosen any more. */
  filter: (change: Partial<Omit<Review, 'order'>>) => void
  /** Chooses no cuts, and ends choosing by clicks. */
  stopChoosing: () => void
  /** Selects footage; caret names the words of a selection in the transcript. */
  mark: (selection: Span | null, caret?: EditorStore['caret']) => void
  set: (
    change: Partial<
      Omit<
        EditorStore,
        | 'selected'
        | 'part'
        | 'opened'
        | 'chosen'
        | 'selection'
        | 'caret'
        | 'onlyTab'
        | 'select'
        | 'open'
        | 'choose'
        | 'filter'
        | 'stopChoosing'
        | 'mark'
        | 'set'
        | 'reset'
      >
    >,
  ) => void
  reset: () => void
}

/** The filters of the list of cuts that show all of them. */
export const UNFILTERED = { hidden: [], below: null, shorterMs: null } as const

const initial = {
  selected: null,
  part: false,
  opened: [],
  chosen: [],
  choosing: false,
  adjusting: false,
  selection: null,
  caret: null,
  skipCuts: true,
  fullscreen: false,
  leftTab: null,
  rightTab: 'cuts',
  onlyTab: null,
  review: { order: 'time', ...UNFILTERED },
  find: null,
  replacing: false,
  replacement: '',
  correcting: null,
  renamingChapter: null,
  renamingShort: null,
  caption: null,
  findCaption: null,
  captionReplacement: '',
  exporting: false,
  exportedShort: undefined,
  timelines: false,
  importing: null,
  help: false,
  framing: null,
  comparing: false,
  suggesting: false,
  suggestions: new Set<string>(),
  captions: null,
  again: null,
} as const

export const useEditorStore = create<EditorStore>()((set) => ({
  ...initial,
  select: (selected, part = false) =>
    set({ selected, part, chosen: [], choosing: false, selection: null, caret: null }),
  open: (stretch, open) =>
    set(({ opened }) => ({ opened: [...opened.filter((uuid) => uuid !== stretch), ...(open ? [stretch] : [])] })),
  choose: (chosen) => set({ chosen }),
  filter: (change) => set(({ review }) => ({ review: { ...review, ...change }, chosen: [] })),
  stopChoosing: () => set({ chosen: [], choosing: false }),
  mark: (selection, caret = null) => set({ selection, caret }),
  set: (change) =>
    set({
      ...change,
      ...(change.leftTab ? { onlyTab: change.leftTab } : {}),
      ...(change.rightTab ? { onlyTab: change.rightTab } : {}),
    }),
  reset: () => set(initial),
}))

/** Progress of the running analysis, from the event stream. */
export interface AnalysisProgress {
  run: string
  step: string | null
  progress: number
  /** The progress at the first event of the step. */
  from: number
  /** Times of the first and the last event of the step; milliseconds since the epoch. */
  since: number
  at: number
}

/** Progress of a clip that is processing. */
export interface ClipProgress {
  step: 'download' | 'ingest'
  progress: number
}

interface LiveStore {
  analysis: AnalysisProgress | null
  clips: Record<string, ClipProgress>
  /** Progress of constant-rate copies from 0 to 100, by clip. */
  copies: Record<string, number>
  /** Whether changes wait for a lost connection. */
  offline: boolean
  setAnalysis: (analysis: AnalysisProgress | null) => void
  setClip: (uuid: string, progress: ClipProgress | null) => void
  setCopy: (uuid: string, progress: number | null) => void
}

export const useLive = create<LiveStore>()((set) => ({
  analysis: null,
  clips: {},
  copies: {},
  offline: false,
  setAnalysis: (analysis) => set({ analysis }),
  setClip: (uuid, progress) =>
    set((s) => {
      const clips = { ...s.clips }
      if (progress) clips[uuid] = progress
      else delete clips[uuid]
      return { clips }
    }),
  setCopy: (uuid, progress) =>
    set((s) => {
      const copies = { ...s.copies }
      if (progress !== null) copies[uuid] = progress
      else delete copies[uuid]
      return { copies }
    }),
}))
