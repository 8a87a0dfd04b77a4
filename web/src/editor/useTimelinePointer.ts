import { useRef, type PointerEvent } from 'react'
import { editAt } from './cuts'
import { useModel } from './model'
import { useEditorStore } from './store'
import { toMs, toX, type Viewport } from './viewport'

/** What the pointer is dragging over the timeline. */
export type Drag =
  | { kind: 'scrub' }
  | { kind: 'mark'; fromX: number; fromMs: number; moved: boolean }
  | { kind: 'edge'; uuid: string; edge: 'start' | 'end'; startMs: number; endMs: number }

/** How far the pointer must move before a click is a drag, and how near an end of a cut is its grip; pixels. */
const SLOP = 4
const GRIP = 6
/** A cut that is dragged never gets shorter than this. */
const MIN_CUT_MS = 20

/** A click seeks and selects, a drag marks a stretch, a grip moves an end of the selected cut. Above waveTop it scrubs. */
export function useTimelinePointer(view: Viewport, waveTop: number, setDrag: (drag: Drag | null) => void) {
  const { player, edits, book, totalMs } = useModel()
  const drag = useRef<Drag | null>(null)
  const { select, mark } = useEditorStore.getState()

  const place = (event: PointerEvent<HTMLCanvasElement>) => {
    const box = event.currentTarget.getBoundingClientRect()
    const x = event.clientX - box.left
    return { x, y: event.clientY - box.top, ms: Math.min(Math.max(Math.round(toMs(view, x)), 0), totalMs) }
  }
  const gripAt = (x: number): Drag | null => {
    const chosen = edits.find((e) => e.uuid === useEditorStore.getState().selected)
    if (!chosen) return null
    const both = { kind: 'edge', uuid: chosen.uuid, startMs: chosen.start_ms, endMs: chosen.end_ms } as const
    if (Math.abs(x - toX(view, chosen.end_ms)) <= GRIP) return { ...both, edge: 'end' }
    if (Math.abs(x - toX(view, chosen.start_ms)) <= GRIP) return { ...both, edge: 'start' }
    return null
  }
  const hold = (next: Drag | null) => {
    drag.current = next
    setDrag(next)
  }

  const onPointerDown = (event: PointerEvent<HTMLCanvasElement>) => {
    if (event.button !== 0) return
    event.currentTarget.setPointerCapture(event.pointerId)
    const { x, y, ms } = place(event)
    if (y < waveTop) {
      player?.seek(ms)
      return hold({ kind: 'scrub' })
    }
    hold(gripAt(x) ?? { kind: 'mark', fromX: x, fromMs: ms, moved: false })
  }
  const onPointerMove = (event: PointerEvent<HTMLCanvasElement>) => {
    const { x, y, ms } = place(event)
    const now = drag.current
    event.currentTarget.style.cursor = now?.kind === 'edge' || (!now && y >= waveTop && gripAt(x)) ? 'ew-resize' : 'default'
    if (!now) return
    if (now.kind === 'scrub') player?.seek(ms)
    else if (now.kind === 'edge') {
      const next = now.edge === 'start' ? { ...now, startMs: Math.min(ms, now.endMs - MIN_CUT_MS) } : { ...now, endMs: Math.max(ms, now.startMs + MIN_CUT_MS) }
      hold(next)
      player?.seek(now.edge === 'start' ? next.startMs : next.endMs)
    } else if (now.moved || Math.abs(x - now.fromX) > SLOP) {
      drag.current = { ...now, moved: true }
      select(null)
      mark({ startMs: Math.min(now.fromMs, ms), endMs: Math.max(now.fromMs, ms) })
    }
  }
  const onPointerUp = (event: PointerEvent<HTMLCanvasElement>) => {
    const now = drag.current
    hold(null)
    if (!now) return
    const { ms } = place(event)
    if (now.kind === 'edge') {
      const edit = edits.find((e) => e.uuid === now.uuid)
      if (edit && (edit.start_ms !== now.startMs || edit.end_ms !== now.endMs)) book.move(now.uuid, now.startMs, now.endMs)
    } else if (now.kind === 'mark' && !now.moved) {
      select(editAt(edits, ms)?.uuid ?? null)
      player?.seek(ms)
    }
  }
  return { onPointerDown, onPointerMove, onPointerUp, onPointerCancel: () => hold(null) }
}
