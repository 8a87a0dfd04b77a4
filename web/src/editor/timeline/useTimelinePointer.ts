import { useRef, type PointerEvent } from 'react'
import type { Edit } from '../../api/edits'
import { commandsText } from '../../text/editor/commands'
import { activeSpans, editAt, MIN_CUT_MS } from '../edits/cuts'
import { takeEditAt } from '../edits/takes'
import { stepFrames } from '../plan/playback'
import {
  useEditorAccess,
  useEdits,
  useHistory,
  useLayout,
  useMarkers,
  usePlayer,
  useTakeGroups,
} from '../state/contexts'
import { hintUsed } from '../state/hints'
import { useEditorStore } from '../state/store'
import { useSelectedRow } from '../state/useSelectedRow'
import { mergeSpans } from '../plan/renderPlan'
import { segmentAt } from '../plan/segments'
import { nearestPoint, snapSpan } from '../edits/snap'
import { scrollBy, toMs, toX, type Viewport } from './viewport'

/** What the pointer drags on the timeline. */
export type Drag = { kind: 'scrub' } | { kind: 'pan'; x: number } | MarkDrag | EdgeDrag | BodyDrag

/** Selects footage. */
interface MarkDrag {
  kind: 'mark'
  fromX: number
  fromMs: number
  moved: boolean
}

/** Trims a cut. */
interface EdgeDrag {
  kind: 'edge'
  uuid: string
  fromX: number
  /** Whether the drag has begun; a selected cut's drag begins at once. */
  moved: boolean
  edge: 'start' | 'end'
  startMs: number
  endMs: number
}

/** Moves a cut. */
interface BodyDrag {
  kind: 'body'
  uuid: string
  fromX: number
  fromMs: number
  moved: boolean
  startMs: number
  endMs: number
  lengthMs: number
  /** Start of the cut before the drag. */
  firstMs: number
}

/** Distance in pixels that turns a click into a drag. */
const SLOP = 4
/** Reach in pixels of the grips at the ends of a selected cut, for a mouse and for a finger. */
const GRIP = 6
const FINGER_GRIP = 16
/** Reach in pixels of the edges of other cuts for a mouse, and the width of the narrowest cut with such edges. */
const EDGE_GRIP = 4
const MIN_GRIPPED = 16
/** Distance in pixels within which drags snap. */
export const SNAP_PX = 8
/** Milliseconds per pixel below which drags that do not snap move by whole frames. */
const FRAME_ZOOM = 4

/** Tops of the lanes of the canvas, in pixels. */
export interface PointerLanes {
  film: number
  wave: number
  /** Bottom of the strip along the top of the waveform that moves any cut. */
  handle: number
  /** Top of the lane of take groups. */
  takes: number
}

export interface TimelinePointer {
  view: Viewport
  change: (update: (v: Viewport) => Viewport) => void
  lanes: PointerLanes
  setDrag: (drag: Drag | null) => void
  /** Shows the project time where a drag has snapped; null shows nothing. */
  setGuide: (ms: number | null) => void
}

/**
 * Pointer handlers of the timeline. A click seeks and selects a cut, or the segment next to a split. A drag across the
 * waveform selects footage, a drag of an edge trims a cut, and a drag of the selected cut or of a handle moves a cut. Above the film strip a drag
 * scrubs; on the film strip a finger scrolls. Alt turns snapping off.
 */
export function useTimelinePointer({ view, change, lanes, setDrag, setGuide }: TimelinePointer) {
  const player = usePlayer()
  const { edits } = useEdits()
  const takeGroups = useTakeGroups()
  const { markers } = useMarkers()
  const { layout } = useLayout()
  const { history } = useHistory()
  const drag = useRef<Drag | null>(null)
  const hit = useHitTest(view, lanes)
  const snap = useSnapping(view, setGuide)
  const { select, mark } = useEditorStore.getState()

  const hold = (next: Drag | null) => {
    drag.current = next
    setDrag(next)
    if (!next) setGuide(null)
  }

  const begin = (event: PointerEvent<HTMLElement>): Drag => {
    const { x, y, ms } = placeOf(event, view)
    const touch = event.pointerType === 'touch'
    if (event.button === 1 || (touch && y >= lanes.film && y < lanes.wave)) return { kind: 'pan', x }
    if (y < lanes.wave) {
      player?.seek(ms)
      return { kind: 'scrub' }
    }

    return hit.grip(x, y, ms, touch) ?? hit.body(x, y, ms) ?? { kind: 'mark', fromX: x, fromMs: ms, moved: false }
  }

  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    if (event.button > 1) return
    event.preventDefault() // neither select text nor scroll the page
    event.currentTarget.setPointerCapture(event.pointerId)
    hold(begin(event))
  }

  const move = (event: PointerEvent<HTMLElement>, now: Drag) => {
    const { x, ms } = placeOf(event, view)
    if (now.kind === 'scrub') player?.seek(ms)
    else if (now.kind === 'pan') {
      change((v) => scrollBy(v, now.x - x))
      drag.current = { kind: 'pan', x }
    } else if (now.kind !== 'mark' && !now.moved && Math.abs(x - now.fromX) <= SLOP) return
    else if (now.kind === 'edge') {
      if (!now.moved) select(now.uuid)
      const next = dragEdgeTo(now, snap.point(event, ms))
      hold(next)
      player?.seek(now.edge === 'start' ? next.startMs : next.endMs)
    } else if (!now.moved && Math.abs(x - now.fromX) <= SLOP) return
    else if (now.kind === 'body') {
      const startMs = snap.span(event, now.firstMs + ms - now.fromMs, now.lengthMs)
      select(now.uuid)
      hold({ ...now, moved: true, startMs, endMs: startMs + now.lengthMs })
      player?.seek(startMs)
    } else {
      const from = now.moved ? now.fromMs : snap.point(event, now.fromMs)
      const to = snap.point(event, ms)
      drag.current = { ...now, fromMs: from, moved: true }
      select(null)
      mark({ startMs: Math.min(from, to), endMs: Math.max(from, to) })
    }
  }

  const onPointerMove = (event: PointerEvent<HTMLElement>) => {
    const { x, y, ms } = placeOf(event, view)
    const now = drag.current
    event.currentTarget.style.cursor = cursorOf(
      now ?? (y < lanes.wave ? null : (hit.grip(x, y, ms, false) ?? hit.body(x, y, ms))),
    )

    if (now) move(event, now)
  }

  const onPointerUp = (event: PointerEvent<HTMLElement>) => {
    const now = drag.current
    hold(null)
    if (!now) return
    const { y, ms } = placeOf(event, view)
    if ((now.kind === 'edge' || now.kind === 'body') && now.moved) {
      const { moveCut, trimCut } = commandsText.changes
      history.perform(now.kind === 'edge' ? trimCut : moveCut, {
        change: [{ uuid: now.uuid, to: { start_ms: now.startMs, end_ms: now.endMs } }],
      })
    } else if (now.kind === 'edge') {
      select(now.uuid)
      player?.seek(ms)
    } else if (now.kind === 'body' || (now.kind === 'mark' && !now.moved)) {
      const uuid = (y >= lanes.takes && takeEditAt(takeGroups, ms)) || (editAt(edits, ms)?.uuid ?? null)
      const splits = markers.filter((m) => m.kind === 'split').map((m) => m.time_ms)
      const segment = segmentAt(ms, splits, layout, mergeSpans(activeSpans(edits)))
      select(uuid)
      if (!uuid && segment) mark(segment)
      player?.seek(ms)
    } else if (now.kind === 'mark') hintUsed('timeline')
  }

  const cancel = () => hold(null)
  return { onPointerDown, onPointerMove, onPointerUp, onPointerCancel: cancel, cancel }
}

// useHitTest finds the grip or cut under the pointer.
function useHitTest(view: Viewport, lanes: PointerLanes) {
  const { edits, isLocked } = useEdits()
  const takeGroups = useTakeGroups()
  const selected = new Set(useSelectedRow()?.cuts.map((e) => e.uuid))
  const gripOf = (edit: Edit, x: number, reach: number, moved: boolean): EdgeDrag | null => {
    if (isLocked(edit)) return null
    const both = { kind: 'edge', uuid: edit.uuid, fromX: x, moved, startMs: edit.start_ms, endMs: edit.end_ms } as const
    if (Math.abs(x - toX(view, edit.end_ms)) <= reach) return { ...both, edge: 'end' }
    if (Math.abs(x - toX(view, edit.start_ms)) <= reach) return { ...both, edge: 'start' }
    return null
  }

  // grip is the edge of the selected cut under the pointer, or for a mouse the edge of any other cut that is wide enough. A take
  // group goes before other cuts in its lane.
  const grip = (x: number, y: number, ms: number, touch: boolean): EdgeDrag | null => {
    const reach = touch ? FINGER_GRIP : GRIP
    const own = edits.map((e) => (selected.has(e.uuid) ? gripOf(e, x, reach, true) : null)).find(Boolean)
    if (own || touch || (y >= lanes.takes && takeEditAt(takeGroups, ms))) return own ?? null
    for (const edit of edits) {
      if ((edit.end_ms - edit.start_ms) / view.msPerPx < MIN_GRIPPED) continue
      const found = gripOf(edit, x, EDGE_GRIP, false)
      if (found) return found
    }

    return null
  }

  const body = (x: number, y: number, ms: number): BodyDrag | null => {
    const chosen = edits.find((e) => selected.has(e.uuid) && ms >= e.start_ms && ms < e.end_ms)
    const cut = chosen ?? (y < lanes.handle ? editAt(edits, ms) : undefined)
    return cut && !isLocked(cut) ? bodyDrag(cut, x, ms) : null
  }

  return { grip, body }
}

function bodyDrag({ uuid, start_ms: startMs, end_ms: endMs }: Edit, fromX: number, fromMs: number): BodyDrag {
  const lengthMs = endMs - startMs
  return { kind: 'body', uuid, fromX, fromMs, moved: false, startMs, endMs, lengthMs, firstMs: startMs }
}

// useSnapping snaps times and spans, or puts them on frames at deep zoom.
function useSnapping(view: Viewport, setGuide: (ms: number | null) => void) {
  const player = usePlayer()
  const { totalMs, layout, rates } = useLayout()
  const { snapPoints } = useEditorAccess()
  const reach = SNAP_PX * view.msPerPx
  const onFrame = (ms: number) => (view.msPerPx < FRAME_ZOOM ? Math.round(stepFrames(layout, rates, ms, 0)) : ms)
  const point = (event: PointerEvent, ms: number) => {
    const playhead = player?.position() ?? -Infinity
    const at = event.altKey
      ? null
      : Math.abs(playhead - ms) <= reach / 2
        ? Math.round(playhead)
        : nearestPoint(snapPoints(), ms, reach)

    setGuide(at)
    return at ?? onFrame(ms)
  }

  const span = (event: PointerEvent, startMs: number, lengthMs: number) => {
    const { shiftMs, at } = event.altKey
      ? { shiftMs: 0, at: null }
      : snapSpan(snapPoints(), startMs, startMs + lengthMs, reach)

    setGuide(at)
    return Math.min(Math.max(at === null ? onFrame(startMs) : startMs + shiftMs, 0), totalMs - lengthMs)
  }

  return { point, span }
}

function dragEdgeTo(now: EdgeDrag, ms: number): EdgeDrag {
  const drag = { ...now, moved: true }
  return drag.edge === 'start'
    ? { ...drag, startMs: Math.min(ms, drag.endMs - MIN_CUT_MS) }
    : { ...drag, endMs: Math.max(ms, drag.startMs + MIN_CUT_MS) }
}

// placeOf is the position of a pointer in pixels of the canvas and in project time.
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
