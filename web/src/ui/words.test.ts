import { expect, it } from 'vitest'
import { splitWords } from './words'

it('a pasted list becomes words', () => {
  expect(splitWords(' Ada  Lovelace, C++;\nKöln\n\nada lovelace,')).toEqual(['Ada Lovelace', 'C++', 'Köln'])
  expect(splitWords(' , ')).toEqual([])
})
