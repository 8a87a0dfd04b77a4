import { expect, it } from 'vitest'
import { removedParts } from './removedParts'

const wordAt = (start_ms: number, end_ms: number) => ({ text: 'word', start_ms, end_ms })

it('a caption line is removed with all of its words, in part with some of them', () => {
  const words = [wordAt(0, 400), wordAt(400, 900), wordAt(1000, 1500), wordAt(1500, 2000)]
  const lines = [wordAt(0, 900), wordAt(1000, 2000), wordAt(3000, 4000)]
  expect(removedParts(lines, words, [])).toEqual(['none', 'none', 'none'])
  expect(removedParts(lines, words, [{ startMs: 0, endMs: 1500 }])).toEqual(['all', 'some', 'none'])
  expect(removedParts(lines, words, [{ startMs: 3000, endMs: 3900 }])).toEqual(['none', 'none', 'all'])
})
