import { expect, it } from 'vitest'
import { movedTo } from './order'

it('an item moves to an index of the list', () => {
  const list = ['a', 'b', 'c', 'd']
  expect(movedTo(list, ['a'], 2)).toEqual(['b', 'c', 'a', 'd'])
  expect(movedTo(list, ['d'], 0)).toEqual(['d', 'a', 'b', 'c'])
  expect(movedTo(list, ['b'], -1)).toEqual(['b', 'a', 'c', 'd'])
  expect(movedTo(list, ['b'], 9)).toEqual(['a', 'c', 'd', 'b'])
})

it('items move together and keep their order', () => {
  const list = ['a', 'b', 'c', 'd', 'e']
  expect(movedTo(list, ['c', 'b'], 0)).toEqual(['b', 'c', 'a', 'd', 'e'])
  expect(movedTo(list, ['a', 'c'], 3)).toEqual(['b', 'd', 'a', 'c', 'e'])
  expect(movedTo(list, ['d', 'e'], 5)).toEqual(list)
  expect(movedTo(list, ['gone'], 0)).toEqual(list)
})
