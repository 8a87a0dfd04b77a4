import { describe, expect, it } from 'vitest'
import vectors from '../../../../media/testdata/view_vectors.json'
import { makePlan } from './renderPlan'
import { cropPosition, planPunchIn, viewAt, windowOf, type JoinChoice } from './views'

const cuts = vectors.cuts.map((c) => ({ startMs: c.start_ms, endMs: c.end_ms }))
const plan = makePlan(vectors.rate, vectors.clips_ms, cuts)
const recordings = vectors.clips_ms.map(() => ({ video: true, joins: [] }))
const size = ([width, height]: number[]) => ({ width: width!, height: height! })

describe('views match the render', () => {
  for (const v of vectors.views) {
    it(`frame ${v.frame}, ${v.ease ? 'eased' : 'hard'}${v.flip ? ', flipped' : ''}`, () => {
      const punchIn = {
        scale_percent: vectors.scale * 100,
        ease: v.ease,
        center: 'point' as const,
        x: vectors.point[0]!,
        y: vectors.point[1]!,
      }

      const crop = vectors.crop.map((keys) => keys.map((k) => ({ atMs: k.ms, x: k.x, y: k.y })))
      const options = { punchIn, flipH: v.flip, flipV: false, crop, faces: [], frame: size(vectors.frame) }
      const view = viewAt(plan, planPunchIn(plan, punchIn, recordings), options, v.frame)
      windowOf(view, size(vectors.size), size(vectors.frame)).forEach((n, i) => expect(n).toBeCloseTo(v.want[i]!, 1))
    })
  }
})

describe('views follow the face as the render does', () => {
  vectors.faces.forEach((v, i) => {
    it(`vector ${i}`, () => {
      const punchIn = { scale_percent: 115, ease: false, center: 'face' as const, x: 0.5, y: 0.4 }
      const track = v.face.map((k) => ({ atMs: k.ms, x: k.x, y: k.y }))
      const faces = vectors.clips_ms.map(() => ({ size: size(v.size), center: track }))
      const crop = v.fit === 'crop' ? vectors.clips_ms.map(() => track) : null
      const options = { punchIn, flipH: v.flip, flipV: false, crop, faces, frame: size(v.frame) }
      const view = viewAt(plan, planPunchIn(plan, punchIn, recordings), options, v.at)

      ;[...view.crop, ...view.point].forEach((n, k) => expect(n).toBeCloseTo(v.want[k]!, 3))
    })
  })
})

describe('joins match the render', () => {
  vectors.joins.forEach((v, i) => {
    it(`vector ${i}`, () => {
      const punchIn = {
        scale_percent: v.scale === 1 ? 100 : v.scale * 100,
        ease: v.ease,
        center: 'point' as const,
        x: 0.5,
        y: 0.5,
      }

      const chosen = v.joins.map((list) => ({
        video: true,
        joins: list.map(({ ms, ...choice }): JoinChoice => ({ atMs: ms, ...(choice as Omit<JoinChoice, 'atMs'>) })),
      }))

      const punched = planPunchIn(plan, punchIn, chosen)
      const options = { punchIn, flipH: false, flipV: false, crop: null, faces: [], frame: size(vectors.frame) }
      for (const [frame, scale] of v.frames)
        expect(viewAt(plan, punched, options, frame!).scale, `frame ${frame}`).toBeCloseTo(scale!, 2)
    })
  })

  it('are not planned for clips without video', () => {
    const punchIn = { scale_percent: 115, ease: false, center: 'point' as const, x: 0.5, y: 0.5 }
    const silent = vectors.clips_ms.map(() => ({ video: false, joins: [] }))
    expect(planPunchIn(plan, punchIn, silent).enlarged).not.toContain(true)
  })
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
