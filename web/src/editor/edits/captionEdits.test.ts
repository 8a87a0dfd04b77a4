import { describe, expect, it } from 'vitest'
import { charactersBefore, dragLine, lineAt, newSpan, offsetAt } from './captionEdits'

const lines = [
  { start_ms: 1000, end_ms: 2000 },
  { start_ms: 2500, end_ms: 4000 },
  { start_ms: 9000, end_ms: 9500 },
]

describe('caption lines', () => {
  it('finds the line at a time, or the last one before it', () => {
    expect([0, 999, 1000, 2200, 2500, 99_999].map((ms) => lineAt(lines, ms))).toEqual([-1, -1, 0, 0, 1, 2])
  })

  it('gives a new line the room until the next one', () => {
    expect(newSpan(lines, 0, 10_000)).toEqual({ start_ms: 0, end_ms: 1000 })
    expect(newSpan(lines, 2000.4, 10_000)).toEqual({ start_ms: 2000, end_ms: 2500 })
    expect(newSpan(lines, 4000, 10_000)).toEqual({ start_ms: 4000, end_ms: 6000 })
    expect(newSpan(lines, 9500, 10_000)).toEqual({ start_ms: 9500, end_ms: 10_000 })
    expect(newSpan(lines, 3000, 10_000)).toBeNull()
    expect(newSpan(lines, 9950, 10_000)).toBeNull()
  })

  it('keeps a dragged line clear of its neighbors', () => {
    expect(dragLine(lines, 1, 'start', 1500, 10_000)).toEqual({ start_ms: 2000, end_ms: 4000 })
    expect(dragLine(lines, 1, 'start', 3990, 10_000)).toEqual({ start_ms: 3900, end_ms: 4000 })
    expect(dragLine(lines, 1, 'end', 20_000, 10_000)).toEqual({ start_ms: 2500, end_ms: 9000 })
    expect(dragLine(lines, 2, 'end', 20_000, 10_000)).toEqual({ start_ms: 9000, end_ms: 10_000 })
    expect(dragLine(lines, 1, 'body', 0, 10_000)).toEqual({ start_ms: 2000, end_ms: 3500 })
    expect(dragLine(lines, 1, 'body', 8000.6, 10_000)).toEqual({ start_ms: 7500, end_ms: 9000 })
  })

  it('leaves an overlap of imported lines unless it is dragged away', () => {
    const overlapping = [
      { start_ms: 0, end_ms: 3000 },
      { start_ms: 2000, end_ms: 4000 },
    ]

    expect(dragLine(overlapping, 1, 'end', 4500, 10_000)).toEqual({ start_ms: 2000, end_ms: 4500 })
    expect(dragLine(overlapping, 1, 'start', 2500, 10_000)).toEqual({ start_ms: 2500, end_ms: 4000 })
  })

  it('counts characters and not UTF-16 units', () => {
    expect(charactersBefore('a👍b', 3)).toBe(2)
  })

  it('splits at the word of a time', () => {
    const line = { text: 'hello brave new world', start_ms: 0, end_ms: 4000 }
    const words = ['hello', 'brave', 'new', 'world'].map((text, i) => ({
      text,
      start_ms: i * 1000,
      end_ms: i * 1000 + 900,
    }))

    expect(line.text.slice(offsetAt(line, words, 1500))).toBe('new world')
    const other = { ...line, text: 'something else here' }
    expect(other.text.slice(offsetAt(other, words, 1500)).trim()).toBe('here')
  })
})
