import { useMemo, useRef } from 'react'
import { useStore } from 'zustand'
import { activeSpans } from '../edits/cuts'
import { useEditorAccess, useEdits } from '../state/contexts'
import { drawWords } from './draw'
import { mergeSpans } from '../plan/renderPlan'
import { useDrawing, useTimelineTheme } from './useCanvas'
import type { Viewport } from './viewport'

/** Height of the lane in pixels. */
const HEIGHT = 16

/** The height of the lane of words in pixels; 0 without a transcript. */
export function useWordsHeight(): number {
  return useStore(useEditorAccess().store, (model) => (model && model.words.length > 0 ? HEIGHT : 0))
}

/** The words under the waveform, as many as fit. It has a canvas for itself, because words change without the rest. */
export function WordsLane({ view, top }: { view: Viewport; top: number }) {
  const words = useStore(useEditorAccess().store, (model) => model?.words)
  const { edits } = useEdits()
  const canvas = useRef<HTMLCanvasElement>(null)
  const theme = useTimelineTheme()
  const draw = useMemo(() => {
    if (!theme || !words) return null
    const cuts = mergeSpans(activeSpans(edits))
    return (ctx: CanvasRenderingContext2D) =>
      drawWords({ ctx, view, top: 0, height: HEIGHT, palette: theme.palette }, words, cuts)
  }, [theme, words, edits, view])

  useDrawing(canvas, view.widthPx, HEIGHT, draw)
  return (
    <canvas
      ref={canvas}
      aria-hidden
      data-words-lane
      className="pointer-events-none absolute inset-x-0 w-full"
      style={{ top, height: HEIGHT }}
    />
  )
}
