import { useMemo, type KeyboardEvent } from 'react'
import { useStore } from 'zustand'
import type { CaptionLine } from '../../api/captions'
import type { Word } from '../../api/projects'
import { captionsText as text } from '../../text/editor/captions'
import { dragLine, type LineSpan } from '../captions/captionEdits'
import { removedParts, type RemovedPart } from '../captions/removedParts'
import { goToCaption, openCaption } from '../commands/captionActions'
import { runCommand } from '../commands/commands'
import { activeSpans } from '../edits/cuts'
import { useCaptionLines, useEditorAccess, useEdits, useLayout } from '../state/contexts'
import { useEditorStore } from '../state/store'
import { BlockEdge } from './BlockEdge'
import { timecode } from './timecode'
import { useSpanDrag } from './useSpanDrag'
import { endMs, toX, type Viewport } from './viewport'

/** Height of the lane in pixels. */
const HEIGHT = 22
/** Narrower blocks cannot be dragged; lanes of such blocks show them as one bar. */
const MIN_BLOCK_PX = 10

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

/** The captions over time. Dragging a block moves it, dragging an end trims it; a double click opens its text. */
export function CaptionLane({ view, top, setGuide }: LaneProps) {
  const { lines } = useCaptionLines()
  const words = useStore(useEditorAccess().store, (model) => model?.words) ?? NO_WORDS
  const { edits } = useEdits()
  const removed = useMemo(() => removedParts(lines, words, activeSpans(edits)), [lines, words, edits])
  const shown = useMemo(() => {
    const last = endMs(view)
    return lines.flatMap((line, index) =>
      line.end_ms > view.startMs && line.start_ms < last ? [{ line, index, removed: removed[index]! }] : [],
    )
  }, [lines, removed, view])
  const width = shown.reduce((sum, { line }) => sum + line.end_ms - line.start_ms, 0) / view.msPerPx
  const tight = width < shown.length * MIN_BLOCK_PX
  return (
    <div
      role="group"
      aria-label={text.lane}
      data-caption-lane
      className="absolute inset-x-0 overflow-hidden"
      style={{ top, height: HEIGHT }}
    >
      {tight
        ? bars(shown, view).map(([x1, x2]) => (
            <span
              key={x1}
              aria-hidden
              className="absolute top-1.5 bottom-1.5 rounded-sm bg-line"
              style={{ left: x1, width: x2 - x1 }}
            />
          ))
        : shown.map(({ line, index, removed }) => (
            <Block key={line.uuid} line={line} index={index} removed={removed} view={view} setGuide={setGuide} />
          ))}
    </div>
  )
}

// bars are the spans that lines cover, in pixels. Lines less than two pixels apart share one.
function bars(shown: readonly { line: CaptionLine }[], view: Viewport): [number, number][] {
  const out: [number, number][] = []
  for (const { line } of shown) {
    const [x1, x2] = [toX(view, line.start_ms), toX(view, line.end_ms)]
    const last = out.at(-1)
    if (last && x1 - last[1] < 2) last[1] = Math.max(last[1], x2)
    else out.push([x1, x2])
  }
  return out
}

interface BlockProps {
  line: CaptionLine
  index: number
  removed: RemovedPart
  view: Viewport
  setGuide: (ms: number | null) => void
}

function Block({ line, index, removed, view, setGuide }: BlockProps) {
  const { store } = useEditorAccess()
  const selected = useEditorStore((s) => s.caption === line.uuid)
  const { lines, change } = useCaptionLines()
  const go = () => {
    const model = store.getState()
    if (model) goToCaption(line.start_ms, model)
  }
  const { totalMs } = useLayout()
  const { shown, grab, ...handlers } = useSpanDrag<LineSpan>({
    view,
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
  const edge = selected ? 'bg-accent' : ''
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
      onPointerDown={(event) => grab(event, 'body')}
      {...handlers}
      className={`absolute inset-y-0.5 flex touch-none items-center overflow-hidden rounded-sm border bg-raised text-xs select-none ${selected ? 'z-1 border-accent text-ink' : 'border-line text-muted'} ${removed === 'all' ? 'border-dashed' : ''}`}
      style={{ left: x1, width: Math.max(x2 - x1 - 1, 3) }}
    >
      <BlockEdge side="left" className={edge} onPointerDown={(event) => grab(event, 'start')} {...handlers} />
      {x2 - x1 > 24 && (
        <span dir="auto" className={`pointer-events-none truncate px-1.5 ${removed === 'all' ? 'removed-text' : ''}`}>
          {line.text}
        </span>
      )}
      <BlockEdge side="right" className={edge} onPointerDown={(event) => grab(event, 'end')} {...handlers} />
    </div>
  )
}
