import { Scissors, Undo2, VolumeX } from 'lucide-react'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { shortsText } from '../../text/editor/shorts'
import { timelineText as text } from '../../text/editor/timeline'
import { wholePercent } from '../../text/format'
import { Button } from '../../ui/Button'
import { Slider } from '../../ui/Slider'
import { Tip } from '../../ui/Tip'
import { CommandButton } from '../commands/CommandButton'
import { useCommand } from '../commands/useCommand'
import { onZoomRequest } from '../commands/zoom'
import { useEdits, useLayout, usePlayer, useProject, useShorts } from '../state/contexts'
import { useHint } from '../state/hints'
import { useEditorStore } from '../state/store'
import { useSelectedRow } from '../state/useSelectedRow'
import { timecode } from '../plan/timecode'
import { TimelineDetail } from './TimelineDetail'
import { HEIGHT as OVERVIEW, TimelineOverview } from './TimelineOverview'
import { useSize } from './useCanvas'
import {
  fitAll,
  followPlayhead,
  resize,
  reveal,
  zoomAnchor,
  zoomAt,
  zoomLevel,
  zoomTo,
  type Viewport,
} from './viewport'

/** The recording over time: an overview of the whole and a zoomed view of a part. */
export function TimelinePane() {
  const player = usePlayer()
  const { totalMs } = useLayout()
  const { placements } = useEdits()
  const row = useSelectedRow()
  const box = useRef<HTMLDivElement>(null)
  const { width, height } = useSize(box)
  const [view, setView] = useState<Viewport>(() => fitAll(0, 0))
  const selected = useEditorStore((s) => s.selected)
  // The viewport follows the length of the recording and the width of the pane.
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
        const next = followPlayhead(current.current, ms)
        if (player.snapshot().playing && next !== current.current) change(() => next)
      }),
    [player, change],
  )

  const { shorts } = useShorts()
  const chosen = row ?? [...placements, ...shorts].find((e) => e.uuid === selected)
  const [from, to] = [chosen?.start_ms, chosen?.end_ms]
  useEffect(() => {
    if (from === undefined || to === undefined) return
    // eslint-disable-next-line react-hooks/set-state-in-effect -- other panes change the selection
    change((v) => reveal(v, from, to))
  }, [selected, from, to, change])

  const anchor = useAnchor(chosen)
  useZoomCommands(change, width, anchor)

  return (
    <section
      aria-label={text.title}
      tabIndex={-1}
      data-focus-home
      className="flex min-h-0 min-w-0 flex-1 flex-col bg-surface -outline-offset-2"
    >
      <Toolbar view={shown} change={change} anchor={anchor} />
      <div ref={box} className="relative mx-3 mb-2 min-h-0 flex-1">
        {totalMs === 0 ? (
          <Placeholder />
        ) : (
          <>
            <TimelineOverview view={shown} width={width} change={change} />
            <TimelineDetail view={shown} change={change} height={height - OVERVIEW - 4} />
          </>
        )}
      </div>
    </section>
  )
}

// Placeholder fills the timeline until a clip is ready.
function Placeholder() {
  const { clips } = useProject()
  const processing = clips.some((c) => c.status === 'processing')
  return (
    <div
      className={`flex h-full items-center justify-center rounded-md text-sm text-faint ${processing ? 'skeleton' : 'border border-dashed border-line'}`}
    >
      {processing ? text.drawing : text.empty}
    </div>
  )
}

/** The place that a zoom keeps, in pixels. */
type Anchor = (view: Viewport) => number

// useAnchor returns where a zoom happens: at the selected footage, the selected cut or asset, or the playhead.
function useAnchor(chosen: { start_ms: number; end_ms: number } | undefined): Anchor {
  const player = usePlayer()
  return useCallback(
    (view) => {
      const { selection } = useEditorStore.getState()
      const selected = selection ?? (chosen && { startMs: chosen.start_ms, endMs: chosen.end_ms })
      const position = player?.position() ?? 0
      return zoomAnchor(view, [...(selected ? [selected] : []), { startMs: position, endMs: position }])
    },
    [player, chosen],
  )
}

function useZoomCommands(change: (update: (v: Viewport) => Viewport) => void, width: number, anchor: Anchor): void {
  const { totalMs } = useLayout()
  useEffect(
    () =>
      onZoomRequest((zoom) => {
        if (zoom === 'fit') return change(() => fitAll(totalMs, width))
        change((v) => zoomAt(v, zoom, anchor(v)))
      }),
    [change, anchor, totalMs, width],
  )
}

interface ToolbarProps {
  view: Viewport
  change: (update: (v: Viewport) => Viewport) => void
  anchor: Anchor
}

function Toolbar({ view, change, anchor }: ToolbarProps) {
  const { totalMs } = useLayout()
  const level = zoomLevel(view)
  return (
    <div className="flex h-10 shrink-0 items-center gap-2 px-3 text-xs">
      <CommandButton name="split" />
      <CommandButton name="chapter" />
      <Selection />
      <div className="ml-auto flex shrink-0 items-center">
        <div className="flex w-28 items-center px-1 max-md:hidden">
          <Slider
            compact
            label={text.zoom}
            meaning={text.zoomLevel(level)}
            value={wholePercent(level, 1)}
            disabled={totalMs === 0}
            onChange={(percent) => change((v) => zoomTo(v, percent / 100, anchor(v)))}
          />
        </div>
        <CommandButton name="zoomAll" disabled={level <= 0} />
      </div>
    </div>
  )
}

// Selection shows the selected footage with its actions, or how to select footage.
function Selection() {
  const { totalMs } = useLayout()
  const { edits } = useEdits()
  const selection = useEditorStore((s) => s.selection)
  const hint = useHint('timeline')
  const [cut, mute, restore] = [useCommand('delete'), useCommand('mute'), useCommand('restore')]
  const short = useCommand('short')
  if (!selection) return <span className="truncate text-faint">{totalMs > 0 && hint ? text.hint : ''}</span>
  const { startMs, endMs } = selection
  const hasCuts = edits.some((e) => e.active && e.start_ms < endMs && e.end_ms > startMs)
  return (
    <>
      <span className="truncate text-muted">{text.selection(timecode(startMs), timecode(endMs), endMs - startMs)}</span>
      <Button size="sm" variant="primary" onClick={cut.run}>
        <Scissors size={14} aria-hidden /> {text.cut}
      </Button>
      <Button size="sm" onClick={mute.run}>
        <VolumeX size={14} aria-hidden /> {text.mute}
      </Button>
      {hasCuts && (
        <Button size="sm" onClick={restore.run}>
          <Undo2 size={14} aria-hidden /> {text.restore}
        </Button>
      )}
      <Tip text={short.label} keys={short.keys}>
        <Button size="sm" onClick={short.run}>
          <short.icon size={14} aria-hidden /> {shortsText.make}
        </Button>
      </Tip>
    </>
  )
}
