import { expect, it } from 'vitest'
import type { CutLike } from '../edits/cuts'
import { rangeOf, rangeTotals, stillFits, WHOLE } from './exportRange'

const times = (from: string, to: string) => rangeOf({ kind: 'times', from, to, short: null }, null, 100_000)

it.each([
  ['1:20', '', { start_ms: 80_000, end_ms: 100_000 }],
  ['', '7.5', { start_ms: 0, end_ms: 7500 }],
  ['0:10', '1:00.50', { start_ms: 10_000, end_ms: 60_500 }],
  [' 12 ', '1:40', { start_ms: 12_000, end_ms: 100_000 }],
])('from %j to %j is a range', (from, to, range) => expect(times(from, to)).toEqual({ range, problems: {} }))

it.each([
  ['soon', '1:20', { from: 'unreadable' }],
  ['0:10', '1:', { to: 'unreadable' }],
  ['1:40', '', { from: 'pastEnd' }],
  ['0:10', '1:41', { to: 'pastEnd' }],
  ['0:30', '0:30', { to: 'reversed' }],
])('from %j to %j is no range', (from, to, problems) => expect(times(from, to)).toEqual({ range: null, problems }))

it('the selection is a range in whole milliseconds within the project', () => {
  const choice = { ...WHOLE, kind: 'selection' } as const
  const range = (startMs: number, endMs: number) => rangeOf(choice, { startMs, endMs }, 100_000).range
  expect(range(-0.2, 1200.6)).toEqual({ start_ms: 0, end_ms: 1201 })
  expect(range(99_000, 100_000.4)).toEqual({ start_ms: 99_000, end_ms: 100_000 })
})

it('a short is a range, and a deleted one is the whole project', () => {
  const choice = { ...WHOLE, kind: 'short', short: 'a' } as const
  const short = { start_ms: 1000, end_ms: 5000 }
  expect(rangeOf(choice, null, 100_000, short).range).toEqual(short)
  expect(rangeOf(choice, null, 100_000, null).range).toBeNull()
})

it('the whole project is no range', () => expect(rangeOf(WHOLE, { startMs: 1, endMs: 2 }, 9).range).toBeNull())

it('the totals of a range count only the cuts in it', () => {
  const cut = (start_ms: number, end_ms: number): CutLike => ({
    uuid: '',
    type: 'silence',
    start_ms,
    end_ms,
    active: true,
  })

  const edits = [cut(1000, 2000), cut(4000, 6000), cut(8000, 9000)]
  expect(rangeTotals({ num: 25, den: 1 }, [5000, 5000], edits, { start_ms: 3000, end_ms: 7000 })).toEqual({
    originalMs: 4000,
    resultMs: 2000,
    savedMs: 2000,
  })
})

it.each([
  [4000, true],
  [4042, true],
  [4200, false],
  [3800, false],
  [null, false],
])('footage of 4 s fits a file of %j ms: %j', (fileMs, fits) =>
  expect(stillFits({ originalMs: 5000, resultMs: 4000, savedMs: 1000 }, fileMs)).toBe(fits),
)
