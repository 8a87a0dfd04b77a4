import { describe, expect, it } from 'vitest'
import { cutWords, paragraphs, saidWithin, wordAt } from './words'

const words = [
  { text: 'Hello', start_ms: 100, end_ms: 400 },
  { text: 'there.', start_ms: 450, end_ms: 900 },
  { text: 'So', start_ms: 1500, end_ms: 1700 },
  { text: 'today', start_ms: 1720, end_ms: 2100 },
  { text: 'we', start_ms: 4000, end_ms: 4100 },
]

describe('paragraphs', () => {
  it('begin after a sentence with a pause and after a long pause', () => {
    expect(paragraphs(words).map((p) => [p.from, p.to, p.startMs])).toEqual([[0, 2, 100], [2, 4, 1500], [4, 5, 4000]])
  })
  it('never grow too long', () => {
    const many = Array.from({ length: 500 }, (_, i) => ({ text: 'a', start_ms: i * 100, end_ms: i * 100 + 90 }))
    const got = paragraphs(many)
    expect(Math.max(...got.map((p) => p.to - p.from))).toBe(90)
    expect(got.at(-1)!.to).toBe(500)
  })
  it('of nothing are none', () => expect(paragraphs([])).toEqual([]))
})

describe('cut words', () => {
  it('have lost more than half', () => {
    expect(cutWords(words, [{ startMs: 260, endMs: 700 }, { startMs: 1600, endMs: 1750 }])).toEqual([false, true, false, false, false])
  })
  it('count overlapping cuts once', () => {
    expect(cutWords(words, [{ startMs: 100, endMs: 220 }, { startMs: 100, endMs: 240 }])[0]).toBe(false)
    expect(cutWords(words, [{ startMs: 1500, endMs: 1720 }, { startMs: 1700, endMs: 5000 }])).toEqual([false, false, true, true, true])
  })
})

describe('finding words', () => {
  it('by time', () => {
    expect([0, 100, 420, 450, 99_999].map((ms) => wordAt(words, ms))).toEqual([-1, 0, 0, 1, 4])
  })
  it('within a span', () => {
    expect(saidWithin(words, { startMs: 440, endMs: 2200 })).toBe('there. So today')
    expect(saidWithin(words, { startMs: 0, endMs: 9000 }, 4)).toBe('Hello there. … today we')
  })
})
