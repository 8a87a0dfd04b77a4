// Caption lines in the edited video. Package media in Go computes the same lines; media/testdata/preview_vectors.json
// tests both.

import { outputSpan, type TimeMap } from './timeMap'
import type { Span } from './renderPlan'
import { joinWords } from './joinWords'

/** A line or a word in project time. */
export interface TimedText {
  text: string
  start_ms: number
  end_ms: number
}

/** A text with its span in output time. */
export interface OutputText {
  text: string
  startMs: number
  endMs: number
}

/** A line in the edited video. If all its words are known, their texts concatenate to its text; otherwise words is empty. */
export interface Caption extends OutputText {
  words: OutputText[]
}

const MAX_RUNES = 500
const MAX_ROWS = 4
/** Lines that cuts shorten below this are dropped, in milliseconds. */
const SHORTEST_MS = 120
/** Largest number of combining marks on a letter. */
const MAX_MARKS = 4

/**
 * Moves lines to output time, without lines that are cut and without words that are cut out of a line or muted. A line
 * whose text does not match its words disappears if it is mostly muted. Muted spans are disjoint.
 */
export function timeCaptions(
  timeMap: TimeMap,
  lines: readonly TimedText[],
  words: readonly TimedText[],
  muted: readonly Span[] = [],
): Caption[] {
  const sorted = [...words].sort((a, b) => a.start_ms - b.start_ms)
  const out: Caption[] = []
  for (const line of lines) {
    const shown = outputSpan(timeMap, { startMs: line.start_ms, endMs: line.end_ms })
    if (!shown || shown.endMs - shown.startMs < SHORTEST_MS) continue
    const caption: Caption = { text: cleanCaption(line.text), ...shown, words: [] }
    const parts = wordsOf(caption.text, spokenIn(sorted, line))
    if (parts) {
      const audible = parts.filter((w) => !mostlyIn(w, muted))
      caption.words = keptWords(timeMap, audible)
      caption.text = caption.words.map((w) => w.text).join('')
      trimToAudible(caption, parts, audible)
    } else if (mostlyIn(line, muted)) continue
    if (caption.text) out.push(caption)
  }

  out.sort((a, b) => a.startMs - b.startMs)
  for (let i = 0; i + 1 < out.length; i++)
    out[i]!.endMs = Math.max(out[i]!.startMs + 1, Math.min(out[i]!.endMs, out[i + 1]!.startMs))
  return out
}

// trimToAudible moves the ends of a caption to its words where the first or last word of its line is muted.
function trimToAudible(caption: Caption, parts: readonly TimedText[], audible: readonly TimedText[]): void {
  const [first, last] = [caption.words[0], caption.words.at(-1)]
  if (!first || !last) return
  if (audible[0]!.start_ms > parts[0]!.start_ms) caption.startMs = Math.max(caption.startMs, first.startMs)
  if (audible.at(-1)!.end_ms < parts.at(-1)!.end_ms) caption.endMs = Math.min(caption.endMs, last.endMs)
}

// mostlyIn reports whether disjoint spans cover more than half of a text.
function mostlyIn({ start_ms, end_ms }: TimedText, spans: readonly Span[]): boolean {
  const covered = spans.reduce(
    (sum, s) => sum + Math.max(0, Math.min(s.endMs, end_ms) - Math.max(s.startMs, start_ms)),
    0,
  )

  return 2 * covered > end_ms - start_ms
}

const middle = (w: TimedText) => Math.trunc((w.start_ms + w.end_ms) / 2)

// spokenIn returns the words whose middle is in a line; words are sorted by start.
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

// wordsOf splits a text at words; each part ends before the next word. Returns null unless the text contains all words in
// order.
function wordsOf(text: string, words: readonly TimedText[]): TimedText[] | null {
  const parts: TimedText[] = []
  let rest = text
  for (const w of words) {
    const bare = w.text.trim()
    const at = rest.indexOf(bare)
    if (at < 0 || !bare) return null
    const between = rest.slice(0, at)
    const before = parts.at(-1)
    if (before) before.text += between
    else if (between.trim()) return null
    parts.push({ ...w, text: bare })
    rest = rest.slice(at + bare.length)
  }

  const last = parts.at(-1)
  if (!last) return null
  last.text += rest
  return parts
}

function keptWords(timeMap: TimeMap, parts: readonly TimedText[]): OutputText[] {
  const shown: OutputText[] = []
  for (const w of parts) {
    const at = middle(w)
    const span =
      outputSpan(timeMap, { startMs: at, endMs: at + 1 }) &&
      outputSpan(timeMap, { startMs: w.start_ms, endMs: w.end_ms })

    if (span) shown.push({ text: w.text, ...span })
  }

  const last = shown.at(-1)
  if (last) last.text = last.text.replace(/[ \n]+$/, '')
  return shown
}

/** Cleans a text for display: truncates a long text and joins surplus rows. */
export function cleanCaption(text: string): string {
  let rows = text.replaceAll('\r\n', '\n').split('\n').map(cleanRow).filter(Boolean)
  if (rows.length > MAX_ROWS) rows = [...rows.slice(0, MAX_ROWS - 1), joinWords(rows.slice(MAX_ROWS - 1))]
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
    else if (++marks > MAX_MARKS) continue
    out += /[\p{Cc}\u2028\u2029]/u.test(rune) ? ' ' : rune
  }

  return out.split(/\s+/).filter(Boolean).join(' ')
}

/** The caption at output time ms with the index of its spoken word, or null. */
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
  // The first word is highlighted from the start of the line, and every word until the next one starts.
  let word = 0
  let at = caption.startMs
  for (let i = 1; i < caption.words.length; i++) {
    at = Math.min(Math.max(caption.words[i]!.startMs, at), caption.endMs)
    if (at <= ms) word = i
  }

  return { caption, word }
}
