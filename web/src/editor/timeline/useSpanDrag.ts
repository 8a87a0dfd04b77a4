import { useRef, useState, type PointerEvent } from 'react'
import { useEditorAccess, usePlayer } from '../state/contexts'
import { nearestPoint, snapSpan } from '../edits/snap'
import { SNAP_PX } from './useTimelinePointer'

/** The part of a block that is dragged: the whole block, or one of its ends. */
export type DragPart = 'body' | 'start' | 'end'

/** Distance in pixels that turns a click into a drag. */
const SLOP = 4

interface Span {
  start_ms: number
  end_ms: number
}

interface SpanDrag<S extends Span> {
  /** The milliseconds that a pixel shows now. */
  msPerPx: () => number
  setGuide: (ms: number | null) => void
  /** The span before the drag. */
  span: S
  /** The span with a part of it at ms; the body is at its start. */
  place: (part: DragPart, ms: number) => S
  /** Receives the span after a drag, and null after a click. */
  onRelease: (part: DragPart, now: S | null) => void
}

/**
 * Moves or trims a block of a lane while it is dragged. The drag snaps unless Alt is held, and the player shows the
 * dragged end. shown is the span during the drag, otherwise null.
 */
export function useSpanDrag<S extends Span>({ msPerPx, setGuide, span, place, onRelease }: SpanDrag<S>) {
  const player = usePlayer()
  const { snapPoints } = useEditorAccess()
  const grabbed = useRef<{ part: DragPart; x: number; now: S | null } | null>(null)
  const [shown, setShown] = useState<S | null>(null)
  const end = () => {
    const last = grabbed.current
    grabbed.current = null
    setShown(null)
    setGuide(null)
    return last
  }

  const grab = (event: PointerEvent<HTMLElement>, part: DragPart) => {
    if (event.button !== 0) return
    event.stopPropagation()
    event.currentTarget.setPointerCapture(event.pointerId)
    grabbed.current = { part, x: event.clientX, now: null }
  }

  const onPointerMove = (event: PointerEvent<HTMLElement>) => {
    const held = grabbed.current
    if (!held || (!held.now && Math.abs(event.clientX - held.x) < SLOP)) return
    const by = (event.clientX - held.x) * msPerPx()
    const reach = event.altKey ? -1 : SNAP_PX * msPerPx()
    const { ms, point } = snapDraggedSpan(span, held.part, by, snapPoints(), reach)
    const now = place(held.part, ms)
    grabbed.current = { ...held, now }
    setShown(now)
    setGuide(point)
    player?.seek(held.part === 'end' ? now.end_ms : now.start_ms)
  }

  const onPointerUp = () => {
    const last = end()
    if (last) onRelease(last.part, last.now)
  }

  return { shown, grab, onPointerMove, onPointerUp, onPointerCancel: () => void end() }
}

/** Where a part of a span is after a drag by a number of milliseconds, and the snap point. */
export function snapDraggedSpan(span: Span, part: DragPart, by: number, points: Float64Array, reach: number) {
  if (part === 'body') {
    const { shiftMs, at } = snapSpan(points, span.start_ms + by, span.end_ms + by, reach)
    return { ms: span.start_ms + by + shiftMs, point: at }
  }

  const wanted = (part === 'start' ? span.start_ms : span.end_ms) + by
  const point = nearestPoint(points, wanted, reach)
  return { ms: point ?? wanted, point }
}
