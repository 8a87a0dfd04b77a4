import { useCallback, useEffect, useMemo, useRef, useState, type PointerEvent, type RefObject } from 'react'
import { timelineText as text } from '../../text/editor/timeline'
import { laneRows } from '../edits/placements'
import { activeSpans, mutedSpans } from '../edits/cuts'
import { editsByTake, isKept, takeCutOf } from '../edits/takes'
import { usePosition } from '../state/usePosition'
import { useEdits, useLayout, useMarkers, useMedia, useTakeGroups } from '../state/contexts'
import { useEditorStore } from '../state/store'
import { useSelectedRow } from '../state/useSelectedRow'
import { AssetLane, laneHeight } from './AssetLane'
import { CaptionLane, useCaptionsHeight } from './CaptionLane'
import { ChapterLane } from './ChapterLane'
import { ShortLane, useShortRows } from './ShortLane'
import {
  drawBorders,
  drawCuts,
  drawFilm,
  drawFrames,
  drawGuide,
  drawRuler,
  drawSelection,
  drawSplits,
  drawTakes,
  drawWave,
  TAKES_LANE,
  type Lane,
} from './draw'
import { HoverThumbnail } from './HoverThumbnail'
import { mergeSpans } from '../plan/renderPlan'
import { TimelineMenu } from './TimelineMenu'
import { useAssetDrop } from './useAssetDrop'
import { useDrawing, useTimelineTheme } from './useCanvas'
import { usePinch } from './usePinch'
import { useSpriteSheets } from './useSpriteSheets'
import { useTimelinePointer, type Drag } from './useTimelinePointer'
import { useWheel } from './useWheel'
import { toMs, toX, type Viewport } from './viewport'
import { useWordsHeight, WordsLane } from './WordsLane'

/** Heights of the ruler and the film strip, in pixels. */
const RULER = 24
const FILM = 48
/** Height of the film strip in a low pane, and the height of the lanes below which a pane is low. */
const LOW_FILM = 36
const LOW = 190
/** Height of the strip along the top of the waveform that moves cuts, in pixels. */
const HANDLE = 14
/** Smallest height of the waveform, in pixels. */
const MIN_WAVE = 48

/** Tops and heights of the lanes, in pixels. */
interface Lanes {
  shorts: number
  assets: number
  film: number
  filmHeight: number
  wave: number
  waveHeight: number
}

interface TimelineDetailProps {
  view: Viewport
  change: (update: (v: Viewport) => Viewport) => void
  height: number
}

/** A part of the recording in detail: ruler, placed assets, film strip, and waveform with cuts. */
export function TimelineDetail({ view, change, height }: TimelineDetailProps) {
  const { placements } = useEdits()
  const canvas = useRef<HTMLCanvasElement>(null)
  const [drag, setDrag] = useState<Drag | null>(null)
  const [guide, setGuide] = useState<number | null>(null)
  const [hover, setHover] = useState<{ ms: number; box: DOMRect } | null>(null)
  const sheets = useSpriteSheets()
  const rows = useMemo(() => laneRows(placements), [placements])
  const shorts = useShortRows()
  const wordsHeight = useWordsHeight()
  const captionsHeight = useCaptionsHeight()
  const lanes = useMemo((): Lanes => {
    const assets = laneHeight(rows)
    const film = RULER + shorts.height + assets
    const filmHeight = height < LOW ? LOW_FILM : FILM
    const wave = film + filmHeight
    return {
      shorts: shorts.height,
      assets,
      film,
      filmHeight,
      wave,
      waveHeight: Math.max(height - wave - wordsHeight - captionsHeight, MIN_WAVE),
    }
  }, [rows, shorts, height, wordsHeight, captionsHeight])

  const { film, wave, waveHeight } = lanes

  useLaneDrawing(canvas, { view, lanes, drag, guide, sheets })
  useWheel(canvas, change)
  const { over, ...drop } = useAssetDrop(view, setGuide)
  const { cancel, onPointerMove, ...handlers } = useTimelinePointer({
    view,
    change,
    lanes: { film, wave, handle: wave + 4 + HANDLE, takes: wave + waveHeight - TAKES_LANE },
    setDrag,
    setGuide,
  })

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
    const aboveWave = event.clientY - box.top < wave || (drag !== null && drag.kind !== 'mark')
    const ms = Math.min(Math.max(toMs(view, event.clientX - box.left), 0), view.totalMs)
    setHover(aboveWave && drag?.kind !== 'pan' ? { ms, box } : null)
  }

  return (
    <div
      className="relative"
      style={{ height: wave + waveHeight + wordsHeight + captionsHeight }}
      onPointerLeave={() => setHover(null)}
      {...drop}
    >
      <TimelineMenu view={view} wave={wave}>
        <canvas
          ref={canvas}
          role="img"
          aria-label={text.detail}
          data-wave-top={wave}
          data-start-ms={view.startMs}
          data-ms-per-px={view.msPerPx}
          className="absolute inset-x-0 top-0 w-full touch-none"
          style={{ height: wave + waveHeight }}
          onPointerMove={onMove}
          {...handlers}
        />
        <ChapterLane view={view} height={RULER} setGuide={setGuide} />
        {shorts.height > 0 && <ShortLane view={view} top={RULER} {...shorts} setGuide={setGuide} />}
        <AssetLane
          view={view}
          top={RULER + shorts.height}
          height={lanes.assets}
          rows={rows}
          over={over}
          setGuide={setGuide}
        />
      </TimelineMenu>
      {wordsHeight > 0 && <WordsLane view={view} top={wave + waveHeight} />}
      {captionsHeight > 0 && <CaptionLane view={view} top={wave + waveHeight + wordsHeight} setGuide={setGuide} />}
      <Playhead view={view} />
      {hover && <HoverThumbnail view={view} ms={draggedTime(drag) ?? hover.ms} box={hover.box} sheets={sheets} />}
    </div>
  )
}

// draggedTime is the edge of the cut that is being dragged, or null.
function draggedTime(drag: Drag | null): number | null {
  if (!drag || !('uuid' in drag)) return null
  return drag.kind === 'edge' && drag.edge === 'end' ? drag.endMs : drag.startMs
}

interface LaneDrawing {
  view: Viewport
  lanes: Lanes
  drag: Drag | null
  guide: number | null
  sheets: readonly (HTMLImageElement | null)[]
}

// useLaneDrawing draws the lanes below the placed assets. A dragged cut appears where the drag would put it.
function useLaneDrawing(canvas: RefObject<HTMLCanvasElement | null>, drawing: LaneDrawing): void {
  const { view, lanes, drag, guide, sheets } = drawing
  const { layout, rates } = useLayout()
  const { waveforms, proxies } = useMedia()
  const { edits } = useEdits()
  const row = useSelectedRow()
  const selected = useMemo(() => new Set(row?.cuts.map((e) => e.uuid)), [row])
  const selection = useEditorStore((s) => s.selection)
  const theme = useTimelineTheme()
  const drawn = useMemo(
    () =>
      drag && 'uuid' in drag
        ? edits.map((e) => (e.uuid === drag.uuid ? { ...e, start_ms: drag.startMs, end_ms: drag.endMs } : e))
        : edits,
    [edits, drag],
  )

  const cuts = useMemo(() => mergeSpans(activeSpans(drawn)), [drawn])
  const muted = useMemo(() => mutedSpans(drawn), [drawn])
  const { takes, group } = useTakeMarks()
  const splits = useSplits()
  const draw = useMemo(() => {
    if (!theme) return null
    const takesHeight = takes.length > 0 ? TAKES_LANE : 0
    const { shorts, film, filmHeight, wave, waveHeight, assets } = lanes
    const above = shorts + assets
    return (ctx: CanvasRenderingContext2D) => {
      const at = (top: number, height: number): Lane => ({ ctx, view, top, height, palette: theme.palette })
      drawRuler(at(0, RULER))
      drawFilm(at(film, filmHeight), layout, proxies, sheets)
      drawFrames(at(film, filmHeight), layout, rates)
      drawWave(at(wave, waveHeight), layout, waveforms, cuts, muted)
      drawCuts(at(wave + 4, waveHeight - 8 - takesHeight), drawn, selected, theme.patterns)
      drawTakes(at(wave + waveHeight - TAKES_LANE, TAKES_LANE), takes, group)
      drawBorders(at(RULER, above + filmHeight + waveHeight), layout)
      drawSplits(at(film, filmHeight + waveHeight), splits)
      if (selection) drawSelection(at(wave, waveHeight), selection)
      if (guide !== null) drawGuide(at(RULER, above + filmHeight + waveHeight), guide)
    }
  }, [
    theme,
    view,
    lanes,
    layout,
    rates,
    proxies,
    sheets,
    waveforms,
    cuts,
    muted,
    drawn,
    takes,
    group,
    splits,
    selected,
    selection,
    guide,
  ])

  useDrawing(canvas, view.widthPx, lanes.wave + lanes.waveHeight, draw)
}

// useSplits is the project times of the splits.
function useSplits(): number[] {
  const { markers } = useMarkers()
  return useMemo(() => markers.filter((m) => m.kind === 'split').map((m) => m.time_ms), [markers])
}

// useTakeMarks is the take groups on the timeline, and the group of the selected cut.
function useTakeMarks() {
  const { edits } = useEdits()
  const groups = useTakeGroups()
  const row = useSelectedRow()
  const takes = useMemo(() => {
    const byTake = editsByTake(edits)
    return groups.map((group) => ({
      id: group.id,
      marks: group.takes.map((t) => ({ startMs: t.start_ms, endMs: t.end_ms, kept: isKept(group, t, byTake) })),
    }))
  }, [edits, groups])

  return { takes, group: row ? (takeCutOf(row)?.take_group ?? null) : null }
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
      <div className="absolute top-1 -left-[5px] size-[11px] rounded-full playhead border-2 border-surface forced-colors:border-[Canvas]" />
      <div className="absolute inset-y-2 -left-px w-[2px] playhead shadow-[0_0_0_0.5px_var(--surface)]" />
    </div>
  )
}
