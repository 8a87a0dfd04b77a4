import { expect, it } from 'vitest'
import { parseTimecode, rulerMark, timecode } from './timecode'

it.each([
  [0, '0:00.00'],
  [7509, '0:07.50'],
  [59_999, '0:59.99'],
  [60_000, '1:00.00'],
  [725_030, '12:05.03'],
  [3_723_400, '1:02:03.40'],
  [-4, '0:00.00'],
])('the timecode of %i ms is %s', (ms, text) => expect(timecode(ms)).toBe(text))

it('ruler marks show hundredths only for steps below a second', () => {
  expect(rulerMark(61_000, 1000)).toBe('1:01')
  expect(rulerMark(61_500, 500)).toBe('1:01.50')
})

it.each([
  ['7.5', 7500],
  ['0:07.50', 7500],
  ['1:02:03,4', 3_723_400],
  [' 90 ', 90_000],
  ['', null],
  ['soon', null],
  ['1:2:3:4', null],
  ['-1', null],
])('%j is read as %s ms', (typed, ms) => expect(parseTimecode(typed)).toBe(ms))
