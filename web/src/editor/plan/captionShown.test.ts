import { expect, it } from 'vitest'
import vectors from '../../../../media/testdata/caption_shown.json'
import type { CaptionStyle } from './captionStyle'
import { captionFrame, shownCaptions } from './captionShown'

const timed = (t: { text: string; start_ms: number; end_ms: number }) => ({
  text: t.text,
  startMs: t.start_ms,
  endMs: t.end_ms,
})

const captions = (of: (typeof vectors)[number]['captions']) =>
  of.map((c) => ({ ...timed(c), words: c.words.map(timed) }))

it('styles show captions as the render does', () => {
  for (const { style, captions: given, shown } of vectors)
    expect(shownCaptions(style as CaptionStyle, captions(given))).toEqual(captions(shown))
})

it('a sample shows one of its words', () => {
  const words = ['Your ', 'own ', 'words']
  expect(captionFrame('karaoke', 'Your own words', words, 1)).toEqual({ text: 'Your own words', words, word: 1 })
  expect(captionFrame('one_word', 'Your own words', words, 1)).toEqual({ text: 'OWN', words: ['OWN'], word: 0 })
  expect(captionFrame('one_word', 'by hand', [], -1)).toEqual({ text: 'BY HAND', words: [], word: 0 })
})
