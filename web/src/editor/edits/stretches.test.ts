import { expect, it } from 'vitest'
import vectors from '../../../../media/testdata/stretch_vectors.json'
import type { Edit } from '../../api/edits'
import { newCut, sortEdits } from './cuts'
import {
  indexOfCut,
  reviewRows,
  rowsByEdit,
  selectedRow,
  stretchFirsts,
  withParts,
  withSlivers,
  type ReviewRow,
} from './stretches'

for (const v of vectors.stretches)
  it(`the shared vector: ${v.name}`, () => {
    const cuts = v.cuts.map((s) => ({ startMs: s.start_ms, endMs: s.end_ms }))
    expect(stretchFirsts(cuts, v.starts)).toEqual(v.firsts)
  })

/** An edit that the analysis has proposed and nobody has touched. */
const edit = (uuid: string, start: number, end: number, more: Partial<Edit> = {}): Edit => ({
  ...newCut(start, end, `reason ${uuid}`),
  uuid,
  type: 'silence',
  created_at: 'then',
  updated_at: 'then',
  ...more,
})

const off = { active: false }
const rejected = (at: string) => ({ active: false, updated_at: at })
const rows = (...edits: Edit[]) => reviewRows(sortEdits(edits), [0])
const cutsOf = (list: readonly ReviewRow[]) => list.map((row) => row.cuts.map((e) => e.uuid).join('+'))

it('a stretch is one row with the kind of its longest cut, all reasons and the lowest confidence', () => {
  const [row, ...rest] = rows(
    edit('a', 0, 1000, { confidence: 0.9 }),
    edit('b', 900, 3000, { type: 'filler', confidence: 0.6 }),
    edit('c', 3000, 3500, { reason: 'reason a', confidence: null }),
  )

  expect(rest).toEqual([])
  expect(row).toMatchObject({ uuid: 'a', type: 'filler', start_ms: 0, end_ms: 3500, active: true, action: 'cut' })
  expect(row).toMatchObject({ reason: 'reason a · reason b', confidence: 0.6, inside: [], part: false })
  expect(cutsOf([row!])).toEqual(['a+b+c'])
})

it('proposals inside a stretch are parts of it, and others have rows of their own', () => {
  const list = rows(
    edit('long', 0, 5000),
    edit('in', 1000, 2000, off),
    edit('mute', 2000, 3000, { action: 'mute' }),
    edit('across', 4000, 6000, off),
    edit('after', 6000, 7000, off),
    edit('next', 7000, 8000, off),
  )

  expect(cutsOf(list)).toEqual(['long', 'across', 'after', 'next'])
  expect(list[0]!.inside.map((e) => e.uuid)).toEqual(['in', 'mute'])
})

it('a stretch that was rejected as a whole keeps its row', () => {
  const before = rows(edit('a', 0, 1000), edit('b', 1000, 2000), edit('c', 2000, 3000, off))
  const after = rows(
    edit('a', 0, 1000, rejected('t')),
    edit('b', 1000, 2000, rejected('t')),
    edit('c', 2000, 3000, off),
  )

  expect(cutsOf(before)).toEqual(['a+b', 'c'])
  expect(cutsOf(after)).toEqual(['a+b', 'c'])
  expect(after[0]).toMatchObject({ uuid: 'a', active: false })
  const apart = rows(edit('a', 0, 1000, rejected('t')), edit('b', 1000, 2000, rejected('u')))
  expect(cutsOf(apart)).toEqual(['a', 'b'])
})

it('mutes that touch are one row, apart from cuts', () => {
  const mute = { action: 'mute' } as const
  const list = rows(edit('a', 0, 1000, mute), edit('b', 1000, 2000, mute), edit('c', 2000, 3000))
  expect(cutsOf(list)).toEqual(['a+b', 'c'])
  expect(list[0]).toMatchObject({ action: 'mute', active: true })
})

it('a selected edit stands for its stretch, or as a part for itself', () => {
  const edits = [edit('a', 0, 1000), edit('b', 1000, 2000), edit('c', 5000, 6000)]
  const stretches = rows(...edits)
  const rowOf = rowsByEdit(stretches)
  const list = withParts(stretches, ['a', 'c'])
  expect(list.map((row) => `${row.uuid}${row.part ? '*' : ''}`)).toEqual(['a', 'a*', 'b*', 'c'])
  const at = (selected: string | null, part: boolean) => indexOfCut(list, rowOf, { selected, part })
  expect([at('b', false), at('a', true), at('b', true), at('c', true), at('x', false), at(null, false)]).toEqual([
    0, 1, 2, 3, -1, -1,
  ])

  expect(indexOfCut(stretches, rowOf, { selected: 'b', part: true })).toBe(0)
  const row = (selected: string, part: boolean) => selectedRow({ edits, rowOf }, { selected, part })
  expect(row('b', false)?.cuts).toHaveLength(2)
  expect(row('b', true)?.cuts).toEqual([edits[1]])
  expect(row('c', true)?.part).toBe(false)
})

const words = [
  { text: 'one', start_ms: 1000, end_ms: 1400 },
  { text: 'two', start_ms: 1520, end_ms: 1900 },
  { text: 'a', start_ms: 1950, end_ms: 2030 },
]

const span = (startMs: number, endMs: number) => ({ startMs, endMs })
const restored = (cut: [number, number], footage: [number, number], reach = footage) =>
  withSlivers(span(...footage), span(...reach), [edit('x', ...cut)], words, [0])

it('a short rest of a stretch without words is restored with the footage beside it', () => {
  expect(restored([1400, 1900], [1520, 1900])).toEqual(span(1400, 1900))
  expect(restored([1270, 1900], [1520, 1900])).toEqual(span(1520, 1900)) // 250 ms are no sliver
  expect(restored([900, 2100], [1000, 1900])).toEqual(span(900, 1900)) // “a” stays cut
  expect(restored([0, 1900], [1520, 1900])).toEqual(span(1520, 1900))
  expect(restored([500, 1400], [1000, 1400], [500, 1400])).toEqual(span(500, 1400)) // as one cut took it
  expect(restored([5000, 5100], [1000, 1900])).toEqual(span(1000, 1900)) // another stretch
})

it('a thousand cuts become rows in a few passes', () => {
  const many = Array.from({ length: 2000 }, (_, i) => edit(`${i}`, i * 100, i * 100 + (i % 2 ? 100 : 50)))
  expect(rows(...many)).toHaveLength(1001)
})
