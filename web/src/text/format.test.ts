import { afterEach, describe, expect, it, test, vi } from 'vitest'
import { browserLocale, formatsFor, languageName, wholePercent } from './format'

const en = formatsFor('en-US')
const de = formatsFor('de-DE')

it.each([
  [840, '0.84 s'],
  [12_540, '12.5 s'],
  [59_960, '1 min'],
  [84_000, '1 min 24 s'],
  [200_000, '3 min 20 s'],
  [3_599_900, '1 h'],
  [3_900_000, '1 h 5 min'],
])('duration: %i ms is %s', (ms, text) => expect(en.duration(ms)).toBe(text))

it.each([
  [200, '1 s'],
  [21_400, '21 s'],
  [59_600, '1 min'],
  [200_000, '3 min 20 s'],
])('rough duration: %i ms is %s', (ms, text) => expect(en.roughDuration(ms)).toBe(text))

it.each([
  [0, '0 B'],
  [512, '512 B'],
  [1023, '1.0 KB'],
  [3_565_158, '3.4 MB'],
  [524_288_000, '500 MB'],
  [2 ** 31, '2.0 GB'],
])('bytes: %i is %s', (size, text) => expect(en.bytes(size)).toBe(text))

test('plural selects the form and inserts the number', () => {
  const cuts = { one: '# cut', other: '# cuts' }
  expect([0, 1, 2, 1234].map((n) => en.plural(n, cuts))).toEqual(['0 cuts', '1 cut', '2 cuts', '1,234 cuts'])
  expect(en.plural(1, { other: 'no form for one' })).toBe('no form for one')
})

test('digits follow the locale, plural forms follow the language of the texts', () => {
  expect(de.plural(1234, { one: '# cut', other: '# cuts' })).toBe('1.234 cuts')
  expect(formatsFor('ja').plural(1, { one: '# cut', other: '# cuts' })).toBe('1 cut')
  expect(de.number(1234.56, 1)).toBe('1.234,6')
  expect(de.bytes(3_565_158)).toBe('3,4 MB')
  expect(de.duration(12_540)).toBe('12.5 s')
})

test('list joins items as a sentence does', () => {
  expect([['a'], ['a', 'b'], ['a', 'b', 'c']].map(en.list)).toEqual(['a', 'a and b', 'a, b, and c'])
})

test('percent and share divide a part by its whole', () => {
  expect([en.percent(33), en.percent(1, 3), en.percent(0, 0)]).toEqual(['33%', '33%', '0%'])
  expect([wholePercent(1, 3), wholePercent(0, 0)]).toEqual([33, 0])
})

test('money has the decimals of its currency', () => {
  expect(en.money(1900, 'usd')).toBe('$19.00')
  expect(en.money(-450, 'eur')).toBe('-€4.50')
  expect(en.money(500, 'jpy')).toBe('¥500')
})

describe('dates', () => {
  const now = Date.parse('2026-03-01T12:00:00.000+00:00')

  test('relative times turn into dates after 30 days', () => {
    expect(en.relativeTime('2026-03-01T11:59:50.000+00:00', now)).toBe('this minute')
    expect(en.relativeTime('2026-03-01T12:00:50.000+00:00', now)).toBe('this minute')
    expect(en.relativeTime('2026-03-01T11:15:00.000+00:00', now)).toBe('45 minutes ago')
    expect(en.relativeTime('2026-02-28T12:00:00.000+00:00', now)).toBe('yesterday')
    expect(en.relativeTime(new Date(2025, 11, 24, 12).toISOString(), now)).toBe('Dec 24, 2025')
  })

  test('dates and times of day follow the locale', () => {
    const noon = new Date(2026, 1, 7, 14, 5).toISOString()
    expect(en.date(noon)).toBe('Feb 7, 2026')
    expect(de.date(noon)).toBe('07.02.2026')
    expect(en.time(noon).replace(/\s/g, ' ')).toBe('2:05 PM')
    expect(en.dateTime(noon).replace(/\s/g, ' ')).toBe('Feb 7, 2026, 2:05 PM')
  })
})

describe("the browser's locale", () => {
  afterEach(() => vi.unstubAllGlobals())
  it.each([
    ['de-DE', 'de-DE'],
    ['pt-br', 'pt-BR'],
    ['C', 'en-US'],
    ['POSIX.UTF-8', 'en-US'],
    ['', 'en-US'],
    [undefined, 'en-US'],
  ])('of the tag %s is %s', (language, locale) => {
    vi.stubGlobal('navigator', { language })
    expect(browserLocale()).toBe(locale)
    expect(formatsFor(browserLocale()).number(1)).toBe('1')
  })
})

it.each([
  ['de', 'German'],
  ['deu', 'German'],
  ['ger', 'German'],
  ['fre', 'French'],
  ['eng', 'English'],
  ['qaa', 'qaa'],
  ['x', 'x'],
])('names the language %s %s', (code, name) => {
  expect(languageName(code)).toBe(name)
})
