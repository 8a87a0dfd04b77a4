import { expect, it } from 'vitest'
import { dragShort, shortName } from './shorts'

const at = { start_ms: 4000, end_ms: 10_000 }

it.each([
  ['start', 5000.4, { start_ms: 5000, end_ms: 10_000 }],
  ['start', -50, { start_ms: 0, end_ms: 10_000 }],
  ['start', 12_000, { start_ms: 9500, end_ms: 10_000 }],
  ['end', 8000, { start_ms: 4000, end_ms: 8000 }],
  ['end', 99_000, { start_ms: 4000, end_ms: 20_000 }],
  ['end', 100, { start_ms: 4000, end_ms: 4500 }],
  ['body', 6000, { start_ms: 6000, end_ms: 12_000 }],
  ['body', -10, { start_ms: 0, end_ms: 6000 }],
  ['body', 19_000, { start_ms: 14_000, end_ms: 20_000 }],
] as const)('a short with its %s at %d ms', (part, ms, span) => expect(dragShort(at, part, ms, 20_000)).toEqual(span))

it.each([
  [{ start_ms: 100, end_ms: 400 }, 'start', 350, { start_ms: 100, end_ms: 400 }],
  [{ start_ms: 100, end_ms: 400 }, 'start', -50, { start_ms: 0, end_ms: 400 }],
  [{ start_ms: 19_700, end_ms: 20_000 }, 'end', 19_800, { start_ms: 19_700, end_ms: 20_000 }],
  [{ start_ms: 19_700, end_ms: 19_900 }, 'end', 30_000, { start_ms: 19_700, end_ms: 20_000 }],
  [{ start_ms: 6000, end_ms: 6200 }, 'end', 0, { start_ms: 6000, end_ms: 6200 }],
  [{ start_ms: 0, end_ms: 25_000 }, 'body', 100, { start_ms: 0, end_ms: 20_000 }],
] as const)('the short %o with its %s at %d ms stays in the project', (span, part, ms, to) =>
  expect(dragShort(span, part, ms, 20_000)).toEqual(to),
)

const words = ['Um', 'the', 'window', 'is', 'open.', 'It', 'rains.'].map((text, i) => ({
  text,
  start_ms: 1000 * i,
  end_ms: 1000 * i + 800,
}))

it('a short is named by how its text begins', () => {
  expect(shortName(words, [], { startMs: 950, endMs: 3900 })).toBe('The window is')
  expect(shortName(words, [], { startMs: 950, endMs: 7000 })).toBe('The window is open')
  expect(shortName(words, [{ startMs: 0, endMs: 900 }], { startMs: 0, endMs: 2900 })).toBe('The window')
  expect(shortName([], [], { startMs: 0, endMs: 2900 })).toBe('')
})
