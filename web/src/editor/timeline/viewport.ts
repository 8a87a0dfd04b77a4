// The part of the timeline that a lane shows. A viewport is a value: each function returns a new one, which stays within
// the recording.

import type { Span } from '../plan/renderPlan'

export interface Viewport {
  startMs: number
  msPerPx: number
  widthPx: number
  totalMs: number
}

/** Deepest zoom: a frame is then about 70 pixels wide. */
const MIN_MS_PER_PX = 0.5

export const fitAll = (totalMs: number, widthPx: number): Viewport => ({
  startMs: 0,
  msPerPx: Math.max(totalMs / Math.max(widthPx, 1), MIN_MS_PER_PX),
  widthPx,
  totalMs,
})

export const toX = (v: Viewport, ms: number) => (ms - v.startMs) / v.msPerPx
export const toMs = (v: Viewport, x: number) => v.startMs + x * v.msPerPx
export const endMs = (v: Viewport) => v.startMs + v.widthPx * v.msPerPx

/** The zoom level, from 0 (the whole recording) to 1 (the deepest zoom). */
export function zoomLevel(v: Viewport): number {
  const widest = fitAll(v.totalMs, v.widthPx).msPerPx
  return widest <= MIN_MS_PER_PX ? 0 : Math.log(widest / v.msPerPx) / Math.log(widest / MIN_MS_PER_PX)
}

/** Zooms by a factor, where above 1 zooms in, and keeps the time at x in place. */
export function zoomAt(v: Viewport, factor: number, x: number): Viewport {
  const at = toMs(v, x)
  const widest = fitAll(v.totalMs, v.widthPx).msPerPx
  const msPerPx = Math.min(Math.max(v.msPerPx / factor, MIN_MS_PER_PX), widest)
  return clamp({ ...v, msPerPx, startMs: at - x * msPerPx })
}

/** Zooms to a level between 0 and 1, and keeps the time at x in place. */
export function zoomTo(v: Viewport, level: number, x: number): Viewport {
  const widest = fitAll(v.totalMs, v.widthPx).msPerPx
  return zoomAt(v, v.msPerPx / (widest * (MIN_MS_PER_PX / widest) ** level), x)
}

/** The middle of the visible part of the first span in view, in pixels; the middle of the view without one. */
export function zoomAnchor(v: Viewport, spans: readonly Span[]): number {
  const span = spans.find((s) => s.endMs >= v.startMs && s.startMs <= endMs(v))
  if (!span) return v.widthPx / 2
  return (Math.max(toX(v, span.startMs), 0) + Math.min(toX(v, span.endMs), v.widthPx)) / 2
}

export const scrollBy = (v: Viewport, px: number) => clamp({ ...v, startMs: v.startMs + px * v.msPerPx })
export const scrollTo = (v: Viewport, startMs: number) => clamp({ ...v, startMs })

/**
 * The part of a recording that a lane draws for a viewport: the drawn part, while it covers the viewport at half the scale
 * at least; otherwise the viewport with room on both sides.
 */
export function drawnViewport(drawn: Viewport, v: Viewport): Viewport {
  if (drawn.totalMs !== v.totalMs) return v
  const covered = drawn.startMs <= v.startMs && endMs(drawn) >= endMs(v)
  if (covered && drawn.msPerPx <= 2 * v.msPerPx) return drawn
  return { ...v, startMs: v.startMs - (v.widthPx / 2) * v.msPerPx, widthPx: 2 * v.widthPx }
}

/** Applies a new width or length. A viewport that showed the whole recording still does. */
export function resize(v: Viewport, totalMs: number, widthPx: number): Viewport {
  const showsAll = v.totalMs === 0 || v.msPerPx >= fitAll(v.totalMs, v.widthPx).msPerPx * 0.999
  if (showsAll) return fitAll(totalMs, widthPx)
  return clamp({ ...v, totalMs, widthPx, msPerPx: Math.min(v.msPerPx, fitAll(totalMs, widthPx).msPerPx) })
}

/** Pages forward when ms has left the viewport, as during playback; returns the same viewport otherwise. */
export function followPlayhead(v: Viewport, ms: number): Viewport {
  if (ms >= v.startMs && ms < endMs(v)) return v
  return clamp({ ...v, startMs: ms - v.widthPx * v.msPerPx * 0.1 })
}

/** Brings a span into view with a margin: scrolls if the span fits, and zooms out if it does not. */
export function reveal(v: Viewport, startMs: number, stopMs: number): Viewport {
  const air = v.widthPx * v.msPerPx * 0.08
  if (startMs >= v.startMs + air && stopMs <= endMs(v) - air) return v
  const need = (stopMs - startMs) / 0.7
  const msPerPx = Math.min(Math.max(v.msPerPx, need / v.widthPx), fitAll(v.totalMs, v.widthPx).msPerPx)
  return clamp({ ...v, msPerPx, startMs: (startMs + stopMs - v.widthPx * msPerPx) / 2 })
}

const STEPS_MS = [
  10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000, 600_000, 1_800_000,
  3_600_000,
]

/** The smallest round step between ruler marks that are at least minPx apart. */
export const markStep = (v: Viewport, minPx: number) =>
  STEPS_MS.find((step) => step / v.msPerPx >= minPx) ?? STEPS_MS.at(-1)!

function clamp(v: Viewport): Viewport {
  const last = Math.max(v.totalMs - v.widthPx * v.msPerPx, 0)
  return { ...v, startMs: Math.min(Math.max(v.startMs, 0), last) }
}
