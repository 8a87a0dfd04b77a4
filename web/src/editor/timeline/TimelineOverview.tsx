import { useMemo, useRef, type PointerEvent } from 'react'
import { timelineText as text } from '../../text/editor/timeline'
import { activeSpans, mutedSpans } from '../edits/cuts'
import { usePosition } from '../state/usePosition'
import { useEdits, useLayout, useMedia, usePlayer } from '../state/contexts'
import { drawBorders, drawMarks, drawWave, type Lane } from './draw'
import { mergeSpans } from '../plan/renderPlan'
import { useDrawing, useTimelineTheme } from './useCanvas'
import { endMs, fitAll, scrollTo, toMs, toX, zoomLevel, type Viewport } from './viewport'

/** Height of the overview in pixels. */
export const HEIGHT = 32

/** The whole recording, with a frame around the part that the detail below shows. */
export function TimelineOverview({
  view,
  width,
  change,
}: {
  view: Viewport
  width: number
  change: (update: (v: Viewport) => Viewport) => void
}) {
  const player = usePlayer()
  const { layout, totalMs } = useLayout()
  const { waveforms } = useMedia()
  const { edits } = useEdits()
  const canvas = useRef<HTMLCanvasElement>(null)
  const grabbed = useRef<number | null>(null)
  const theme = useTimelineTheme()
  const all = useMemo(() => fitAll(totalMs, width), [totalMs, width])
  const draw = useMemo(() => {
    if (!theme) return null
    return (ctx: CanvasRenderingContext2D) => {
      const lane = (top: number, height: number): Lane => ({ ctx, view: all, top, height, palette: theme.palette })
      const cuts = mergeSpans(activeSpans(edits))
      drawWave(lane(0, HEIGHT - 5), layout, waveforms, cuts, mutedSpans(edits))
      drawMarks(lane(HEIGHT - 4, 3), edits)
      drawBorders(lane(0, HEIGHT), layout)
    }
  }, [theme, all, edits, layout, waveforms])

  useDrawing(canvas, width, HEIGHT, draw)

  const center = (event: PointerEvent<HTMLElement>) => {
    const ms = toMs(all, event.clientX - event.currentTarget.getBoundingClientRect().left)
    change((v) => scrollTo(v, ms - (grabbed.current ?? 0)))
  }

  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId)
    const ms = toMs(all, event.clientX - event.currentTarget.getBoundingClientRect().left)
    if (zoomLevel(view) <= 0) return player?.seek(ms)
    // Dragging the frame keeps the grabbed point under the pointer; a press elsewhere centers the frame there.
    grabbed.current = ms >= view.startMs && ms < endMs(view) ? ms - view.startMs : (endMs(view) - view.startMs) / 2
    center(event)
  }

  const left = toX(all, view.startMs)
  const right = Math.min(toX(all, endMs(view)), width)
  return (
    <div
      className="relative mb-1 touch-none overflow-hidden rounded-sm bg-raised"
      style={{ height: HEIGHT }}
      onPointerDown={onPointerDown}
      onPointerMove={(event) => grabbed.current !== null && center(event)}
      onPointerUp={() => (grabbed.current = null)}
      onPointerCancel={() => (grabbed.current = null)}
    >
      <canvas ref={canvas} role="img" aria-label={text.overview} className="absolute inset-0 size-full" />
      {zoomLevel(view) > 0 && (
        <div
          className="absolute inset-y-0 rounded-sm border-2 border-accent bg-accent-soft"
          style={{ left, width: Math.max(right - left, 6) }}
        />
      )}
      <Playhead view={all} />
    </div>
  )
}

function Playhead({ view }: { view: Viewport }) {
  const line = useRef<HTMLDivElement>(null)
  usePosition((ms) => {
    if (line.current) line.current.style.transform = `translateX(${toX(view, ms)}px)`
  })

  return <div ref={line} className="pointer-events-none absolute inset-y-0 left-0 w-px playhead" />
}
