import { memo, useCallback, useEffect, useMemo, useRef, useState, type KeyboardEvent, type PointerEvent } from 'react'
import { useStore } from 'zustand'
import type { CaptionLine } from '../../api/captions'
import type { Word } from '../../api/projects'
import { captionsText as text } from '../../text/editor/captions'
import { dragLine, type LineSpan } from '../edits/captionEdits'
import { removedParts, type RemovedPart } from '../edits/removedParts'
import { goToCaption, openCaption } from '../commands/captionActions'
import { runCommand } from '../commands/commands'
import { activeSpans } from '../edits/cuts'
import { useCaptionLines, useEditorAccess, useEdits, useLayout } from '../state/contexts'
import { useEditorStore } from '../state/store'
import { BlockEdge } from './BlockEdge'
import { timecode } from '../plan/timecode'
import { useSpanDrag, type DragPart } from './useSpanDrag'
import { endMs, drawnViewport, toX, type Viewport } from './viewport'

/** Height of the lane in pixels. */
const HEIGHT = 22
/** Narrower blocks cannot be read; lanes of such blocks show them as one bar. */
const MIN_BLOCK_PX = 40
/** The width from which a block has text. */
const MIN_TEXT_PX = 32
/** The width of an end of a block for fingers. */
const TOUCH_EDGE_PX = 12

/** The height of the lane of captions in pixels: 0 without captions. */
export function useCaptionsHeight(): number {
  return useCaptionLines().lines.length > 0 ? HEIGHT : 0
}

const NO_WORDS: readonly Word[] = []

interface LaneProps {
  view: Viewport
  top: number
  setGuide: (ms: number | null) => void
}

/**
 * The captions over time. Dragging a block moves it, dragging an end trims it; a double click opens its text. The blocks
 * stand in a strip; scrolling moves only the strip, and zooming changes its width.
 */
export function CaptionLane({ view, top, setGuide }: LaneProps) {
  const { lines } = useCaptionLines()
  const words = useStore(useEditorAccess().store, (model) => model?.words) ?? NO_WORDS
  const { edits } = useEdits()
  const removed = useMemo(() => removedParts(lines, words, activeSpans(edits)), [lines, words, edits])
  const live = useRef(view)
  useEffect(() => {
    live.current = view
  })

  const msPerPx = useCallback(() => live.current.msPerPx, [])
  const [drawn, setDrawn] = useState(view)
  const now = drawnViewport(drawn, view)
  if (now !== drawn) setDrawn(now)
  const shown = useMemo(() => {
    const last = endMs(now)
    return lines.flatMap((line, index) =>
      line.end_ms > now.startMs && line.start_ms < last ? [{ line, index, removed: removed[index]! }] : [],
    )
  }, [lines, removed, now])

  const width = shown.reduce((sum, { line }) => sum + line.end_ms - line.start_ms, 0) / now.msPerPx
  const tight = width < shown.length * MIN_BLOCK_PX
  return (
    <div
      role="group"
      aria-label={text.lane}
      data-caption-lane
      className="absolute inset-x-0 overflow-clip"
      style={{ top, height: HEIGHT }}
    >
      <div
        className="absolute inset-y-0 left-0 will-change-transform"
        style={{
          width: toX(view, endMs(now)) - toX(view, now.startMs),
          transform: `translateX(${toX(view, now.startMs)}px)`,
        }}
      >
        {tight ? (
          <svg
            aria-hidden
            className="size-full fill-line"
            viewBox={`0 0 ${now.widthPx} ${HEIGHT}`}
            preserveAspectRatio="none"
          >
            <path d={lineBars(shown, now).map(barPath).join('')} />
          </svg>
        ) : (
          shown.map(({ line, index, removed }) => (
            <Block
              key={line.uuid}
              line={line}
              index={index}
              removed={removed}
              view={now}
              msPerPx={msPerPx}
              setGuide={setGuide}
            />
          ))
        )}
      </div>
    </div>
  )
}

// lineBars are the spans that lines cover, in pixels. Lines less than two pixels apart share one.
function lineBars(shown: readonly { line: CaptionLine }[], view: Viewport): [number, number][] {
  const out: [number, number][] = []
  for (const { line } of shown) {
    const [x1, x2] = [toX(view, line.start_ms), toX(view, line.end_ms)]
    const last = out.at(-1)
    if (last && x1 - last[1] < 2) last[1] = Math.max(last[1], x2)
    else out.push([x1, x2])
  }

  return out
}

// barPath is the path of a bar in the middle of the lane.
const barPath = ([x1, x2]: [number, number]) => `M${x1.toFixed(1)} 6H${x2.toFixed(1)}V${HEIGHT - 6}H${x1.toFixed(1)}Z`

// partAt is the part of a block that a finger touches. Its ends appear too late for that.
function partAt({ pointerType, clientX, currentTarget }: PointerEvent<HTMLElement>): DragPart {
  if (pointerType !== 'touch') return 'body'
  const { left, right } = currentTarget.getBoundingClientRect()
  if (clientX - left < TOUCH_EDGE_PX) return 'start'
  return right - clientX < TOUCH_EDGE_PX ? 'end' : 'body'
}

interface BlockProps {
  line: CaptionLine
  index: number
  removed: RemovedPart
  /** What the strip shows. A block has its place and its width in shares of that. */
  view: Viewport
  msPerPx: () => number
  setGuide: (ms: number | null) => void
}

const Block = memo(function Block({ line, index, removed, view, msPerPx, setGuide }: BlockProps) {
  const { store } = useEditorAccess()
  const selected = useEditorStore((s) => s.caption === line.uuid)
  const { lines, change } = useCaptionLines()
  const go = () => {
    const model = store.getState()
    if (model) goToCaption(line.start_ms, model)
  }

  const { totalMs } = useLayout()
  const { shown, grab, ...handlers } = useSpanDrag<LineSpan>({
    msPerPx,
    setGuide,
    span: line,
    place: (part, ms) => dragLine(lines, index, part, ms, totalMs),
    onRelease: (part, now) => {
      useEditorStore.getState().set({ caption: line.uuid })
      if (now) change(line, now)
      else if (part === 'body') go()
    },
  })

  const { start_ms, end_ms } = shown ?? line
  const [x1, x2] = [toX(view, start_ms), toX(view, end_ms)]
  const percent = (px: number) => `${(100 * px) / view.widthPx}%`
  const open = () => {
    const model = store.getState()
    if (model) openCaption(line, model)
  }

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const model = store.getState()
    if (!model) return
    if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey) open()
    else if (event.key === 'Delete' || event.key === 'Backspace') runCommand('captionDelete', model)
    else return
    event.preventDefault()
  }

  const [hovered, setHovered] = useState(false)
  const edge = selected ? 'bg-accent' : ''
  const edges = selected || hovered
  return (
    <div
      role="button"
      tabIndex={selected ? 0 : -1}
      aria-pressed={selected}
      aria-label={text.block(line.text, timecode(start_ms), timecode(end_ms))}
      data-caption={line.uuid}
      data-removed={removed}
      onFocus={() => useEditorStore.getState().set({ caption: line.uuid })}
      onKeyDown={onKeyDown}
      onDoubleClick={open}
      onPointerEnter={() => setHovered(true)}
      onPointerLeave={() => setHovered(false)}
      onPointerDown={(event) => grab(event, partAt(event))}
      {...handlers}
      className={`absolute inset-y-0.5 min-w-[3px] touch-none truncate rounded-sm border bg-raised text-xs/4 select-none ${selected ? 'z-1 border-accent text-ink' : 'border-line text-muted'} ${removed === 'all' ? 'border-dashed' : ''}`}
      style={{ left: percent(x1), width: `calc(${percent(x2 - x1)} - 1px)` }}
    >
      {edges && (
        <BlockEdge side="left" className={edge} onPointerDown={(event) => grab(event, 'start')} {...handlers} />
      )}
      {x2 - x1 > MIN_TEXT_PX && (
        <span dir="auto" className={`pointer-events-none pl-1.5 ${removed === 'all' ? 'removed-text' : ''}`}>
          {line.text}
        </span>
      )}
      {edges && <BlockEdge side="right" className={edge} onPointerDown={(event) => grab(event, 'end')} {...handlers} />}
    </div>
  )
})
