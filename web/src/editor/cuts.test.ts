import { expect, it } from 'vitest'
import { editAt, inOrder, neighbour, savedBy, totals, type CutLike } from './cuts'

const edit = (uuid: string, start_ms: number, end_ms: number, active = true, type: CutLike['type'] = 'silence'): CutLike => ({ uuid, type, start_ms, end_ms, active })
const edits = inOrder([edit('c', 5000, 6000), edit('a', 1000, 2000), edit('b', 1500, 2500, true, 'manual'), edit('d', 8000, 9000, false)])

it('lists in the order of the timeline', () => expect(edits.map((e) => e.uuid)).toEqual(['a', 'b', 'c', 'd']))

it('totals count overlapping cuts once and only active ones', () => {
  expect(totals({ num: 30, den: 1 }, [10_000], edits)).toEqual({ originalMs: 10_000, resultMs: 7500, savedMs: 2500 })
  expect(savedBy(edits, 'silence')).toBe(2000)
})

it('totals without cuts are the recording, to the millisecond', () => {
  expect(totals({ num: 30, den: 1 }, [10_007], [])).toEqual({ originalMs: 10_007, resultMs: 10_007, savedMs: 0 })
})

it('goes to neighbours', () => {
  expect(neighbour(edits, 'b', 0, 1)?.uuid).toBe('c')
  expect(neighbour(edits, 'a', 0, -1)?.uuid).toBe('a')
  expect(neighbour(edits, null, 4000, 1)?.uuid).toBe('c')
  expect(neighbour(edits, null, 4000, -1)?.uuid).toBe('b')
  expect(neighbour(edits, 'gone', 99_999, 1)?.uuid).toBe('d')
  expect(neighbour([], null, 0, 1)).toBeUndefined()
})

it('finds the shortest edit under a place', () => {
  expect(editAt([edit('long', 0, 9000), ...edits], 5500)?.uuid).toBe('c')
  expect(editAt(edits, 3000)).toBeUndefined()
})
