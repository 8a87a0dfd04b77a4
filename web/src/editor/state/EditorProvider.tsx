import { useQuery } from '@tanstack/react-query'
import { useLayoutEffect, useMemo, useState, type ReactNode } from 'react'
import { createStore } from 'zustand/vanilla'
import { runQuery, runsQuery } from '../../api/analysis'
import { clipsQuery } from '../../api/clips'
import { editsQuery, type Edit } from '../../api/edits'
import { projectQuery } from '../../api/projects'
import { takeGroupsQuery } from '../../api/takes'
import type { Player } from '../decks/player'
import { snapPoints, type SnapPoints } from '../edits/snap'
import {
  AccessContext,
  AssetFilesContext,
  CaptionsContext,
  EditsContext,
  HistoryContext,
  LayoutContext,
  MarkersContext,
  MediaContext,
  PlayerContext,
  ProjectContext,
  RunsContext,
  SaveStateContext,
  SegmentsContext,
  ShortsContext,
  TakesContext,
  TranscriptContext,
  type EditorAccess,
  type EditorModel,
  type TakesState,
} from './contexts'
import { useCaptions } from './useCaptions'
import { useEditHistory } from './useEditHistory'
import { useMarkers } from './useMarkers'
import { useShorts } from './useShorts'
import {
  infoOf,
  useAssetsByFile,
  useClipLayout,
  useClipMedia,
  useProvisionalEdits,
  useSegmentsOf,
  useShownEdits,
  wordsOf,
} from './useProjectData'

interface EditorProviderProps {
  /** The project. */
  uuid: string
  /** Shown until the project and its clips are loaded. */
  pending: ReactNode
  /** Shows why the project could not be loaded. */
  failed: (error: unknown, retry: () => void) => ReactNode
  children: ReactNode
}

const NO_TAKES: TakesState = []

/** Loads a project and provides it to the panes of the editor, one context for each concern. */
export function EditorProvider({ uuid, pending, failed, children }: EditorProviderProps) {
  const project = useQuery({ ...projectQuery(uuid), select: infoOf })
  const words = useQuery({ ...projectQuery(uuid), select: wordsOf }).data
  const clips = useQuery(clipsQuery(uuid))
  const saved = useQuery(editsQuery(uuid))
  const runs = useQuery(runsQuery(uuid))
  const run = useQuery(runQuery(uuid, project.data?.active_run_id ?? null))
  const takeGroups = useQuery(takeGroupsQuery(uuid)).data ?? NO_TAKES
  const [history, editState] = useEditHistory(uuid, saved.data)
  const markers = useMarkers(uuid, history)
  const shorts = useShorts(uuid, history)
  const captions = useCaptions(uuid, project.data?.active_run_id ?? null, history)
  const [preview, setPreview] = useState<Edit[] | null>(null)
  const [player, setPlayer] = useState<Player | null>(null)

  const layout = useClipLayout(clips.data)
  const edits = useShownEdits(layout, {
    saved: editState.edits,
    placements: editState.placements,
    preview,
    provisional: useProvisionalEdits(uuid, project.data, runs.data),
    loaded: saved.isSuccess,
  })

  const segments = useSegmentsOf(layout, edits.edits)
  const media = useClipMedia(layout.ready)
  const assets = useAssetsByFile()

  const projectState = useMemo(
    () => (project.data && clips.data ? { project: project.data, clips: clips.data } : null),
    [project.data, clips.data],
  )

  const historyState = useMemo(() => ({ history, setPreview }), [history])
  const runsState = useMemo(() => ({ run: run.data ?? null, runs: runs.data ?? [] }), [run.data, runs.data])
  const playerHandle = useMemo(() => ({ player, setPlayer }), [player])
  const model = useMemo<EditorModel | null>(
    () =>
      projectState && words
        ? {
            ...{ ...projectState, ...layout, ...edits, ...segments },
            ...{ history, editState, assets, words, takeGroups, markers, shorts, captions, player },
          }
        : null,
    [
      projectState,
      layout,
      edits,
      segments,
      history,
      editState,
      assets,
      words,
      takeGroups,
      markers,
      shorts,
      captions,
      player,
    ],
  )

  const access = useEditorAccessTo(model)

  const error = [project, clips].find((q) => q.isError)?.error
  if (error) {
    const retry = () => {
      for (const q of [project, clips, saved, runs]) if (q.isError) void q.refetch()
    }

    return failed(error, retry)
  }

  if (!projectState || !words) return pending
  return (
    <AccessContext value={access}>
      <PlayerContext value={playerHandle}>
        <HistoryContext value={historyState}>
          <AssetFilesContext value={assets}>
            <MediaContext value={media}>
              <LayoutContext value={layout}>
                <ProjectContext value={projectState}>
                  <RunsContext value={runsState}>
                    <TakesContext value={takeGroups}>
                      <MarkersContext value={markers}>
                        <ShortsContext value={shorts}>
                          <CaptionsContext value={captions}>
                            <TranscriptContext value={words}>
                              <SegmentsContext value={segments}>
                                <EditsContext value={edits}>
                                  <SaveStateContext value={editState}>{children}</SaveStateContext>
                                </EditsContext>
                              </SegmentsContext>
                            </TranscriptContext>
                          </CaptionsContext>
                        </ShortsContext>
                      </MarkersContext>
                    </TakesContext>
                  </RunsContext>
                </ProjectContext>
              </LayoutContext>
            </MediaContext>
          </AssetFilesContext>
        </HistoryContext>
      </PlayerContext>
    </AccessContext>
  )
}

// useEditorAccessTo keeps the model in a store for code that runs outside of rendering.
function useEditorAccessTo(model: EditorModel | null): EditorAccess {
  const [access] = useState(makeAccess)
  useLayoutEffect(() => access.store.setState(model, true), [access, model])
  return access
}

function makeAccess(): EditorAccess {
  const store = createStore<EditorModel | null>()(() => null)
  let points: SnapPoints = new Float64Array()
  let madeOf: readonly unknown[] = []
  return {
    store,
    snapPoints: () => {
      const model = store.getState()
      if (!model) return points
      const { words, edits, placements, layout } = model
      const { markers } = model.markers
      const { shorts } = model.shorts
      const sources = [words, edits, placements, layout, markers, shorts]
      if (sources.some((source, i) => source !== madeOf[i])) {
        madeOf = sources
        points = snapPoints(
          words,
          [...edits, ...placements, ...shorts],
          [0, ...layout.map((c) => c.endMs), ...markers.map((m) => m.time_ms)],
        )
      }

      return points
    },
  }
}
