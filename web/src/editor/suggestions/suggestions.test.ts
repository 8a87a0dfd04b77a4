import { expect, it } from 'vitest'
import { newPlacement } from '../edits/placements'
import { suggestionsOf, wordsAt } from './suggestions'

const placed = (uuid: string, start_ms: number, run_uuid: string | null, active: boolean) => ({
  ...newPlacement({ asset_file_id: 'file', kind: 'image', duration_ms: null, display_name: 'Map' }, 0, 60_000)!,
  ...{ uuid, start_ms, end_ms: start_ms + 3000, run_uuid, active },
})

it('suggests the inactive placements of an analysis, by time', () => {
  const list = [
    placed('late', 9000, 'run', false),
    placed('accepted', 2000, 'run', true),
    placed('own', 3000, null, false),
    placed('early', 1000, 'run', false),
  ]

  expect(suggestionsOf(list).map((p) => p.uuid)).toEqual(['early', 'late'])
})

it('quotes the words at a suggestion', () => {
  const words = Array.from({ length: 20 }, (_, i) => ({
    text: `w${i}`,
    start_ms: i * 500,
    end_ms: i * 500 + 400,
    probability: 1,
    clip_uuid: 'c',
  }))

  expect(wordsAt(words, { start_ms: 900, end_ms: 2100 })).toBe('w2 w3 w4')
  expect(wordsAt(words, { start_ms: 0, end_ms: 9000 })).toBe('w0 w1 w2 w3 w4 w5 w6 w7…')
})
