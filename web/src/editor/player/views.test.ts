import { describe, expect, it } from 'vitest'
import vectors from '../../../../media/testdata/view_vectors.json'
import { makePlan } from '../timeline/renderPlan'
import { cropPosition, punchedSegments, viewAt, windowOf } from './views'

const cuts = vectors.cuts.map((c) => ({ startMs: c.start_ms, endMs: c.end_ms }))
const plan = makePlan(vectors.rate, vectors.clips_ms, cuts)
const size = ([width, height]: number[]) => ({ width: width!, height: height! })

describe('views match the render', () => {
  for (const v of vectors.views) {
    it(`frame ${v.frame}, ${v.ease ? 'eased' : 'hard'}${v.flip ? ', flipped' : ''}`, () => {
      const punchIn = { scale_percent: vectors.scale * 100, ease: v.ease, x: vectors.point[0]!, y: vectors.point[1]! }
      const crop = vectors.crop.map((keys) => keys.map((k) => ({ atMs: k.ms, x: k.x, y: k.y })))
      const options = { punchIn, flipH: v.flip, flipV: false, crop }
      const view = viewAt(plan, punchedSegments(plan, punchIn), options, v.frame)
      windowOf(view, size(vectors.size), size(vectors.frame)).forEach((n, i) => expect(n).toBeCloseTo(v.want[i]!, 1))
    })
  }
})

describe('cropPosition', () => {
  it('is a share of the room that the crop has', () => {
    const footage = { width: 1920, height: 1080 }
    const frame = { width: 540, height: 540 }
    expect(cropPosition([0.5, 0.5], footage, frame)).toBe('50% 50%')
    expect(cropPosition([0, 0], footage, frame)).toBe('0% 50%')
    expect(cropPosition([0.375, 0.5], footage, frame)).toMatch(/^21\.42\d+% 50%$/)
    expect(cropPosition([0.9, 0.5], footage, frame)).toBe('100% 50%')
  })
})
