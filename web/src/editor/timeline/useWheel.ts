import { useEffect, type RefObject } from 'react'
import { scrollBy, zoomAt, type Viewport } from './viewport'

/** Scrolls with the wheel and zooms with Ctrl and the wheel, which a pinch on a touchpad sends too. */
export function useWheel(
  canvas: RefObject<HTMLElement | null>,
  change: (update: (v: Viewport) => Viewport) => void,
): void {
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
