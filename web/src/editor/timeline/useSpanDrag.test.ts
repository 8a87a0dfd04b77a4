import { expect, test } from 'vitest'
import { snapDraggedSpan } from './useSpanDrag'

const span = { start_ms: 1000, end_ms: 3000 }
const points = Float64Array.of(500, 1480, 3520)

test('a dragged body snaps with the end that is nearer to a point', () => {
  expect(snapDraggedSpan(span, 'body', 470, points, 50)).toEqual({ ms: 1480, point: 1480 })
  expect(snapDraggedSpan(span, 'body', 530, points, 15)).toEqual({ ms: 1520, point: 3520 })
})

test('a dragged end snaps on its own, and follows the pointer if nothing is in reach', () => {
  expect(snapDraggedSpan(span, 'start', -480, points, 50)).toEqual({ ms: 500, point: 500 })
  expect(snapDraggedSpan(span, 'end', 500, points, 50)).toEqual({ ms: 3520, point: 3520 })
  expect(snapDraggedSpan(span, 'end', 500, points, -1)).toEqual({ ms: 3500, point: null })
})
