import { expect, it } from 'vitest'
import { removedParts } from './removedParts'

const at = (start_ms: number, end_ms: number) => ({ text: 'word', start_ms, end_ms })

it('a caption line is removed with all of its words, in part with some of them', () => {
  const words = [at(0, 400), at(400, 900), at(1000, 1500), at(1500, 2000)]
  const lines = [at(0, 900), at(1000, 2000), at(3000, 4000)]
  expect(removedParts(lines, words, [])).toEqual(['none', 'none', 'none'])
  expect(removedParts(lines, words, [{ startMs: 0, endMs: 1500 }])).toEqual(['all', 'some', 'none'])
  expect(removedParts(lines, words, [{ startMs: 3000, endMs: 3900 }])).toEqual(['none', 'none', 'all'])
})
