import { useRef, type PointerEvent } from 'react'
import { editAt, MIN_CUT_MS } from '../edits/cuts'
import { useEditorAccess, useEdits, useHistory, useLayout, usePlayer } from '../state/contexts'
import { stepFrames } from '../player/playback'
import { nearestPoint, snapSpan } from './snap'
import { useEditorStore } from '../state/store'
import { scrollBy, toMs, toX, type Viewport } from './viewport'

/** What the pointer is dragging over the timeline. */
export type Drag =
  | { kind: 'scrub' }
  | { kind: 'pan'; x: number }
  | { kind: 'mark'; fromX: number; fromMs: number; moved: boolean }
  | { kind: 'edge'; uuid: string; edge: 'start' | 'end'; startMs: number; endMs: number }
  | {
      kind: 'body'
      uuid: string
      fromX: number
      fromMs: number
      moved: boolean
      startMs: number
      endMs: number
      lengthMs: number
      firstMs: number
    }

/** How far the pointer must move before a click is a drag, and how near an end of a cut is its grip; pixels. */
const SLOP = 4
const GRIP = 6
const FINGER_GRIP = 16
/** Reach of what drags catch on, in pixels. */
export const SNAP_PX = 8
/** Zoomed in further than this, what catches nothing lies on frames; milliseconds a pixel. */
const FRAME_ZOOM = 4

/** Tops of the lanes of the canvas, in pixels. */
export interface Lanes {
  film: number
  wave: number
  /** The strip along the top of the waveform by which any cut can be moved. */
  handle: number
}

export interface TimelinePointer {
  view: Viewport
  change: (update: (v: Viewport) => Viewport) => void
  lanes: Lanes
  setDrag: (drag: Drag | null) => void
  /** Shows where a drag has caught; null for nowhere. */
  setGuide: (ms: number | null) => void
}

/**
 * A click seeks and selects; a drag over the waveform marks a stretch, one of a grip moves an end of the selected cut, one of the
 * selected cut or of a handle moves a cut. Above the film it scrubs; on the film a finger scrolls. Alt keeps drags from catching.
 */
export function useTimelinePointer({ view, change, lanes, setDrag, setGuide }: TimelinePointer) {
  const player = usePlayer()
  const { snapPoints } = useEditorAccess()
  const { edits, isLocked } = useEdits()
  const { history } = useHistory()
  const { totalMs, layout, rates } = useLayout()
  const drag = useRef<Drag | null>(null)
  const { select, mark } = useEditorStore.getState()
  const reach = SNAP_PX * view.msPerPx

  const place = (event: PointerEvent<HTMLElement>) => placeOf(event, view)
  const onFrame = (ms: number) => (view.msPerPx < FRAME_ZOOM ? Math.round(stepFrames(layout, rates, ms, 0)) : ms)
  const caught = (event: PointerEvent, ms: number) => {
    const playhead = player?.position() ?? -Infinity
    const point = event.altKey
      ? null
      : Math.abs(playhead - ms) <= reach / 2
        ? Math.round(playhead)
        : nearestPoint(snapPoints(), ms, reach)
    setGuide(point)
    return point ?? onFrame(ms)
  }
  const gripAt = (x: number, touch: boolean): Drag | null => {
    const chosen = edits.find((e) => e.uuid === useEditorStore.getState().selected)
    if (!chosen || isLocked(chosen)) return null
    const both = { kind: 'edge', uuid: chosen.uuid, startMs: chosen.start_ms, endMs: chosen.end_ms } as const
    const grip = touch ? FINGER_GRIP : GRIP
    if (Math.abs(x - toX(view, chosen.end_ms)) <= grip) return { ...both, edge: 'end' }
    if (Math.abs(x - toX(view, chosen.start_ms)) <= grip) return { ...both, edge: 'start' }
    return null
  }
  const bodyAt = (x: number, y: number, ms: number): Drag | null => {
    const chosen = edits.find((e) => e.uuid === useEditorStore.getState().selected && ms >= e.start_ms && ms < e.end_ms)
    const cut = chosen ?? (y < lanes.handle ? editAt(edits, ms) : undefined)
    if (!cut || isLocked(cut)) return null
    const { start_ms: startMs, end_ms: endMs } = cut
    return {
      kind: 'body',
      uuid: cut.uuid,
      fromX: x,
      fromMs: ms,
      moved: false,
      startMs,
      endMs,
      lengthMs: endMs - startMs,
      firstMs: startMs,
    }
  }
  const hold = (next: Drag | null) => {
    drag.current = next
    setDrag(next)
    if (!next) setGuide(null)
  }
  const begin = (event: PointerEvent<HTMLElement>): Drag => {
    const { x, y, ms } = place(event)
    const touch = event.pointerType === 'touch'
    if (event.button === 1 || (touch && y >= lanes.film && y < lanes.wave)) return { kind: 'pan', x }
    if (y < lanes.wave) {
      player?.seek(ms)
      return { kind: 'scrub' }
    }
    return gripAt(x, touch) ?? bodyAt(x, y, ms) ?? { kind: 'mark', fromX: x, fromMs: ms, moved: false }
  }

  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    if (event.button > 1) return
    event.preventDefault() // no text is marked, no page scrolled
    event.currentTarget.setPointerCapture(event.pointerId)
    hold(begin(event))
  }
  const move = (event: PointerEvent<HTMLElement>, now: Drag) => {
    const { x, ms } = place(event)
    if (now.kind === 'scrub') player?.seek(ms)
    else if (now.kind === 'pan') {
      change((v) => scrollBy(v, now.x - x))
      drag.current = { kind: 'pan', x }
    } else if (now.kind === 'edge') {
      const at = caught(event, ms)
      const next =
        now.edge === 'start'
          ? { ...now, startMs: Math.min(at, now.endMs - MIN_CUT_MS) }
          : { ...now, endMs: Math.max(at, now.startMs + MIN_CUT_MS) }
      hold(next)
      player?.seek(now.edge === 'start' ? next.startMs : next.endMs)
    } else if (!now.moved && Math.abs(x - now.fromX) <= SLOP) return
    else if (now.kind === 'body') {
      const wanted = now.firstMs + ms - now.fromMs
      const { shiftMs, at } = event.altKey
        ? { shiftMs: 0, at: null }
        : snapSpan(snapPoints(), wanted, wanted + now.lengthMs, reach)
      const startMs = Math.min(Math.max(at === null ? onFrame(wanted) : wanted + shiftMs, 0), totalMs - now.lengthMs)
      setGuide(at)
      select(now.uuid)
      hold({ ...now, moved: true, startMs, endMs: startMs + now.lengthMs })
      player?.seek(startMs)
    } else {
      const from = now.moved ? now.fromMs : caught(event, now.fromMs)
      const to = caught(event, ms)
      drag.current = { ...now, fromMs: from, moved: true }
      select(null)
      mark({ startMs: Math.min(from, to), endMs: Math.max(from, to) })
    }
  }
  const onPointerMove = (event: PointerEvent<HTMLElement>) => {
    const { x, y, ms } = place(event)
    const now = drag.current
    event.currentTarget.style.cursor = cursorOf(now ?? (y < lanes.wave ? null : (gripAt(x, false) ?? bodyAt(x, y, ms))))
    if (now) move(event, now)
  }
  const onPointerUp = (event: PointerEvent<HTMLElement>) => {
    const now = drag.current
    hold(null)
    if (!now) return
    const { ms } = place(event)
    if (now.kind === 'edge' || (now.kind === 'body' && now.moved)) {
      history.perform('moving a cut', {
        change: [{ uuid: now.uuid, to: { start_ms: now.startMs, end_ms: now.endMs } }],
      })
    } else if (now.kind === 'body' || (now.kind === 'mark' && !now.moved)) {
      select(editAt(edits, ms)?.uuid ?? null)
      player?.seek(ms)
    }
  }
  const cancel = () => hold(null) // as if it had never been taken
  return { onPointerDown, onPointerMove, onPointerUp, onPointerCancel: cancel, cancel }
}

// placeOf is where a pointer is: in pixels of the canvas, and in time.
function placeOf(event: PointerEvent<HTMLElement>, view: Viewport): { x: number; y: number; ms: number } {
  const box = event.currentTarget.getBoundingClientRect()
  const x = event.clientX - box.left
  return { x, y: event.clientY - box.top, ms: Math.min(Math.max(Math.round(toMs(view, x)), 0), view.totalMs) }
}

function cursorOf(over: Drag | null): string {
  if (over?.kind === 'edge') return 'ew-resize'
  if (over?.kind === 'body') return over.moved ? 'grabbing' : 'grab'
  return 'default'
}
