import { expect, it } from 'vitest'
import type { ReplacedPlace } from '../../api/replace'
import { chosenIndices, placeRows } from './replacePlaces'

const place = (index: number, where: ReplacedPlace['in'], start: number, end: number): ReplacedPlace => ({
  index,
  text_before: 'cuber netties',
  text_after: 'Kubernetes',
  context_before: 'our',
  context_after: 'runs',
  start_ms: start,
  end_ms: end,
  in: where,
})

it('a place in the transcript and its caption are one row', () => {
  const rows = placeRows([
    place(0, 'transcript', 500, 900),
    place(1, 'transcript', 1500, 1900),
    place(2, 'transcript', 9000, 9400),
    place(3, 'captions', 0, 2000),
    place(4, 'captions', 0, 2000),
    place(5, 'captions', 4000, 5000),
  ])

  expect(rows.map((r) => [r.startMs, r.where, r.indices])).toEqual([
    [500, 'both', [0, 3]],
    [1500, 'both', [1, 4]],
    [4000, 'captions', [5]],
    [9000, 'transcript', [2]],
  ])

  expect(chosenIndices(rows, new Set([1]))).toEqual([0, 3, 5, 2])
})
