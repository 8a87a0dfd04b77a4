// Caption lines on the edited video, as package media has them: both sides answer media/testdata/preview_vectors.json alike.

import { outputSpan, type TimeMap } from '../player/timeMap'

/** A line or a word on project time. */
export interface TimedText {
  text: string
  start_ms: number
  end_ms: number
}

/** A text while it is shown, on output time. */
export interface OutputText {
  text: string
  startMs: number
  endMs: number
}

/** A line as it is shown. Where all its words are known, their texts laid end to end make its text. */
export interface Caption extends OutputText {
  words: OutputText[]
}

const MAX_RUNES = 500
const MAX_ROWS = 4
/** How long what the cuts leave of a line must last to be shown, in milliseconds. */
const SHORTEST_MS = 120
/** Marks on one letter. */
const PILE = 4

/** Puts lines onto the edited video. A line of which everything is cut is gone, and so are the words that are cut out of one. */
export function timeCaptions(outline: TimeMap, lines: readonly TimedText[], words: readonly TimedText[]): Caption[] {
  const sorted = [...words].sort((a, b) => a.start_ms - b.start_ms)
  const out: Caption[] = []
  for (const line of lines) {
    const shown = outputSpan(outline, { startMs: line.start_ms, endMs: line.end_ms })
    if (!shown || shown.endMs - shown.startMs < SHORTEST_MS) continue
    const caption: Caption = { text: cleanCaption(line.text), ...shown, words: [] }
    const said = wordsOf(caption.text, spokenIn(sorted, line))
    if (said) {
      caption.words = keptWords(outline, said)
      caption.text = caption.words.map((w) => w.text).join('')
    }
    if (caption.text) out.push(caption)
  }
  out.sort((a, b) => a.startMs - b.startMs)
  for (let i = 0; i + 1 < out.length; i++)
    out[i]!.endMs = Math.max(out[i]!.startMs + 1, Math.min(out[i]!.endMs, out[i + 1]!.startMs))
  return out
}

const middle = (w: TimedText) => Math.trunc((w.start_ms + w.end_ms) / 2)

// spokenIn returns the words, which are sorted, whose middle lies in a line.
function spokenIn(words: readonly TimedText[], line: TimedText): TimedText[] {
  let from = 0
  let hi = words.length
  while (from < hi) {
    const mid = (from + hi) >> 1
    if (middle(words[mid]!) >= line.start_ms) hi = mid
    else from = mid + 1
  }
  let to = from
  while (to < words.length && middle(words[to]!) < line.end_ms) to++
  return words.slice(from, to)
}

// wordsOf divides a text among words, each with what follows it up to the next; null where they are not all there in their order.
function wordsOf(text: string, words: readonly TimedText[]): TimedText[] | null {
  const said: TimedText[] = []
  let rest = text
  for (const w of words) {
    const bare = w.text.trim()
    const at = rest.indexOf(bare)
    if (at < 0 || !bare) return null
    const between = rest.slice(0, at)
    const before = said.at(-1)
    if (before) before.text += between
    else if (between.trim()) return null
    said.push({ ...w, text: bare })
    rest = rest.slice(at + bare.length)
  }
  const last = said.at(-1)
  if (!last) return null
  last.text += rest
  return said
}

function keptWords(outline: TimeMap, said: readonly TimedText[]): OutputText[] {
  const kept: OutputText[] = []
  for (const w of said) {
    const at = middle(w)
    const span =
      outputSpan(outline, { startMs: at, endMs: at + 1 }) &&
      outputSpan(outline, { startMs: w.start_ms, endMs: w.end_ms })
    if (span) kept.push({ text: w.text, ...span })
  }
  const last = kept.at(-1)
  if (last) last.text = last.text.replace(/[ \n]+$/, '')
  return kept
}

/** Makes of any text one that can be shown. What is too long is cut off, what has too many rows is drawn together. */
export function cleanCaption(text: string): string {
  let rows = text.replaceAll('\r\n', '\n').split('\n').map(cleanRow).filter(Boolean)
  if (rows.length > MAX_ROWS) rows = [...rows.slice(0, MAX_ROWS - 1), rows.slice(MAX_ROWS - 1).join(' ')]
  const clean = rows.join('\n')
  const runes = [...clean]
  return runes.length > MAX_RUNES
    ? runes
        .slice(0, MAX_RUNES - 1)
        .join('')
        .replace(/[ \n]+$/, '') + '…'
    : clean
}

function cleanRow(row: string): string {
  let marks = 0
  let out = ''
  for (const rune of row) {
    if (!/\p{M}/u.test(rune)) marks = 0
    else if (++marks > PILE) continue
    out += /[\p{Cc}\u2028\u2029]/u.test(rune) ? ' ' : rune
  }
  return out.split(/\s+/).filter(Boolean).join(' ')
}

/** What is shown at ms of the edited video: a caption, and which of its words is being said; null for none. */
export function captionAt(captions: readonly Caption[], ms: number): { caption: Caption; word: number } | null {
  let lo = 0
  let hi = captions.length
  while (lo < hi) {
    const mid = (lo + hi) >> 1
    if (captions[mid]!.endMs > ms) hi = mid
    else lo = mid + 1
  }
  const caption = captions[lo]
  if (!caption || caption.startMs > ms) return null
  // The first word is lit from the start of the line, and each until the next begins.
  let word = 0
  let at = caption.startMs
  for (let i = 1; i < caption.words.length; i++) {
    at = Math.min(Math.max(caption.words[i]!.startMs, at), caption.endMs)
    if (at <= ms) word = i
  }
  return { caption, word }
}
