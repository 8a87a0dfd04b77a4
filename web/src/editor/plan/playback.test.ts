import { describe, expect, it } from 'vitest'
import { layOutClips, makePlan } from './renderPlan'
import {
  firstFrame,
  nextRate,
  auditionSegments,
  editedTime,
  planSegments,
  preRollRate,
  shuttle,
  stepFrames,
  segmentIndexAt,
  segmentEnd,
  wholeSegments,
  segmentsWithin,
} from './playback'

const clips = [10_000, 5_000]
const layout = layOutClips(clips)
const rate = { num: 30, den: 1 }
const edited = planSegments(
  makePlan(rate, clips, [
    { startMs: 2000, endMs: 4000 },
    { startMs: 9000, endMs: 11_000 },
  ]),
  layout,
)

describe('playback segments', () => {
  it('follow the render plan across clips', () => {
    expect(edited).toEqual([
      { clip: 0, inMs: 0, outMs: 2000, startMs: 0 },
      { clip: 0, inMs: 4000, outMs: 9000, startMs: 4000 },
      { clip: 1, inMs: 1000, outMs: 5000, startMs: 11_000 },
    ])
  })

  it('never exceed the end of a clip', () => {
    const odd = planSegments(makePlan({ num: 30000, den: 1001 }, [3337], []), layOutClips([3337]))
    expect(segmentEnd(odd[0]!)).toBeLessThanOrEqual(3337)
  })

  it('are found by project time; a cut time finds the next one', () => {
    expect([0, 1999, 2000, 3000, 4000, 8999, 9000, 11_000, 15_000].map((ms) => segmentIndexAt(edited, ms))).toEqual([
      0, 0, 1, 1, 1, 1, 2, 2, 3,
    ])
  })

  it('map project time to edited time', () => {
    expect([0, 1000, 2000, 3000, 4000, 5000, 10_000, 12_000].map((ms) => editedTime(edited, ms))).toEqual([
      0, 1000, 2000, 2000, 2000, 3000, 7000, 8000,
    ])
  })

  it('can be limited to a span', () => {
    expect(segmentsWithin(edited, { startMs: 1500, endMs: 4500 })).toEqual([
      { clip: 0, inMs: 1500, outMs: 2000, startMs: 1500 },
      { clip: 0, inMs: 4000, outMs: 4500, startMs: 4000 },
    ])

    expect(wholeSegments(layout)).toHaveLength(2)
  })
})

describe('an audition', () => {
  const cut = { startMs: 2000, endMs: 4000 }
  it('plays through the cut before it is applied', () => {
    expect(auditionSegments(edited, layout, cut, 'before')).toEqual([{ clip: 0, inMs: 500, outMs: 5500, startMs: 500 }])
  })

  it('joins both sides after it is applied', () => {
    expect(auditionSegments(edited, layout, cut, 'after')).toEqual([
      { clip: 0, inMs: 500, outMs: 2000, startMs: 500 },
      { clip: 0, inMs: 4000, outMs: 5500, startMs: 4000 },
    ])
  })

  it('shows an inactive cut as applied', () => {
    const uncut = wholeSegments(layout)
    expect(auditionSegments(uncut, layout, cut, 'after').map((s) => [s.startMs, segmentEnd(s)])).toEqual([
      [500, 2000],
      [4000, 5500],
    ])
  })
})

describe('transport', () => {
  it('shuttles faster with each press and reverses', () => {
    expect([shuttle(0, 1), shuttle(1, 1), shuttle(2, 1), shuttle(8, 1), shuttle(4, -1), shuttle(-1, -1)]).toEqual([
      1, 2, 4, 8, -1, -2,
    ])
  })

  it('steps by whole frames within the project', () => {
    expect(stepFrames(layout, [25, 30], 1000, 1)).toBe(1040)
    expect(stepFrames(layout, [25, 30], 1019, -1)).toBe(960)
    expect(stepFrames(layout, [25, 30], 0, -1)).toBe(0)
    expect(stepFrames(layout, [25, 30], 10_000, 3)).toBe(10_100)
    expect(stepFrames(layout, [25, 30], 15_000, 1)).toBe(15_000)
  })
})

describe('the pre-roll of a deck', () => {
  it('keeps the speed while on time', () => {
    expect([preRollRate(1, 0, 200), preRollRate(1.5, 1.5, 200), preRollRate(2, -1, 10)]).toEqual([1, 1.5, 2])
  })

  it('plays faster when late and slower when early, within a factor of two', () => {
    expect([
      preRollRate(1, 40, 200),
      preRollRate(1, -40, 200),
      preRollRate(1, 900, 200),
      preRollRate(2, -900, 200),
    ]).toEqual([1.2, 0.8, 2, 1])
  })

  it('is on time at the cut', () => {
    let [late, left] = [60, 250]
    for (; left > 20; left -= 16) late -= 16 * (preRollRate(1, late, left) - 1)
    expect(Math.abs(late)).toBeLessThan(5)
  })

  it('changes only by what a person can hear', () => {
    expect([nextRate(1, 1.04, 1), nextRate(1.2, 1.18, 1), nextRate(2, 1.92, 2)]).toEqual([1, 1.2, 2])
    expect([nextRate(1, 1.06, 1), nextRate(1.2, 1.12, 1), nextRate(1.02, 1, 1)]).toEqual([1.06, 1.12, 1])
  })

  it('is on time at the cut with few changes', () => {
    let [late, left, rate, changes] = [60, 250, 1, 0]
    for (; left > 20; left -= 16) {
      const next = nextRate(rate, preRollRate(1, late, left), 1)
      if (next !== rate) changes++
      rate = next
      late -= 16 * (rate - 1)
    }

    expect(Math.abs(late)).toBeLessThan(8)
    expect(changes).toBeLessThan(4)
  })
})

it('goes to the first frame at or after a time', () => {
  const layout = [
    { startMs: 0, endMs: 1000 },
    { startMs: 1000, endMs: 3000 },
  ]

  expect(firstFrame(layout, [25, 30], 400)).toBe(400)
  expect(firstFrame(layout, [25, 30], 401)).toBe(440)
  expect(firstFrame(layout, [25, 30], 1034)).toBeCloseTo(1066.667, 3)
  expect(firstFrame(layout, [25, 30], 2999)).toBe(3000)
})
