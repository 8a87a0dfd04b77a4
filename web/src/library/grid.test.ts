import { expect, test } from 'vitest'
import { between, columnsIn, step, toggled } from './grid'

test('arrow keys move by one item or row and stop at the edges', () => {
  expect(step('ArrowRight', 3, 4, 3, 10)).toBe(4)
  expect(step('ArrowLeft', 0, 4, 3, 10)).toBe(0)
  expect(step('ArrowDown', 1, 4, 3, 10)).toBe(5)
  expect(step('ArrowUp', 1, 4, 3, 10)).toBe(1)
  expect(step('ArrowRight', 9, 4, 3, 10)).toBe(9)
  expect(step('x', 0, 4, 3, 10)).toBeNull()
  expect(step('ArrowDown', 0, 4, 3, 0)).toBeNull()
})

test('down from above a gap in the last row moves to the last item', () => {
  expect(step('ArrowDown', 7, 4, 3, 10)).toBe(9)
  expect(step('ArrowDown', 9, 4, 3, 10)).toBe(9)
})

test('Home, End and the page keys move to the edges and by pages', () => {
  expect(step('Home', 6, 4, 2, 10)).toBe(0)
  expect(step('End', 0, 4, 2, 10)).toBe(9)
  expect(step('PageDown', 0, 4, 2, 20)).toBe(8)
  expect(step('PageDown', 18, 4, 2, 20)).toBe(19)
  expect(step('PageUp', 6, 4, 2, 20)).toBe(2)
  expect(step('PageUp', 9, 4, 2, 20)).toBe(1)
})

test('toggled adds and removes an item; between lists a range in ascending order', () => {
  expect([...toggled(new Set(['a']), 'b')]).toEqual(['a', 'b'])
  expect([...toggled(new Set(['a', 'b']), 'a')]).toEqual(['b'])
  expect(between(5, 3)).toEqual([3, 4, 5])
})

test('columns share the width', () => {
  expect(columnsIn(1000, 180, 16)).toEqual({ columns: 5, width: 187.2 })
  expect(columnsIn(100, 180, 16)).toEqual({ columns: 1, width: 100 })
})
