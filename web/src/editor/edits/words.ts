// The transcript as paragraphs of words, and the effect of cuts on words.

import type { EditType } from '../../api/edits'
import { activeSpans, mutedSpans, type CutLike } from './cuts'
import { lookupKind } from './kinds'
import { mergeSpans, type Span } from '../plan/renderPlan'
import { joinWords } from '../plan/joinWords'

export interface TimedWord {
  text: string
  start_ms: number
  end_ms: number
  /** Who says the word; absent if unknown. */
  speaker?: string
}

/** A paragraph: words [from, to) of the transcript. */
export interface Paragraph {
  from: number
  to: number
  startMs: number
  /** The speaker, in the first paragraph of a turn; null in the others and if unknown. */
  speaker: string | null
}

/** Pauses that start a new paragraph, in general and after a sentence, in milliseconds. */
const PARAGRAPH_PAUSE_MS = 1500
const SENTENCE_PAUSE_MS = 500
const MAX_WORDS = 90

/**
 * Splits a transcript into paragraphs when another speaker talks, at long pauses, at shorter pauses after a sentence, and at a
 * maximum length.
 */
export function paragraphs(words: readonly TimedWord[]): Paragraph[] {
  const out: Paragraph[] = []
  let from = 0
  for (let i = 1; i <= words.length; i++) {
    if (i < words.length && !breaksAfter(words[i - 1]!, words[i]!, i - from)) continue
    const { start_ms, speaker } = words[from]!
    out.push({ from, to: i, startMs: start_ms, speaker: (speaker !== words[from - 1]?.speaker && speaker) || null })
    from = i
  }

  return out
}

function breaksAfter(word: TimedWord, next: TimedWord, length: number): boolean {
  const pause = next.start_ms - word.end_ms
  return (
    next.speaker !== word.speaker ||
    pause >= PARAGRAPH_PAUSE_MS ||
    (endsSentence(word) && (pause >= SENTENCE_PAUSE_MS || length >= MAX_WORDS / 2)) ||
    length >= MAX_WORDS
  )
}

const endsSentence = (word: TimedWord) => /[.!?…。！？]["'”’)]?$/.test(word.text.trim())

/** The first and last word of footage that starts and ends with words; null if no words start and end there. */
export function wordsOfFootage(
  words: readonly TimedWord[],
  { startMs, endMs }: Span,
): { from: number; to: number } | null {
  const from = words.findIndex((w) => w.start_ms === startMs)
  const to = words.findLastIndex((w) => w.end_ms === endMs) + 1
  return from >= 0 && to > from ? { from, to } : null
}

/** The first and last word of the sentence with a word. A sentence ends with its punctuation, or before a long pause. */
export function sentenceAt(words: readonly TimedWord[], word: number): { first: number; last: number } {
  const endsAt = (i: number) =>
    endsSentence(words[i]!) || words[i + 1]!.start_ms - words[i]!.end_ms >= PARAGRAPH_PAUSE_MS

  let [first, last] = [word, word]
  while (first > 0 && !endsAt(first - 1)) first--
  while (last < words.length - 1 && !endsAt(last)) last++
  return { first, last }
}

/**
 * The words from anchor to focus with the rest of their sentences. If they are whole sentences already, the one after (1) or
 * before (-1) them is added.
 */
export function moreSentences(
  words: readonly TimedWord[],
  { anchor, focus }: { anchor: number; focus: number },
  direction: number,
): { first: number; last: number } {
  const [from, to] = [Math.min(anchor, focus), Math.max(anchor, focus)]
  const { first } = sentenceAt(words, from)
  const { last } = sentenceAt(words, to)
  const next = direction > 0 ? last + 1 : first - 1
  if (first !== from || last !== to || !words[next]) return { first, last }
  const more = sentenceAt(words, next)
  return { first: Math.min(first, more.first), last: Math.max(last, more.last) }
}

/** Shortest pause that the transcript shows, in milliseconds. */
const SHOWN_PAUSE_MS = 500

/** A pause between words. */
export interface Pause extends Span {
  /** What stays of the pause, in milliseconds. */
  keptMs: number
  /** Whether more than half of the pause is cut. */
  cut: boolean
}

/** For each word, the pause before it, and at last the pause after the last word; null for a short one. */
export function pausesBefore(
  words: readonly TimedWord[],
  edits: readonly CutLike[],
  totalMs: number,
): (Pause | null)[] {
  if (words.length === 0) return []
  const removed = mergeSpans(activeSpans(edits))
  let first = 0
  return Array.from({ length: words.length + 1 }, (_, i) => {
    const startMs = words[i - 1]?.end_ms ?? 0
    const endMs = words[i]?.start_ms ?? totalMs
    if (endMs - startMs < SHOWN_PAUSE_MS) return null
    while (first < removed.length && removed[first]!.endMs <= startMs) first++
    let keptMs = endMs - startMs
    for (let k = first; k < removed.length && removed[k]!.startMs < endMs; k++)
      keptMs -= Math.min(removed[k]!.endMs, endMs) - Math.max(removed[k]!.startMs, startMs)
    return { startMs, endMs, keptMs, cut: keptMs * 2 < endMs - startMs }
  })
}

/** For each word, whether spans cover more than half of it. */
export function wordsCut(words: readonly TimedWord[], cuts: readonly Span[]): boolean[] {
  const removed = mergeSpans(cuts)
  let first = 0
  return words.map((w) => {
    while (first < removed.length && removed[first]!.endMs <= w.start_ms) first++
    let lost = 0
    for (let i = first; i < removed.length && removed[i]!.startMs < w.end_ms; i++) {
      lost += Math.min(removed[i]!.endMs, w.end_ms) - Math.max(removed[i]!.startMs, w.start_ms)
    }

    return lost * 2 > w.end_ms - w.start_ms
  })
}

/** The index of the word spoken at ms, or of the last word before ms; -1 before the first word. */
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

/** The most words of a proposed title, and how far after a place they may begin. */
const TITLE_WORDS = 7
const TITLE_MS = 5000

/** A title for a chapter at ms: how the next sentence that stays in the video begins. Empty if none begins soon. */
export function titleAt(words: readonly TimedWord[], cuts: readonly Span[], ms: number): string {
  const cut = wordsCut(words, cuts)
  const first = words.findIndex((w, i) => w.end_ms > ms && !cut[i])
  if (first < 0 || words[first]!.start_ms > ms + TITLE_MS) return ''
  const texts: string[] = []
  for (let i = first; i < words.length && texts.length < TITLE_WORDS; i++) {
    if (cut[i]) continue
    texts.push(words[i]!.text.trim())
    if (/[.!?…。！？]$/.test(words[i]!.text.trim())) break
  }

  const title = joinWords(texts).replace(/[.,;:!?…。、！？]+$/, '')
  return title.charAt(0).toLocaleUpperCase() + title.slice(1)
}

/** The text spoken within a span, for a label; a long text is shortened in the middle. */
export function textWithin(words: readonly TimedWord[], span: Span, maxWords = 8): string {
  const texts: string[] = []
  for (let i = Math.max(wordAt(words, span.startMs), 0); i < words.length && words[i]!.start_ms < span.endMs; i++) {
    const w = words[i]!
    if ((w.start_ms + w.end_ms) / 2 >= span.startMs && (w.start_ms + w.end_ms) / 2 < span.endMs)
      texts.push(w.text.trim())
  }

  if (texts.length <= maxWords) return joinWords(texts)
  return `${joinWords(texts.slice(0, maxWords - 2))} … ${joinWords(texts.slice(-2))}`
}

/** Audio that stays after the last word that stays, in milliseconds. */
const TAIL_MS = 40

/**
 * The footage to cut with words [first, last]. The cut includes the shorter one of the two pauses around the words, so that
 * a single pause stays.
 */
export function footageOfWords(words: readonly TimedWord[], first: number, last: number, totalMs: number): Span {
  const [start, end] = [words[first]!.start_ms, words[last]!.end_ms]
  const before = start - (words[first - 1]?.end_ms ?? 0)
  const after = (words[last + 1]?.start_ms ?? totalMs) - end
  if (before <= after) return { startMs: start - Math.max(before - TAIL_MS, 0), endMs: end }
  return { startMs: start, endMs: end + Math.max(after - TAIL_MS, 0) }
}

/** Indices [from, to) of the words whose middle is within a span. */
export function wordsWithin(words: readonly TimedWord[], span: Span): { from: number; to: number } {
  const middle = (i: number) => (words[i]!.start_ms + words[i]!.end_ms) / 2
  let from = Math.max(wordAt(words, span.startMs), 0)
  while (from < words.length && middle(from) < span.startMs) from++
  let to = Math.max(wordAt(words, span.endMs) + 1, from)
  while (to > from && middle(to - 1) >= span.endMs) to--
  return { from, to }
}

/** A transcript in searchable form. */
export interface WordIndex {
  text: string
  /** Offset of each word in the text. */
  starts: number[]
}

const searchText = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, ' ')
    .trim()

export function indexWords(words: readonly TimedWord[]): WordIndex {
  const starts: number[] = []
  let text = ''
  for (const w of words) {
    starts.push(text.length)
    text += searchText(w.text) + ' '
  }

  return { text, starts }
}

/** Words [from, to) of a match. If it is not whole, the first or last word contains more than the match. */
export interface Hit {
  from: number
  to: number
  whole: boolean
}

/** The matches of a query. Case, accents and punctuation do not matter. */
export function findWords(index: WordIndex, query: string): Hit[] {
  const wanted = searchText(query)
  if (!wanted) return []
  const out: Hit[] = []
  for (let at = index.text.indexOf(wanted); at >= 0; at = index.text.indexOf(wanted, at + wanted.length)) {
    const end = at + wanted.length
    const from = wordStarting(index.starts, at)
    const to = wordStarting(index.starts, end - 1) + 1
    out.push({ from, to, whole: index.starts[from] === at && end + 1 === (index.starts[to] ?? index.text.length) })
  }

  return out
}

// wordStarting is the last word that starts at or before an offset in the text.
function wordStarting(starts: readonly number[], at: number): number {
  let lo = 0
  let hi = starts.length
  while (lo < hi) {
    const mid = (lo + hi) >> 1
    if (starts[mid]! <= at) lo = mid + 1
    else hi = mid
  }

  return lo - 1
}

/** The start and end of a text without the quotes, brackets and sentence marks around it; the whole text if that is all. */
export function insidePunctuation(text: string): [from: number, to: number] {
  const before = /^[\p{Ps}\p{Pi}"'¿¡]*/u.exec(text)![0].length
  const after = /[\p{Pe}\p{Pf}"'.,:;!?…。、，：；！？]*$/u.exec(text)![0].length
  return before + after < text.length ? [before, text.length - after] : [0, text.length]
}

/** The matches to cut or restore together: whole words, so that "um" leaves "summer" alone, or else all of them. */
export function hitsToChange(hits: readonly Hit[]): readonly Hit[] {
  const whole = hits.filter((hit) => hit.whole)
  return whole.length > 0 ? whole : hits
}

/** The effect of edits on a word. */
export interface WordState {
  /** Whether more than half of the word is cut. */
  cut: boolean
  /** Whether more than half of the word is muted; its video stays. */
  muted: boolean
  /** The shortest edit of a word-marking kind that contains the word, active or not. */
  part: { uuid: string; type: EditType; reason: string } | null
}

/** The state of each word; edits are in timeline order. */
export function wordStates(words: readonly TimedWord[], edits: readonly (CutLike & { reason: string })[]): WordState[] {
  const removed = wordsCut(words, activeSpans(edits))
  const silent = wordsCut(words, mutedSpans(edits))
  const states = removed.map((cut, i): WordState => ({ cut, muted: !cut && silent[i]!, part: null }))
  const parts = edits
    .filter((e) => lookupKind(e.type)?.marksWords)
    .sort((a, b) => b.end_ms - b.start_ms - (a.end_ms - a.start_ms))

  for (const part of parts) {
    const { from, to } = wordsWithin(words, { startMs: part.start_ms, endMs: part.end_ms })
    for (let i = from; i < to; i++) states[i]!.part = part
  }

  return states
}
