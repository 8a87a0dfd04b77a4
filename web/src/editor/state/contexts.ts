// The state that the panes of the editor share, one context for each concern. A pane subscribes only to the state
// that it shows: new words do not redraw the timeline, and a saved change does not redraw the transcript.

import { createContext, useContext, type Context } from 'react'
import type { StoreApi } from 'zustand/vanilla'
import type { Run, RunSummary } from '../../api/analysis'
import type { Asset } from '../../api/assets'
import type { Clip, ProxyURL, Waveform } from '../../api/clips'
import type { AnyEdit, Edit, Placement } from '../../api/edits'
import type { Project, Word } from '../../api/projects'
import type { TakeGroup } from '../../api/takes'
import type { Totals } from '../edits/cuts'
import type { EditHistory, EditState } from '../edits/editHistory'
import type { ReviewRow, RowsByEdit } from '../edits/stretches'
import type { PlaybackSegment } from '../plan/playback'
import type { AddressSource } from '../decks/deck'
import type { Player } from '../decks/player'
import type { Rate, Span } from '../plan/renderPlan'
import type { SnapPoints } from '../edits/snap'
import type { CaptionsState } from './useCaptions'
import type { MarkersState } from './useMarkers'
import type { ShortsState } from './useShorts'

/** A project without its transcript, which TranscriptContext holds. */
export type ProjectInfo = Omit<Project, 'transcript'>

export interface ProjectState {
  project: ProjectInfo
  /** All clips, including those that are uploading, processing or failed. */
  clips: Clip[]
}

/** The clips on the project timeline. */
export interface LayoutState {
  /** Clips that can be played, in display order. */
  ready: Clip[]
  /** Spans of the ready clips in project time. */
  layout: Span[]
  /** Durations of the ready clips in milliseconds. */
  lengths: number[]
  /** Frame rate of an export. */
  rate: Rate
  /** Frames per second of each ready clip. */
  rates: number[]
  totalMs: number
}

/** The edits as shown. */
export interface EditsState {
  /** Cuts in timeline order; during a preview of other settings, the cuts that those settings give. */
  edits: Edit[]
  /** The rows of the list of cuts, by time. */
  rows: readonly ReviewRow[]
  /** The rows by the UUIDs of their cuts. */
  rowOf: RowsByEdit
  placements: Placement[]
  totals: Totals
  /** Whether the cuts are a preview of analysis settings that are being changed. */
  previewing: boolean
  /** Whether the cuts include silences that an unfinished first analysis has found so far. */
  provisional: boolean
  /** Whether an edit cannot be changed now: any edit during a preview, and edits that the server has not stored. */
  isLocked: (edit: AnyEdit) => boolean
  loaded: boolean
}

export interface HistoryState {
  history: EditHistory
  /** Shows other cuts instead of the saved ones; null ends the preview. */
  setPreview: (edits: Edit[] | null) => void
}

export interface SegmentsState {
  /** Segments of the edited video. */
  edited: PlaybackSegment[]
  /** Segments that play: the segments of the edited video, or every clip whole. */
  playing: PlaybackSegment[]
  /** Spans of project time that play muted; empty while the uncut recording plays. */
  muted: Span[]
}

/** The take groups of the active run, by time. */
export type TakesState = readonly TakeGroup[]

export interface RunsState {
  /** The active analysis run; null before the first analysis. */
  run: Run | null
  runs: RunSummary[]
}

/** Media of each ready clip; undefined until loaded. */
export interface MediaState {
  waveforms: (Waveform | undefined)[]
  proxies: (ProxyURL | undefined)[]
  address: AddressSource
}

export interface PlayerHandle {
  /** Null until the player pane has mounted. */
  player: Player | null
  setPlayer: (player: Player | null) => void
}

/** The latest state of the whole editor, for commands, which run outside of rendering. */
export interface EditorModel extends ProjectState, LayoutState, EditsState, SegmentsState {
  history: EditHistory
  editState: EditState
  assets: ReadonlyMap<string, Asset>
  words: readonly Word[]
  takeGroups: TakesState
  markers: MarkersState
  shorts: ShortsState
  captions: CaptionsState
  player: Player | null
}

/** Values that are read on demand and cause no rendering. */
export interface EditorAccess {
  store: StoreApi<EditorModel | null>
  /** Project times where drags snap, computed when they are first asked for after a change. */
  snapPoints: () => SnapPoints
}

export const ProjectContext = createContext<ProjectState | null>(null)
export const LayoutContext = createContext<LayoutState | null>(null)
export const EditsContext = createContext<EditsState | null>(null)
export const HistoryContext = createContext<HistoryState | null>(null)
export const SaveStateContext = createContext<EditState | null>(null)
export const SegmentsContext = createContext<SegmentsState | null>(null)
export const TranscriptContext = createContext<readonly Word[] | null>(null)
export const TakesContext = createContext<TakesState | null>(null)
export const MarkersContext = createContext<MarkersState | null>(null)
export const ShortsContext = createContext<ShortsState | null>(null)
export const CaptionsContext = createContext<CaptionsState | null>(null)
export const RunsContext = createContext<RunsState | null>(null)
export const MediaContext = createContext<MediaState | null>(null)
export const AssetFilesContext = createContext<ReadonlyMap<string, Asset> | null>(null)
export const PlayerContext = createContext<PlayerHandle | null>(null)
export const AccessContext = createContext<EditorAccess | null>(null)

function useRequired<T>(context: Context<T | null>): T {
  const value = useContext(context)
  if (value === null) throw new Error('this hook needs an EditorProvider')
  return value
}

export const useProject = () => useRequired(ProjectContext)
export const useLayout = () => useRequired(LayoutContext)
export const useEdits = () => useRequired(EditsContext)
export const useHistory = () => useRequired(HistoryContext)
/** The saved edits, labels of undo and redo, and the number of unsaved changes; changes with every save. */
export const useSaveState = () => useRequired(SaveStateContext)
export const useSegments = () => useRequired(SegmentsContext)
/** The words of the transcript, in order. */
export const useWords = () => useRequired(TranscriptContext)
export const useTakeGroups = () => useRequired(TakesContext)
export const useMarkers = () => useRequired(MarkersContext)
/** The shorts of the project and their changes. */
export const useShorts = () => useRequired(ShortsContext)
/** The caption lines of the active run and their changes. */
export const useCaptionLines = () => useRequired(CaptionsContext)
export const useRuns = () => useRequired(RunsContext)
export const useMedia = () => useRequired(MediaContext)
/** The account's assets by the file that a placement names. */
export const useAssetFiles = () => useRequired(AssetFilesContext)
export const usePlayer = () => useRequired(PlayerContext).player
export const usePlayerHandle = () => useRequired(PlayerContext)
export const useEditorAccess = () => useRequired(AccessContext)
