import { expect, it } from 'vitest'
import { cutDefaultsText } from './cutDefaults'

it('says which learned limits a project uses', () => {
  const kinds = [
    { name: 'Silences', from: 0.6 },
    { name: 'False starts', from: 0.4 },
  ]
  expect(cutDefaultsText.inProject(kinds)).toBe(
    'Learned from your exports: silences are on from 60% and false starts are on from 40% confidence.',
  )
})

it('says what decisions lead to', () => {
  const { follows } = cutDefaultsText
  expect(follows(30, 0.7, 0.5, true)).toBe('Cuts below 70% confidence start switched off. The default is 50%.')
  expect(follows(30, 0.4, 0.5, true)).toBe('Cuts are on from 40% confidence. The default is 50%.')
  expect(follows(30, 0.5, 0.5, true)).toBe('Your decisions match the default, 50%.')
  expect(follows(19, 0.5, 0.5, true)).toBe('The default, 50%, applies. One more decision is needed.')
  expect(follows(0, 0.5, 0.5, true)).toBe('The default, 50%, applies. 20 more decisions are needed.')
  expect(follows(30, 0.5, 0.5, false)).toBe('Cuts are on from 50% confidence, the default.')
})
