import { describe, expect, it } from 'vitest'
import { layOutClips, makePlan } from './renderPlan'
import { choiceAt, joinAt, joinsOf, setJoin } from './joins'

const clips = [{ uuid: 'a' }, { uuid: 'b' }]
const layout = layOutClips([10_000, 10_000])
const cuts = [
  { startMs: 1000, endMs: 2000 },
  { startMs: 9000, endMs: 11_000 },
  { startMs: 14_000, endMs: 15_000 },
]

const plan = makePlan({ num: 30, den: 1 }, [10_000, 10_000], cuts)

describe('joins', () => {
  it('are at cuts within a clip', () => {
    expect(joinAt(plan, clips, layout, 1500)).toEqual({ clip: 'a', span: { startMs: 1000, endMs: 2000 } })
    expect(joinAt(plan, clips, layout, 14_500)).toEqual({ clip: 'b', span: { startMs: 4000, endMs: 5000 } })
    expect(joinAt(plan, clips, layout, 500)).toBeNull()
    expect(joinAt(plan, clips, layout, 9500)).toBeNull() // between two clips
  })

  it('keep one choice, which follows the cut', () => {
    const place = joinAt(plan, clips, layout, 1500)!
    let joins = setJoin([], place, { size: 'in' })
    joins = setJoin(joins, place, { size: 'out', change: 'eased' })
    expect(joins).toEqual([{ clip_uuid: 'a', at_ms: 1500, size: 'out', change: 'eased' }])
    const trimmed = { ...place, span: { startMs: 1400, endMs: 1600 } }
    expect(choiceAt(joins, trimmed)).toEqual({ size: 'out', change: 'eased' })
    expect(choiceAt(joins, { ...place, span: { startMs: 4000, endMs: 5000 } })).toEqual({})
    expect(joinsOf(joins, 'a')).toEqual([{ atMs: 1500, size: 'out', change: 'eased' }])
    expect(setJoin(joins, trimmed, {})).toEqual([])
  })
})
