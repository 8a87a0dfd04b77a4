import { describe, expect, it } from 'vitest'
import {
  endMs,
  fitAll,
  followPlayhead,
  markStep,
  resize,
  reveal,
  scrollBy,
  drawnViewport,
  toMs,
  toX,
  zoomAnchor,
  zoomAt,
  zoomLevel,
  zoomTo,
} from './viewport'

const all = fitAll(100_000, 1000)

describe('a viewport', () => {
  it('shows the whole recording at first', () => {
    expect([all.startMs, endMs(all), zoomLevel(all)]).toEqual([0, 100_000, 0])
    expect(toX(all, 50_000)).toBe(500)
  })

  it('zooms around the pointer', () => {
    const near = zoomAt(all, 4, 600)
    expect(near.msPerPx).toBe(25)
    expect(toMs(near, 600)).toBeCloseTo(60_000)
  })

  it('zooms to a level and back', () => {
    expect(zoomLevel(zoomTo(all, 0.4, 500))).toBeCloseTo(0.4)
    expect(zoomTo(zoomTo(all, 0.8, 500), 0, 500)).toEqual(all)
  })

  it('zooms at the selection in view, else at the playhead, else in the middle', () => {
    const near = zoomAt(all, 4, 600) // shows 45 to 70 s
    const [inView, across, outside] = [
      { startMs: 50_000, endMs: 52_000 },
      { startMs: 65_000, endMs: 90_000 },
      { startMs: 10_000, endMs: 12_000 },
    ] as const

    const playhead = { startMs: 47_500, endMs: 47_500 }
    expect(zoomAnchor(near, [inView, playhead])).toBeCloseTo(240)
    expect(zoomAnchor(near, [across, playhead])).toBeCloseTo(900)
    expect(zoomAnchor(near, [outside, playhead])).toBeCloseTo(100)
    expect(zoomAnchor(near, [outside])).toBe(500)
  })

  it('stays within the recording and the zoom limits', () => {
    const near = zoomAt(all, 4, 0)
    expect(scrollBy(near, -50).startMs).toBe(0)
    expect(endMs(scrollBy(near, 1e6))).toBeCloseTo(100_000)
    expect(zoomAt(all, 0.1, 5)).toEqual(all)
    expect(zoomAt(all, 1e9, 5).msPerPx).toBe(0.5)
    expect(zoomLevel(zoomAt(all, 1e9, 5))).toBe(1)
  })

  it('pages only when the playhead leaves it', () => {
    const near = zoomAt(all, 10, 0)
    expect(followPlayhead(near, 9_000)).toBe(near)
    expect(followPlayhead(near, 10_500).startMs).toBe(9_500)
  })

  it('still shows the whole recording when the recording grows', () => {
    expect(resize(all, 200_000, 800)).toEqual(fitAll(200_000, 800))
    const near = zoomAt(all, 10, 500)
    expect(resize(near, 100_000, 900).startMs).toBe(near.startMs)
  })

  it('reveals a whole span', () => {
    const near = zoomAt(all, 50, 0)
    const shown = reveal(near, 40_000, 46_000)
    expect(shown.startMs).toBeLessThan(40_000)
    expect(endMs(shown)).toBeGreaterThan(46_000)
    expect(reveal(shown, 41_000, 45_000)).toBe(shown)
  })

  it('draws a strip that lasts until the view leaves it', () => {
    const near = zoomAt(all, 10, 500)
    expect(drawnViewport(near, near)).toBe(near)
    const scrolled = scrollBy(near, 10)
    const wide = drawnViewport(near, scrolled)
    expect(wide.startMs).toBeLessThan(scrolled.startMs)
    expect(endMs(wide)).toBeGreaterThan(endMs(scrolled))
    expect(drawnViewport(wide, scrollBy(scrolled, 400))).toBe(wide)
    const left = scrollBy(scrolled, 600)
    expect(drawnViewport(wide, left)).not.toBe(wide)
    expect(endMs(drawnViewport(wide, left))).toBeGreaterThan(endMs(left))
  })

  it('redraws a strip at twice the zoom, or when the view grows out of it', () => {
    const near = zoomAt(all, 10, 500)
    expect(drawnViewport(near, zoomAt(near, 1.9, 500))).toBe(near)
    expect(drawnViewport(near, zoomAt(near, 2.1, 500)).msPerPx).toBeCloseTo(near.msPerPx / 2.1)
    expect(drawnViewport(near, zoomAt(near, 0.9, 500)).msPerPx).toBeCloseTo(near.msPerPx / 0.9)
  })

  it('redraws a strip when the recording grows', () => {
    const near = zoomAt(all, 10, 500)
    const grown = { ...near, totalMs: 200_000 }
    expect(drawnViewport(near, grown)).toBe(grown)
  })

  it('chooses round marks', () => {
    expect(markStep(all, 80)).toBe(10_000)
    expect(markStep(zoomAt(all, 50, 0), 80)).toBe(200)
  })
})
