import { expect, it } from 'vitest'
import { segmentAt } from './segments'

const layout = [
  { startMs: 0, endMs: 10_000 },
  { startMs: 10_000, endMs: 30_000 },
]

const cuts = [{ startMs: 6000, endMs: 7000 }]

it('a split divides the footage up to the next cut, clip or split', () => {
  const at = (ms: number) => segmentAt(ms, [2000, 4000], layout, cuts)
  expect(at(1000)).toEqual({ startMs: 0, endMs: 2000 })
  expect(at(2000)).toEqual({ startMs: 2000, endMs: 4000 })
  expect(at(5000)).toEqual({ startMs: 4000, endMs: 6000 })
  expect(at(6500)).toBeNull()
  expect(at(8000)).toBeNull()
  expect(at(20_000)).toBeNull()
  expect(segmentAt(1000, [], layout, cuts)).toBeNull()
})
