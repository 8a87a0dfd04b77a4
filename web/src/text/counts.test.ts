import { expect, test } from 'vitest'
import { transcriptText } from './editor/transcript'

test('one match is named as one', () => {
  const { matches, cutHits, restoreHits } = transcriptText
  expect([matches(1), cutHits(1), restoreHits(1)]).toEqual(['1 match', 'Cut 1 match', 'Restore 1 match'])
  expect([matches(2), cutHits(2), restoreHits(2)]).toEqual(['2 matches', 'Cut all 2 matches', 'Restore all 2 matches'])
})
