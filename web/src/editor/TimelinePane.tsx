import { Maximize2, Scissors, ZoomIn, ZoomOut } from 'lucide-react'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { Button, IconButton } from '../ui/Button'
import { Slider } from '../ui/Slider'
import { activeSpans } from './cuts'
import { drawBorders, drawCuts, drawFilm, drawRuler, drawSelection, drawWave, type Lane } from './draw'
import { formatLength, formatTime } from './format'
import { useModel } from './model'
import { Overview } from './Overview'
import { usePosition } from './PlayerPane'
import { useEditorStore } from './store'
import { merge } from './timeline'
import { useDrawing, useLook, useWidth } from './useCanvas'
import { useCutCommands } from './useCommands'
import { useTimelinePointer, type Drag } from './useTimelinePointer'
import { fitAll, follow, resize, reveal, scrollBy, toX, zoomAt, zoomLevel, zoomTo, type Viewport } from './viewport'

const RULER = 24
const FILM = 48
const WAVE = 88
const HEIGHT = RULER + FILM + WAVE

/** The recording over time: the whole of it, and a stretch of it in detail. */
export function TimelinePane() {
  const { totalMs, edits, player, ready } = useModel()
  const box = useRef<HTMLDivElement>(null)
  const width = useWidth(box)
  const [view, setView] = useState<Viewport>(() => fitAll(0, 0))
  const selected = useEditorStore((s) => s.selected)
  // The viewport follows the recording's length and the pane's width.
  const shown = useMemo(() => resize(view, totalMs, width), [view, totalMs, width])
  const change = useCallback((update: (v: Viewport) => Viewport) => setView((v) => update(resize(v, totalMs, width))), [totalMs, width])

  const current = useRef(shown)
  useEffect(() => {
    current.current = shown
  })
  useEffect(
    () =>
      player?.watch((ms) => {
        const next = follow(current.current, ms)
        if (player.snapshot().playing && next !== current.current) change(() => next)
      }),
    [player, change],
  )
  const chosen = edits.find((e) => e.uuid === selected)
  const [from, to] = [chosen?.start_ms, chosen?.end_ms]
  useEffect(() => {
    if (from === undefined || to === undefined) return
    // eslint-disable-next-line react-hooks/set-state-in-effect -- a cut that is selected elsewhere is brought into view here
    change((v) => reveal(v, from, to))
  }, [selected, from, to, change])
  useZoomKeys(change, width)

  return (
    <section aria-label="Timeline" className="shrink-0 border-t border-line bg-surface">
      <Toolbar view={shown} change={change} />
      <div ref={box} className="relative mx-3 mb-3">
        {totalMs === 0 ? <Nothing processing={ready.length === 0} /> : <><Overview view={shown} width={width} change={change} /><Detail view={shown} change={change} /></>}
      </div>
    </section>
  )
}

function Nothing({ processing }: { processing: boolean }) {
  const { clips } = useModel()
  const reading = processing && clips.some((c) => c.status === 'processing')
  return (
    <div className={`flex items-center justify-center rounded-md text-sm text-faint ${reading ? 'skeleton' : 'border border-dashed border-line'}`} style={{ height: HEIGHT + 40 }}>
      {reading ? 'Drawing the waveform…' : 'The waveform of your recording appears here'}
    </div>
  )
}

function useZoomKeys(change: (update: (v: Viewport) => Viewport) => void, width: number): void {
  const { player, totalMs } = useModel()
  useEffect(() => {
    const onZoom = (event: Event) => {
      const factor = (event as CustomEvent<number>).detail
      if (factor === 0) return change(() => fitAll(totalMs, width))
      change((v) => {
        const x = toX(v, player?.position() ?? 0)
        return zoomAt(v, factor, x >= 0 && x <= width ? x : width / 2)
      })
    }
    window.addEventListener('roughcut:zoom', onZoom)
    return () => window.removeEventListener('roughcut:zoom', onZoom)
  }, [change, player, totalMs, width])
}

function Toolbar({ view, change }: { view: Viewport; change: (update: (v: Viewport) => Viewport) => void }) {
  const { totalMs } = useModel()
  const selection = useEditorStore((s) => s.selection)
  const commands = useCutCommands()
  const level = zoomLevel(view)
  const zoom = (factor: number) => change((v) => zoomAt(v, factor, v.widthPx / 2))
  return (
    <div className="flex h-10 items-center gap-2 px-3 text-xs">
      {selection ? (
        <>
          <span className="text-muted">
            Marked {formatTime(selection.startMs)} to {formatTime(selection.endMs)} ({formatLength(selection.endMs - selection.startMs)})
          </span>
          <Button size="sm" look="primary" onClick={commands.cutSelection}>
            <Scissors size={14} aria-hidden /> Cut it
          </Button>
        </>
      ) : (
        <span className="text-faint">{totalMs > 0 ? 'Drag across the waveform to mark what to cut' : ''}</span>
      )}
      <div className="ml-auto flex items-center">
        <IconButton label="Zoom out" keys="−" disabled={level <= 0} onClick={() => zoom(1 / 1.6)}>
          <ZoomOut size={16} />
        </IconButton>
        <div className="flex w-28 items-center px-1">
          <Slider compact label="Zoom" meaning={`${Math.round(level * 100)} %`} value={Math.round(level * 100)} disabled={totalMs === 0} onChange={(percent) => change((v) => zoomTo(v, percent / 100))} />
        </div>
        <IconButton label="Zoom in" keys="+" disabled={level >= 1} onClick={() => zoom(1.6)}>
          <ZoomIn size={16} />
        </IconButton>
        <IconButton label="Show everything" keys="Z" disabled={level <= 0} onClick={() => change((v) => fitAll(v.totalMs, v.widthPx))}>
          <Maximize2 size={16} />
        </IconButton>
      </div>
    </div>
  )
}

function Detail({ view, change }: { view: Viewport; change: (update: (v: Viewport) => Viewport) => void }) {
  const { layout, waveforms, proxies, edits } = useModel()
  const canvas = useRef<HTMLCanvasElement>(null)
  const [drag, setDrag] = useState<Drag | null>(null)
  const selected = useEditorStore((s) => s.selected)
  const selection = useEditorStore((s) => s.selection)
  const sheets = useSheets()
  const look = useLook()
  // While an end of a cut is dragged, the cut is drawn where it would be.
  const drawn = useMemo(() => (drag?.kind === 'edge' ? edits.map((e) => (e.uuid === drag.uuid ? { ...e, start_ms: drag.startMs, end_ms: drag.endMs } : e)) : edits), [edits, drag])
  const cuts = useMemo(() => merge(activeSpans(drawn)), [drawn])
  const draw = useMemo(() => {
    if (!look) return null
    return (ctx: CanvasRenderingContext2D) => {
      const lane = (top: number, height: number): Lane => ({ ctx, view, top, height, palette: look.palette })
      drawRuler(lane(0, RULER))
      drawFilm(lane(RULER, FILM), layout, proxies, sheets)
      drawWave(lane(RULER + FILM, WAVE), layout, waveforms, cuts)
      drawCuts(lane(RULER + FILM + 4, WAVE - 8), drawn, selected, look.patterns)
      drawBorders(lane(RULER, FILM + WAVE), layout)
      if (selection) drawSelection(lane(RULER + FILM, WAVE), selection)
    }
  }, [look, view, layout, proxies, sheets, waveforms, cuts, drawn, selected, selection])
  useDrawing(canvas, view.widthPx, HEIGHT, draw)
  useWheel(canvas, change)
  const pointer = useTimelinePointer(view, RULER + FILM, setDrag)
  return (
    <div className="relative" style={{ height: HEIGHT }}>
      <canvas ref={canvas} role="img" aria-label="Waveform with proposed cuts. The list of cuts holds the same, for the keyboard." className="absolute inset-0 size-full touch-none" {...pointer} />
      <Playhead view={view} />
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
    <div ref={line} className="pointer-events-none absolute inset-y-0 left-0 z-1">
      <div className="absolute top-1 -left-[5px] size-[11px] rounded-full border-2 border-surface bg-(--playhead)" />
      <div className="absolute inset-y-2 -left-px w-[2px] bg-(--playhead) shadow-[0_0_0_0.5px_var(--surface)]" />
    </div>
  )
}

// useSheets loads the sprite sheet of each clip.
function useSheets(): (HTMLImageElement | null)[] {
  const { proxies } = useModel()
  const [loaded, setLoaded] = useState<ReadonlyMap<string, HTMLImageElement>>(new Map())
  const urls = proxies.map((p) => p?.sprite?.url ?? null)
  const key = urls.join('\n')
  useEffect(() => {
    for (const url of key.split('\n').filter(Boolean)) {
      const image = new Image()
      image.onload = () => setLoaded((map) => new Map(map).set(url, image))
      image.src = url
    }
  }, [key])
  // eslint-disable-next-line react-hooks/exhaustive-deps -- key stands for the addresses
  return useMemo(() => urls.map((url) => (url ? (loaded.get(url) ?? null) : null)), [key, loaded])
}

// useWheel scrolls with the wheel and zooms with Ctrl (which is also what a pinch sends).
function useWheel(canvas: React.RefObject<HTMLCanvasElement | null>, change: (update: (v: Viewport) => Viewport) => void): void {
  useEffect(() => {
    const element = canvas.current
    if (!element) return
    const onWheel = (event: WheelEvent) => {
      event.preventDefault()
      const x = event.clientX - element.getBoundingClientRect().left
      if (event.ctrlKey || event.metaKey) change((v) => zoomAt(v, Math.exp(-event.deltaY / 240), x))
      else change((v) => scrollBy(v, Math.abs(event.deltaX) > Math.abs(event.deltaY) ? event.deltaX : event.deltaY))
    }
    element.addEventListener('wheel', onWheel, { passive: false })
    return () => element.removeEventListener('wheel', onWheel)
  }, [canvas, change])
}
