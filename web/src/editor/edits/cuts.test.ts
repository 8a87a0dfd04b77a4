import { expect, it } from 'vitest'
import {
  editAt,
  mutedSpans,
  sortEdits,
  reviewList,
  adjacentCut,
  restoredSpan,
  restoreSpan,
  restoreSpans,
  cutTimeOf,
  splitCut,
  totals,
  type CutLike,
} from './cuts'

const edit = (
  uuid: string,
  start_ms: number,
  end_ms: number,
  active = true,
  type: CutLike['type'] = 'silence',
): CutLike => ({ uuid, type, start_ms, end_ms, active })

const edits = sortEdits([
  edit('c', 5000, 6000),
  edit('a', 1000, 2000),
  edit('b', 1500, 2500, true, 'manual'),
  edit('d', 8000, 9000, false),
])

it('sorts edits in timeline order', () => expect(edits.map((e) => e.uuid)).toEqual(['a', 'b', 'c', 'd']))

it('totals count overlapping active cuts once', () => {
  expect(totals({ num: 30, den: 1 }, [10_000], edits)).toEqual({ originalMs: 10_000, resultMs: 7500, savedMs: 2500 })
  expect(cutTimeOf(edits, 'silence')).toBe(2000)
})

it('totals without cuts equal the recording to the millisecond', () => {
  expect(totals({ num: 30, den: 1 }, [10_007], [])).toEqual({ originalMs: 10_007, resultMs: 10_007, savedMs: 0 })
})

it('finds adjacent cuts', () => {
  expect(adjacentCut(edits, 1, 0, 1)?.uuid).toBe('c')
  expect(adjacentCut(edits, 0, 0, -1)?.uuid).toBe('a')
  expect(adjacentCut(edits, -1, 4000, 1)?.uuid).toBe('c')
  expect(adjacentCut(edits, -1, 4000, -1)?.uuid).toBe('b')
  expect(adjacentCut(edits, -1, 99_999, 1)?.uuid).toBe('d')
  expect(adjacentCut([], -1, 0, 1)).toBeUndefined()
})

it('finds the shortest edit at a time', () => {
  expect(editAt([edit('long', 0, 9000), ...edits], 5500)?.uuid).toBe('c')
  expect(editAt(edits, 3000)).toBeUndefined()
})

it('lists the least certain cuts first and hides kinds', () => {
  const sure = edits.map((e, i) => ({ ...e, confidence: [0.9, null, 0.4, 0.6][i]! }))
  expect(
    reviewList(sure, { order: 'confidence', hidden: [], below: null, shorterMs: null }).map((e) => e.uuid),
  ).toEqual(['c', 'd', 'a', 'b'])

  expect(
    reviewList(sure, { order: 'time', hidden: ['silence'], below: null, shorterMs: null }).map((e) => e.uuid),
  ).toEqual(['b'])
})

it('lists only the cuts that show less confidence than the limit', () => {
  const sure = edits.map((e, i) => ({ ...e, confidence: [0.897, null, 0.4, 0.749][i]! }))
  const below = (limit: number) =>
    reviewList(sure, { order: 'time', hidden: [], below: limit, shorterMs: null }).map((e) => e.uuid)

  expect(below(0.9)).toEqual(['c', 'd'])
  expect(below(0.75)).toEqual(['c'])
  expect(below(0.2)).toEqual([])
})

it('lists only the cuts that are shorter than the limit', () => {
  const sure = edits.map((e, i) => ({ ...e, end_ms: e.start_ms + [300, 500, 499, 2000][i]!, confidence: null }))
  const review = { order: 'time', hidden: [], below: null, shorterMs: 500 } as const
  expect(reviewList(sure, review).map((e) => e.uuid)).toEqual(['a', 'c'])
})

it('a mute removes nothing and silences its span', () => {
  const muted = edits.map((e) => (e.uuid === 'c' ? { ...e, action: 'mute' as const } : e))
  expect(totals({ num: 30, den: 1 }, [10_000], muted).savedMs).toBe(1500)
  expect(cutTimeOf(muted, 'silence')).toBe(1000)
  expect(mutedSpans(muted)).toEqual([{ startMs: 5000, endMs: 6000 }])
  expect(mutedSpans(muted.map((e) => ({ ...e, active: false })))).toEqual([])
})

it('a part of a mute that is split off or left over stays a mute', () => {
  const mute = { ...edit('x', 1000, 5000), reason: 'why', action: 'mute' as const }
  expect(splitCut(mute, 3000)?.act.create?.[0]).toMatchObject({ action: 'mute', start_ms: 3000 })
  const left = restoreSpan([mute], { startMs: 2000, endMs: 3000 })
  expect(left.create).toMatchObject([{ action: 'mute', start_ms: 3000, end_ms: 5000 }])
})

it('restores a span without changing the rest', () => {
  const cut = { ...edit('x', 1000, 5000), reason: 'why' }
  expect(restoreSpan([cut], { startMs: 900, endMs: 5000 })).toEqual({
    change: [{ uuid: 'x', to: { active: false } }],
    create: [],
    remove: [],
  })

  expect(restoreSpan([{ ...cut, type: 'manual' }], { startMs: 1010, endMs: 4990 }).remove).toEqual(['x'])
  expect(restoreSpan([cut], { startMs: 4000, endMs: 9000 }).change).toEqual([{ uuid: 'x', to: { end_ms: 4000 } }])
  expect(restoreSpan([cut], { startMs: 0, endMs: 2000 }).change).toEqual([{ uuid: 'x', to: { start_ms: 2000 } }])
  const middle = restoreSpan([cut], { startMs: 2000, endMs: 3000 })
  expect(middle.change).toEqual([{ uuid: 'x', to: { end_ms: 2000 } }])
  expect(middle.create).toMatchObject([
    { start_ms: 3000, end_ms: 5000, type: 'silence', reason: 'why', active: true, split_from: 'x' },
  ])

  expect(restoreSpan([{ ...cut, active: false }], { startMs: 0, endMs: 9000 })).toEqual({
    change: [],
    create: [],
    remove: [],
  })
})

it('restores selected words exactly', () => {
  const words = [
    { start_ms: 1500, end_ms: 1800 },
    { start_ms: 2300, end_ms: 2600 },
    { start_ms: 2650, end_ms: 2900 },
  ]

  const selection = { startMs: 1800, endMs: 2900 }
  const span = restoredSpan(selection, { anchor: 1, focus: 1 }, words)
  expect(span).toEqual({ startMs: 2300, endMs: 2600 })
  expect(restoredSpan(selection, { anchor: 2, focus: 0 }, words)).toEqual({ startMs: 1500, endMs: 2900 })
  expect(restoredSpan(selection, null, words)).toEqual(selection)
  // The neighboring word is 50 ms away: the cut between the words stays.
  const { change, create } = restoreSpan([{ ...edit('x', 1000, 2680), reason: 'why' }], span)
  expect(change).toEqual([{ uuid: 'x', to: { end_ms: 2300 } }])
  expect(create).toMatchObject([{ start_ms: 2600, end_ms: 2680 }])
})

it('splits only if both halves are long enough', () => {
  const cut = { ...edit('x', 1000, 5000, false), reason: 'why' }
  expect(splitCut(cut, 1010)).toBeNull()
  expect(splitCut(cut, 4990)).toBeNull()
  expect(splitCut(cut, 2000)?.act).toMatchObject({
    change: [{ uuid: 'x', to: { end_ms: 2000 } }],
    create: [{ type: 'silence', reason: 'why', split_from: 'x', start_ms: 2000, end_ms: 5000, active: false }],
  })
})

it('restores several spans as one action', () => {
  const cut = { ...edit('x', 1000, 5000), reason: 'why' }
  const manual = { ...edit('m', 8000, 9000), type: 'manual' as const, reason: '' }
  const act = restoreSpans(
    [cut, manual],
    [
      { startMs: 1500, endMs: 2000 },
      { startMs: 3000, endMs: 3500 },
      { startMs: 8000, endMs: 9000 },
    ],
  )

  expect(act.change).toEqual([{ uuid: 'x', to: { active: true, start_ms: 1000, end_ms: 1500 } }])
  expect(act.create).toMatchObject([
    { start_ms: 2000, end_ms: 3000, active: true, reason: 'why' },
    { start_ms: 3500, end_ms: 5000, active: true, reason: 'why' },
  ])

  expect(act.remove).toEqual(['m'])
})
