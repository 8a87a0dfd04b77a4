// Joining words to a text the way the server does (media/script.go).

const IDEOGRAPHIC = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Bopomofo}ーｰ]/u
const PHRASED = /[\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\p{sc=Tibetan}]/u
const WIDE_MARK = /[\u3001-\u303f・]|(?=[\uff01-\uffee])\p{P}/u
const MARK = /\p{M}/u
const INSIDE = /[\p{L}\p{N}%]/u
const HANGUL = /\p{sc=Hangul}/u
const OTHER_MARK = /(?=[\u0100-\u{10ffff}])\p{P}/u

const isTight = (c: string) => IDEOGRAPHIC.test(c) || PHRASED.test(c) || WIDE_MARK.test(c)
const isForeign = (c: string) => INSIDE.test(c) && !PHRASED.test(c) && !HANGUL.test(c)

/** Whether two consecutive words are written without a space between them. */
export function writtenTogether(before: string, after: string): boolean {
  const last = [...before.slice(-2)].at(-1) ?? ''
  const first = [...after.slice(0, 2)][0] ?? ''
  if ((isTight(last) && isTight(first)) || MARK.test(first)) return true
  if (IDEOGRAPHIC.test(first)) return isForeign(last) || OTHER_MARK.test(last)
  if (IDEOGRAPHIC.test(last)) return isForeign(first)
  return WIDE_MARK.test(last) || (WIDE_MARK.test(first) && isForeign(last))
}

/** Words as a text, with spaces between them if their scripts have spaces, and after those that end with one. */
export function joinWords(words: readonly string[]): string {
  let out = ''
  let before = ''
  for (const raw of words) {
    const word = raw.trim()
    if (!word) continue
    if (before && !writtenTogether(before, word)) out += ' '
    out += word
    before = raw
  }

  return out
}
