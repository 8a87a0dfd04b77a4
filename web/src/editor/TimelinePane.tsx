import { Maximize2, Scissors, SquareSplitHorizontal, Undo2, ZoomIn, ZoomOut } from 'lucide-react'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { Button, IconButton } from '../ui/Button'
import { Slider } from '../ui/Slider'
import { Detail } from './Detail'
import { formatLength, formatTime } from './format'
import { useModel } from './model'
import { HEIGHT as OVERVIEW, Overview } from './Overview'
import { useEditorStore } from './store'
import { useSize } from './useCanvas'
import { useCommands } from './useCommands'
import { useKey } from './useKeys'
import { fitAll, follow, resize, reveal, toX, zoomAt, zoomLevel, zoomTo, type Viewport } from './viewport'

/** The recording over time: the whole of it, and a stretch of it in detail. */
export function TimelinePane() {
  const { totalMs, edits, placements, player, ready } = useModel()
  const box = useRef<HTMLDivElement>(null)
  const { width, height } = useSize(box)
  const [view, setView] = useState<Viewport>(() => fitAll(0, 0))
  const selected = useEditorStore((s) => s.selected)
  // The viewport follows the recording's length and the pane's width.
  const shown = useMemo(() => resize(view, totalMs, width), [view, totalMs, width])
  const change = useCallback(
    (update: (v: Viewport) => Viewport) => setView((v) => update(resize(v, totalMs, width))),
    [totalMs, width],
  )

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
  const chosen = edits.find((e) => e.uuid === selected) ?? placements.find((e) => e.uuid === selected)
  const [from, to] = [chosen?.start_ms, chosen?.end_ms]
  useEffect(() => {
    if (from === undefined || to === undefined) return
    // eslint-disable-next-line react-hooks/set-state-in-effect -- what is selected elsewhere is brought into view here
    change((v) => reveal(v, from, to))
  }, [selected, from, to, change])
  useZoomKeys(change, width)

  return (
    <section aria-label="Timeline" className="flex min-h-0 min-w-0 flex-1 flex-col bg-surface">
      <Toolbar view={shown} change={change} />
      <div ref={box} className="relative mx-3 mb-2 min-h-0 flex-1">
        {totalMs === 0 ? (
          <Nothing processing={ready.length === 0} />
        ) : (
          <>
            <Overview view={shown} width={width} change={change} />
            <Detail view={shown} change={change} height={height - OVERVIEW - 4} />
          </>
        )}
      </div>
    </section>
  )
}

function Nothing({ processing }: { processing: boolean }) {
  const { clips } = useModel()
  const reading = processing && clips.some((c) => c.status === 'processing')
  return (
    <div
      className={`flex h-full items-center justify-center rounded-md text-sm text-faint ${reading ? 'skeleton' : 'border border-dashed border-line'}`}
    >
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
  const { run } = useCommands()
  const split = useKey('split')
  const [zoomOut, zoomIn, zoomAll] = [useKey('zoomOut'), useKey('zoomIn'), useKey('zoomAll')]
  const level = zoomLevel(view)
  const zoom = (factor: number) => change((v) => zoomAt(v, factor, v.widthPx / 2))
  return (
    <div className="flex h-10 shrink-0 items-center gap-2 px-3 text-xs">
      <IconButton label="Split at the playhead" keys={split} disabled={totalMs === 0} onClick={run.split}>
        <SquareSplitHorizontal size={16} />
      </IconButton>
      <Marked />
      <div className="ml-auto flex shrink-0 items-center">
        <IconButton label="Zoom out" keys={zoomOut} disabled={level <= 0} onClick={() => zoom(1 / 1.6)}>
          <ZoomOut size={16} />
        </IconButton>
        <div className="flex w-28 items-center px-1 max-md:hidden">
          <Slider
            compact
            label="Zoom"
            meaning={`${Math.round(level * 100)} %`}
            value={Math.round(level * 100)}
            disabled={totalMs === 0}
            onChange={(percent) => change((v) => zoomTo(v, percent / 100))}
          />
        </div>
        <IconButton label="Zoom in" keys={zoomIn} disabled={level >= 1} onClick={() => zoom(1.6)}>
          <ZoomIn size={16} />
        </IconButton>
        <IconButton
          label="Show everything"
          keys={zoomAll}
          disabled={level <= 0}
          onClick={() => change((v) => fitAll(v.totalMs, v.widthPx))}
        >
          <Maximize2 size={16} />
        </IconButton>
      </div>
    </div>
  )
}

// Marked says what is marked, and what can be done with it; with nothing marked, how to.
function Marked() {
  const { totalMs, edits } = useModel()
  const selection = useEditorStore((s) => s.selection)
  const { run } = useCommands()
  if (!selection)
    return (
      <span className="truncate text-faint">
        {totalMs > 0 ? 'Drag across the waveform to mark what to cut; drag a cut by its top edge to move it' : ''}
      </span>
    )
  const gone = edits.some((e) => e.active && e.start_ms < selection.endMs && e.end_ms > selection.startMs)
  return (
    <>
      <span className="truncate text-muted">
        Marked {formatTime(selection.startMs)} to {formatTime(selection.endMs)} (
        {formatLength(selection.endMs - selection.startMs)})
      </span>
      <Button size="sm" variant="primary" onClick={run.delete}>
        <Scissors size={14} aria-hidden /> Cut it
      </Button>
      {gone && (
        <Button size="sm" onClick={run.restore}>
          <Undo2 size={14} aria-hidden /> Bring it back
        </Button>
      )}
    </>
  )
}
