import { describe, expect, it } from 'vitest'
import { nearestPoint, snapPoints, snapSpan } from './snap'

const points = snapPoints([{ text: 'a', start_ms: 500, end_ms: 900 }], [{ start_ms: 100, end_ms: 300 }], [0, 5000])

describe('snap points', () => {
  it('are the boundaries of words, cuts and clips', () => {
    expect([...points]).toEqual([0, 100, 300, 500, 900, 5000])
  })

  it('attract times within reach only', () => {
    expect(nearestPoint(points, 310, 20)).toBe(300)
    expect(nearestPoint(points, 290, 20)).toBe(300)
    expect(nearestPoint(points, 400, 20)).toBeNull()
    expect(nearestPoint(points, 9000, 20)).toBeNull()
    expect(nearestPoint(snapPoints([], [], []), 5, 20)).toBeNull()
  })

  it('attract the nearer end of a span', () => {
    expect(snapSpan(points, 480, 905, 30)).toEqual({ shiftMs: -5, at: 900 })
    expect(snapSpan(points, 510, 2000, 30)).toEqual({ shiftMs: -10, at: 500 })
    expect(snapSpan(points, 2000, 3000, 30)).toEqual({ shiftMs: 0, at: null })
  })
})
