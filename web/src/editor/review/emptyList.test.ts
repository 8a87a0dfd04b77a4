import { expect, test } from 'vitest'
import { reviewText as text } from '../../text/editor/review'
import { noCutsText } from './emptyList'

test('clips without audio get no advice about pauses', () => {
  const [silent, audible] = [{ has_audio: false }, { has_audio: true }]
  expect(noCutsText([silent, silent])).toBe(text.noAudio)
  expect(noCutsText([silent, audible])).toBe(text.noCuts)
  expect(noCutsText([])).toBe(text.noCuts)
})
