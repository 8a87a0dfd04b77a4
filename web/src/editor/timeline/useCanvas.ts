import { useEffect, useRef, useState, type RefObject } from 'react'
import { useTheme } from '../../ui/theme'
import { makePatterns, readPalette, type Palette, type Patterns } from './draw'

/** The size of an element, in CSS pixels; 0 before the first layout. */
export function useSize(element: RefObject<HTMLElement | null>): { width: number; height: number } {
  const [size, setSize] = useState({ width: 0, height: 0 })
  useEffect(() => {
    const observer = new ResizeObserver(
      ([entry]) =>
        entry && setSize({ width: Math.round(entry.contentRect.width), height: Math.round(entry.contentRect.height) }),
    )

    if (element.current) observer.observe(element.current)
    return () => observer.disconnect()
  }, [element])

  return size
}

export interface TimelineTheme {
  palette: Palette
  patterns: Patterns
}

/** Colors and patterns of the current theme; null until they are read. They are read again when a font has loaded. */
export function useTimelineTheme(): TimelineTheme | null {
  const theme = useTheme()
  const [colors, setColors] = useState<TimelineTheme | null>(null)
  useEffect(() => {
    const read = () => {
      const palette = readPalette()
      setColors({ palette, patterns: makePatterns(palette, window.devicePixelRatio || 1) })
    }

    // The colors of a new theme apply from the next frame on.
    const frame = requestAnimationFrame(read)
    // Text on a canvas keeps the font that was there when it was drawn.
    document.fonts.addEventListener('loadingdone', read)
    return () => {
      cancelAnimationFrame(frame)
      document.fonts.removeEventListener('loadingdone', read)
    }
  }, [theme])

  return colors
}

/** Draws on a canvas at the resolution of the screen, at most once a frame, and only when draw or the size changes. */
export function useDrawing(
  canvas: RefObject<HTMLCanvasElement | null>,
  width: number,
  height: number,
  draw: ((ctx: CanvasRenderingContext2D) => void) | null,
): void {
  const latest = useRef(draw)
  useEffect(() => {
    latest.current = draw
    const frame = requestAnimationFrame(() => {
      const element = canvas.current
      const ctx = element?.getContext('2d')
      if (!element || !ctx || !latest.current || width === 0) return
      const scale = window.devicePixelRatio || 1
      const [w, h] = [Math.round(width * scale), Math.round(height * scale)]
      if (element.width !== w || element.height !== h) [element.width, element.height] = [w, h]
      ctx.setTransform(scale, 0, 0, scale, 0, 0)
      ctx.clearRect(0, 0, width, height)
      latest.current(ctx)
    })

    return () => cancelAnimationFrame(frame)
  }, [canvas, width, height, draw])
}
