import { expect, it } from 'vitest'
import { rulerMark, timecode } from './timecode'

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
