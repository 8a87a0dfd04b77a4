import { describe, expect, it } from 'vitest'
import vectors from '../../../../media/testdata/timeline_vectors.json'
import {
  clipAt,
  frameAt,
  keptSpans,
  layOutClips,
  makePlan,
  mergeSpans,
  msAt,
  sampleAt,
  samplesOf,
  snapRate,
} from './renderPlan'

const spans = (list: { start_ms: number; end_ms: number }[]) =>
  list.map((s) => ({ startMs: s.start_ms, endMs: s.end_ms }))

describe('the shared vectors', () => {
  for (const c of vectors.timelines) {
    it(c.name, () => {
      const total = c.clips_ms.reduce((a, b) => a + b, 0)
      expect(keptSpans(total, spans(c.cuts))).toEqual(spans(c.kept))
      const plan = makePlan(c.rate, c.clips_ms, spans(c.cuts))
      expect(plan.segments).toEqual(c.segments)
      expect(plan.segments.map((s) => samplesOf(plan, s))).toEqual(c.samples)
      expect(plan.frames).toBe(c.frames)
      expect(plan.durationMs).toBe(c.duration_ms)
    })
  }

  it('round to the nearest frame, millisecond and sample', () => {
    for (const c of vectors.rounding) {
      expect(frameAt(c.rate, c.ms)).toBe(c.frame)
      expect(msAt(c.rate, c.frame)).toBe(c.back_ms)
      expect(sampleAt(c.rate, c.frame)).toBe(c.sample)
    }
  })

  it('snap to standard rates', () => {
    for (const c of vectors.snap) expect(snapRate(c.num, c.den), `${c.num}/${c.den}`).toEqual(c.snapped)
  })
})

describe('spans', () => {
  it('merging does not change its input', () => {
    const input = [
      { startMs: 5, endMs: 9 },
      { startMs: 1, endMs: 6 },
    ]

    expect(mergeSpans(input)).toEqual([{ startMs: 1, endMs: 9 }])
    expect(input).toEqual([
      { startMs: 5, endMs: 9 },
      { startMs: 1, endMs: 6 },
    ])
  })
})

describe('clips on the timeline', () => {
  const layout = layOutClips([1000, 2000, 500])
  it.each([
    [0, 0, 0],
    [999, 0, 999],
    [1000, 1, 0],
    [2999, 1, 1999],
    [3000, 2, 0],
    [3500, 2, 500],
    [9999, 2, 500],
    [-5, 0, 0],
  ])('%i ms is in clip %i at %i ms', (ms, index, at) => {
    expect(clipAt(layout, ms)).toEqual({ index, ms: at })
  })

  it('are not found without clips', () => expect(clipAt([], 5)).toBeNull())
})
