import { expect, it } from 'vitest'
import { count, formatAge, formatLength, formatMark, formatRoughly, formatSize, formatTime, percent } from './format'

it.each([
  [0, '0:00.00'],
  [7509, '0:07.50'],
  [59_999, '0:59.99'],
  [60_000, '1:00.00'],
  [725_030, '12:05.03'],
  [3_723_400, '1:02:03.40'],
  [-4, '0:00.00'],
])('place %i is %s', (ms, text) => expect(formatTime(ms)).toBe(text))

it.each([
  [840, '0.84 s'],
  [12_540, '12.5 s'],
  [59_960, '1 min'],
  [200_000, '3 min 20 s'],
  [3_599_900, '1 h'],
  [3_900_000, '1 h 5 min'],
])('length %i is %s', (ms, text) => expect(formatLength(ms)).toBe(text))

it.each([
  [200, '1 s'],
  [21_400, '21 s'],
  [59_600, '1 min'],
  [200_000, '3 min 20 s'],
])('a guess of %i is %s', (ms, text) => expect(formatRoughly(ms)).toBe(text))

it('marks show hundredths only where they differ', () => {
  expect(formatMark(61_000, 1000)).toBe('1:01')
  expect(formatMark(61_500, 500)).toBe('1:01.50')
})

it.each([
  [0, '0 B'],
  [512, '512 B'],
  [1023, '1.0 KB'],
  [3_565_158, '3.4 MB'],
  [524_288_000, '500 MB'],
  [2 ** 31, '2.0 GB'],
])('size %i is %s', (bytes, text) => expect(formatSize(bytes)).toBe(text))

it('counts and parts', () => {
  expect(count(1, 'cut')).toBe('1 cut')
  expect(count(1234, 'cut')).toBe('1,234 cuts')
  expect(percent(1, 3)).toBe(33)
  expect(percent(0, 0)).toBe(0)
})

it('ages', () => {
  const now = Date.parse('2026-03-01T12:00:00.000+00:00')
  expect(formatAge('2026-03-01T11:59:50.000+00:00', now)).toBe('just now')
  expect(formatAge('2026-03-01T11:15:00.000+00:00', now)).toBe('45 min ago')
  expect(formatAge('2026-02-28T12:00:00.000+00:00', now)).toBe('yesterday')
  expect(formatAge(new Date(2025, 11, 24, 12).toISOString(), now)).toBe('Dec 24, 2025')
})
