// The places of a replacement as rows: a place in the transcript with its copy in the captions.

import type { ReplacedPlace } from '../../api/replace'

export interface PlaceRow {
  /** The indices of the places in the response. */
  indices: number[]
  startMs: number
  before: string
  after: string
  contextBefore: string
  contextAfter: string
  where: 'both' | ReplacedPlace['in']
}

/** Joins each place in the transcript with the first free place in a caption line that is shown at its time. */
export function placeRows(places: readonly ReplacedPlace[]): PlaceRow[] {
  const rows = places.filter((p) => p.in === 'transcript').map(rowOf)
  const captions = places.filter((p) => p.in === 'captions')
  const alone: PlaceRow[] = []
  let next = 0
  for (const caption of captions) {
    while (next < rows.length && rows[next]!.startMs < caption.start_ms) next++
    const row = rows[next]
    if (row && row.startMs < caption.end_ms) {
      row.indices.push(caption.index)
      row.where = 'both'
      next++
    } else alone.push(rowOf(caption))
  }

  return [...rows, ...alone].sort((a, b) => a.startMs - b.startMs)
}

const rowOf = (place: ReplacedPlace): PlaceRow => ({
  indices: [place.index],
  startMs: place.start_ms,
  before: place.text_before,
  after: place.text_after,
  contextBefore: place.context_before,
  contextAfter: place.context_after,
  where: place.in,
})

/** The indices of the rows that are not excluded. */
export const chosenIndices = (rows: readonly PlaceRow[], excluded: ReadonlySet<number>): number[] =>
  rows.filter((r) => !excluded.has(r.indices[0]!)).flatMap((r) => r.indices)
