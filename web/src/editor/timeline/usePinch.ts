import { useEffect, type RefObject } from 'react'
import { scrollBy, zoomAt, type Viewport } from './viewport'

/** Zooms and scrolls with two fingers. onStart is called for the second finger, to cancel the drag of the first. */
export function usePinch(
  element: RefObject<HTMLElement | null>,
  change: (update: (v: Viewport) => Viewport) => void,
  onStart: () => void,
): void {
  useEffect(() => {
    const target = element.current
    if (!target) return
    const fingers = new Map<number, number>() // x by pointer id
    const span = () => {
      const [a = 0, b = 0] = [...fingers.values()]
      return { middle: (a + b) / 2, width: Math.max(Math.abs(a - b), 20) }
    }

    const down = (event: PointerEvent) => {
      if (event.pointerType !== 'touch') return
      fingers.set(event.pointerId, event.clientX)
      if (fingers.size === 2) onStart()
    }

    const move = (event: PointerEvent) => {
      if (!fingers.has(event.pointerId)) return
      const before = span()
      fingers.set(event.pointerId, event.clientX)
      if (fingers.size !== 2) return
      event.stopImmediatePropagation()
      const after = span()
      const x = after.middle - target.getBoundingClientRect().left
      change((v) => zoomAt(scrollBy(v, before.middle - after.middle), after.width / before.width, x))
    }

    const up = (event: PointerEvent) => void fingers.delete(event.pointerId)
    target.addEventListener('pointerdown', down)
    target.addEventListener('pointermove', move)
    target.addEventListener('pointerup', up)
    target.addEventListener('pointercancel', up)
    return () => {
      target.removeEventListener('pointerdown', down)
      target.removeEventListener('pointermove', move)
      target.removeEventListener('pointerup', up)
      target.removeEventListener('pointercancel', up)
    }
  }, [element, change, onStart])
}
