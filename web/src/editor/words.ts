// The transcript as paragraphs of words, and how cuts touch it.

import { merge, type Span } from './timeline'

export interface TimedWord {
  text: string
  start_ms: number
  end_ms: number
}

/** Words [from, to) of the transcript that are shown as one paragraph. */
export interface Paragraph {
  from: number
  to: number
  startMs: number
}

/** A pause that begins a new paragraph, milliseconds. */
const PARAGRAPH_PAUSE_MS = 1500
const SENTENCE_PAUSE_MS = 500
const MAX_WORDS = 90

/** Breaks a transcript at long pauses, at shorter ones after a sentence, and where it would get too long to read. */
export function paragraphs(words: readonly TimedWord[]): Paragraph[] {
  const out: Paragraph[] = []
  let from = 0
  for (let i = 1; i <= words.length; i++) {
    if (i < words.length && !breaksAfter(words[i - 1]!, words[i]!, i - from)) continue
    out.push({ from, to: i, startMs: words[from]!.start_ms })
    from = i
  }
  return out
}

function breaksAfter(word: TimedWord, next: TimedWord, length: number): boolean {
  const pause = next.start_ms - word.end_ms
  const sentence = /[.!?…]["'”’)]?$/.test(word.text.trim())
  return pause >= PARAGRAPH_PAUSE_MS || (sentence && (pause >= SENTENCE_PAUSE_MS || length >= MAX_WORDS / 2)) || length >= MAX_WORDS
}

/** For each word, whether cuts take away more than half of it. */
export function cutWords(words: readonly TimedWord[], cuts: readonly Span[]): boolean[] {
  const gone = merge(cuts)
  let first = 0
  return words.map((w) => {
    while (first < gone.length && gone[first]!.endMs <= w.start_ms) first++
    let lost = 0
    for (let i = first; i < gone.length && gone[i]!.startMs < w.end_ms; i++) {
      lost += Math.min(gone[i]!.endMs, w.end_ms) - Math.max(gone[i]!.startMs, w.start_ms)
    }
    return lost * 2 > w.end_ms - w.start_ms
  })
}

/** Index of the word that is spoken at ms, or of the last one before it; -1 before the first. */
export function wordAt(words: readonly TimedWord[], ms: number): number {
  let lo = 0
  let hi = words.length
  while (lo < hi) {
    const mid = (lo + hi) >> 1
    if (words[mid]!.start_ms <= ms) lo = mid + 1
    else hi = mid
  }
  return lo - 1
}

/** The text said within a span, for a label; shortened in the middle. */
export function saidWithin(words: readonly TimedWord[], span: Span, maxWords = 8): string {
  const said: string[] = []
  for (let i = Math.max(wordAt(words, span.startMs), 0); i < words.length && words[i]!.start_ms < span.endMs; i++) {
    const w = words[i]!
    if ((w.start_ms + w.end_ms) / 2 >= span.startMs && (w.start_ms + w.end_ms) / 2 < span.endMs) said.push(w.text.trim())
  }
  if (said.length <= maxWords) return said.join(' ')
  return [...said.slice(0, maxWords - 2), '…', ...said.slice(-2)].join(' ')
}
