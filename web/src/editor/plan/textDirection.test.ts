import { expect, test } from 'vitest'
import { directionAt, isLeftToRight, placeInRow } from './textDirection'

test('the first strong letter decides the direction of a paragraph', () => {
  for (const [text, want] of [
    ['Hello עולם!', 'ltr'],
    ['שלום World!', 'rtl'],
    ['2026 (שלום)', 'rtl'],
    ['مرحبا', 'rtl'],
    ['123!', 'ltr'],
    ['', 'ltr'],
  ] as const)
    expect(directionAt(text, 0)).toBe(want)
  expect(directionAt('Hello\nשלום', 6)).toBe('rtl')
  expect(directionAt('שלום\nHello', 2)).toBe('rtl')
  expect(directionAt('שלום\nHello', 5)).toBe('ltr')
  expect([isLeftToRight('Hello 今天!'), isLeftToRight('Hello ש')]).toEqual([true, false])
})

test('words have their place in rows of both directions', () => {
  const measure = (text: string) => text.length
  const at = (row: string, word: string, direction: 'ltr' | 'rtl') => {
    const from = row.indexOf(word)
    return placeInRow(row, [from, from + word.length], direction, measure).left
  }

  expect(at('אב גדה', 'אב', 'rtl')).toBe(4)
  expect(at('אב גדה', 'גדה', 'rtl')).toBe(0)
  expect(at('אב one two גד', 'one', 'rtl')).toBe(3)
  expect(at('אב one two גד', 'two', 'rtl')).toBe(7)
  expect(at('אב one two גד', 'גד', 'rtl')).toBe(0)
  expect(at('one אב גדה two', 'אב', 'ltr')).toBe(8)
  expect(at('one אב גדה two', 'two', 'ltr')).toBe(11)
})
