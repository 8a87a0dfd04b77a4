// Which caption lines an export leaves out.

import type { Span } from '../plan/renderPlan'
import { wordsCut, wordsWithin, type TimedWord } from './words'

/** How much of a caption line is cut. */
export type RemovedPart = 'none' | 'some' | 'all'

/** How much of each line is cut, by its words; a line without words counts as a whole. */
export function removedParts(
  lines: readonly TimedWord[],
  words: readonly TimedWord[],
  cuts: readonly Span[],
): RemovedPart[] {
  const wordCut = wordsCut(words, cuts)
  const lineCut = wordsCut(lines, cuts)
  return lines.map((line, i) => {
    const { from, to } = wordsWithin(words, { startMs: line.start_ms, endMs: line.end_ms })
    if (from === to) return lineCut[i] ? 'all' : 'none'
    const gone = wordCut.slice(from, to).filter(Boolean).length
    return gone === 0 ? 'none' : gone === to - from ? 'all' : 'some'
  })
}
