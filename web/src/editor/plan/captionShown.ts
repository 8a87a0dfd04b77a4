// Captions as a style shows them: in capitals, or word by word. Package media in Go does the same;
// media/testdata/caption_shown.json tests both.

import { designOf, type CaptionStyle } from './captionStyle'
import { captionAt, type Caption } from './captionTiming'

/** A caption with its words, if they are known, and the index of the spoken word. */
export interface CaptionFrame {
  text: string
  words: readonly string[]
  word: number
}

/** A caption in a style while one of its words is spoken. Without words, the style shows the whole text. */
export function captionFrame(style: CaptionStyle, text: string, words: readonly string[], word: number): CaptionFrame {
  const timed = words.map((text, i) => ({ text, startMs: i, endMs: i + 1 }))
  const caption = { text, startMs: 0, endMs: Math.max(words.length, 1), words: timed }
  const found = captionAt(shownCaptions(style, [caption]), Math.max(word, 0))
  return found
    ? { text: found.caption.text, words: found.caption.words.map((w) => w.text), word: found.word }
    : { text: '', words: [], word: 0 }
}

/** The captions as a style shows them. */
export function shownCaptions(style: CaptionStyle, captions: readonly Caption[]): readonly Caption[] {
  const { upper, shows } = designOf(style)
  if (!upper && shows !== 'word') return captions
  // A dotless i in any caption means that i has a dotted capital in all of them, as in Turkish.
  const turkish = captions.some((c) => c.text.includes('ı'))
  return captions.flatMap((c) => {
    const caption = upper ? inCapitals(c, turkish) : c
    return shows === 'word' && caption.words.length > 0 ? wordByWord(caption) : [caption]
  })
}

function inCapitals(caption: Caption, turkish: boolean): Caption {
  const words = caption.words.map((w) => ({ ...w, text: capitals(w.text, turkish) }))
  return { ...caption, text: capitals(caption.text, turkish), words }
}

function wordByWord(caption: Caption): Caption[] {
  let at = caption.startMs
  return caption.words.flatMap((word, i) => {
    const next = caption.words[i + 1]
    const startMs = at
    const endMs = next ? Math.min(Math.max(next.startMs, at), caption.endMs) : caption.endMs
    at = Math.max(at, endMs)
    const text = word.text.trim()
    return endMs > startMs && text ? [{ text, startMs, endMs, words: [{ ...word, text }] }] : []
  })
}

const HAS_CAPITALS = /[\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Armenian}]/gu

// Letters whose capital is several letters stay small.
function capitals(text: string, turkish: boolean): string {
  return text.replace(HAS_CAPITALS, (letter) => {
    if (turkish && letter === 'i') return 'İ'
    const upper = letter.toUpperCase()
    return [...upper].length === 1 ? upper : letter
  })
}
