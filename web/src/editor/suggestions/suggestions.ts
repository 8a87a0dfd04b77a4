// What the AI Director suggests: placements of an analysis that are not accepted yet.

import type { Placement } from '../../api/edits'
import type { Word } from '../../api/projects'
import { joinWords } from '../plan/joinWords'

/** The maximum number of words that a suggestion quotes. */
const MAX_QUOTED = 8

/** The suggested placements, by time. */
export const suggestionsOf = (placements: readonly Placement[]): Placement[] =>
  placements.filter((p) => p.run_uuid !== null && !p.active).sort((a, b) => a.start_ms - b.start_ms)

/** The words at a placement, shortened. */
export function wordsAt(words: readonly Word[], { start_ms, end_ms }: Pick<Placement, 'start_ms' | 'end_ms'>): string {
  const said = words.filter((w) => w.start_ms < end_ms && w.end_ms > start_ms).map((w) => w.text)
  return said.length > MAX_QUOTED ? `${joinWords(said.slice(0, MAX_QUOTED))}…` : joinWords(said)
}
