import { useCallback, useEffect, useMemo, useRef, useState, type PointerEvent } from 'react'
import { AssetLane, laneHeight } from './AssetLane'
import { activeSpans } from '../edits/cuts'
import {
  drawBorders,
  drawCuts,
  drawFilm,
  drawFrames,
  drawGuide,
  drawRuler,
  drawSelection,
  drawWave,
  type Lane,
} from './draw'
import { HoverThumbnail } from './HoverThumbnail'
import { useEdits, useLayout, useMedia } from '../state/contexts'
import { laneRows } from '../assets/placements'
import { usePosition } from '../player/usePosition'
import { useEditorStore } from '../state/store'
import { mergeSpans } from './renderPlan'
import { useDrawing, useTimelineTheme } from './useCanvas'
import { usePinch } from './usePinch'
import { useSpriteSheets } from './useSpriteSheets'
import { useTimelinePointer, type Drag } from './useTimelinePointer'
import { useWheel } from './useWheel'
import { toMs, toX, type Viewport } from './viewport'

const RULER = 24
const FILM = 48
/** Height of the strip along the top of the waveform by which cuts are moved. */
const HANDLE = 14
export const MIN_WAVE = 56

/** A stretch of the recording in detail: ruler, placed assets, film, waveform with the cuts. */
export function TimelineDetail({
  view,
  change,
  height,
}: {
  view: Viewport
  change: (update: (v: Viewport) => Viewport) => void
  height: number
}) {
  const { layout, rates } = useLayout()
  const { waveforms, proxies } = useMedia()
  const { edits, placements } = useEdits()
  const canvas = useRef<HTMLCanvasElement>(null)
  const [drag, setDrag] = useState<Drag | null>(null)
  const [guide, setGuide] = useState<number | null>(null)
  const [glimpse, setGlimpse] = useState<number | null>(null)
  const selected = useEditorStore((s) => s.selected)
  const selection = useEditorStore((s) => s.selection)
  const sheets = useSpriteSheets()
  const theme = useTimelineTheme()
  const rows = useMemo(() => laneRows(placements), [placements])
  const lane = laneHeight(rows)
  const film = RULER + lane
  const wave = film + FILM
  const waveHeight = Math.max(height - wave, MIN_WAVE)
  // While a cut is dragged, it is drawn where it would be.
  const drawn = useMemo(
    () =>
      drag && 'uuid' in drag
        ? edits.map((e) => (e.uuid === drag.uuid ? { ...e, start_ms: drag.startMs, end_ms: drag.endMs } : e))
        : edits,
    [edits, drag],
  )
  const cuts = useMemo(() => mergeSpans(activeSpans(drawn)), [drawn])
  const draw = useMemo(() => {
    if (!theme) return null
    return (ctx: CanvasRenderingContext2D) => {
      const at = (top: number, h: number): Lane => ({ ctx, view, top, height: h, palette: theme.palette })
      drawRuler(at(0, RULER))
      drawFilm(at(film, FILM), layout, proxies, sheets)
      drawFrames(at(film, FILM), layout, rates)
      drawWave(at(wave, waveHeight), layout, waveforms, cuts)
      drawCuts(at(wave + 4, waveHeight - 8), drawn, selected, theme.patterns)
      drawBorders(at(RULER, lane + FILM + waveHeight), layout)
      if (selection) drawSelection(at(wave, waveHeight), selection)
      if (guide !== null) drawGuide(at(RULER, lane + FILM + waveHeight), guide)
    }
  }, [
    theme,
    view,
    film,
    wave,
    waveHeight,
    lane,
    layout,
    rates,
    proxies,
    sheets,
    waveforms,
    cuts,
    drawn,
    selected,
    selection,
    guide,
  ])
  useDrawing(canvas, view.widthPx, wave + waveHeight, draw)
  useWheel(canvas, change)
  const pointer = useTimelinePointer({
    view,
    change,
    lanes: { film, wave, handle: wave + 4 + HANDLE },
    setDrag,
    setGuide,
  })
  const { cancel, onPointerMove, ...handlers } = pointer
  const latest = useRef(cancel)
  useEffect(() => {
    latest.current = cancel
  })
  usePinch(
    canvas,
    change,
    useCallback(() => latest.current(), []),
  )

  const onMove = (event: PointerEvent<HTMLElement>) => {
    onPointerMove(event)
    const box = event.currentTarget.getBoundingClientRect()
    const over = event.clientY - box.top < wave || (drag !== null && drag.kind !== 'mark')
    setGlimpse(
      over && drag?.kind !== 'pan' ? Math.min(Math.max(toMs(view, event.clientX - box.left), 0), view.totalMs) : null,
    )
  }
  return (
    <div className="relative" style={{ height: wave + waveHeight }} onPointerLeave={() => setGlimpse(null)}>
      <canvas
        ref={canvas}
        role="img"
        aria-label="Waveform with proposed cuts. The list of cuts holds the same, for the keyboard."
        data-wave-top={wave}
        data-start-ms={view.startMs}
        data-ms-per-px={view.msPerPx}
        className="absolute inset-0 size-full touch-none"
        onPointerMove={onMove}
        {...handlers}
      />
      <AssetLane view={view} top={RULER} height={lane} rows={rows} setGuide={setGuide} />
      <Playhead view={view} />
      {glimpse !== null && (
        <HoverThumbnail
          view={view}
          ms={
            drag && 'uuid' in drag ? (drag.kind === 'edge' && drag.edge === 'end' ? drag.endMs : drag.startMs) : glimpse
          }
          sheets={sheets}
        />
      )}
    </div>
  )
}

function Playhead({ view }: { view: Viewport }) {
  const line = useRef<HTMLDivElement>(null)
  const place = (ms: number) => {
    const x = toX(view, ms)
    if (!line.current) return
    line.current.style.transform = `translateX(${x}px)`
    line.current.style.visibility = x < -1 || x > view.widthPx + 1 ? 'hidden' : 'visible'
  }
  usePosition(place)
  return (
    <div ref={line} className="pointer-events-none absolute inset-y-0 left-0 z-2">
      <div className="absolute top-1 -left-[5px] size-[11px] rounded-full border-2 border-surface bg-(--playhead)" />
      <div className="absolute inset-y-2 -left-px w-[2px] bg-(--playhead) shadow-[0_0_0_0.5px_var(--surface)]" />
    </div>
  )
}
