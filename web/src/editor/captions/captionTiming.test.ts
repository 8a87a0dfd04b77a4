import { describe, expect, it } from 'vitest'
import vectors from '../../../../media/testdata/preview_vectors.json'
import { makeTimeMap } from '../player/timeMap'
import { layOutClips, makePlan } from '../timeline/renderPlan'
import { captionAt, timeCaptions } from './captionTiming'

const cuts = vectors.cuts.map((c) => ({ startMs: c.start_ms, endMs: c.end_ms }))
const timeMap = makeTimeMap(makePlan(vectors.rate, vectors.clips_ms, cuts), layOutClips(vectors.clips_ms))
const shown = (t: { text: string; start_ms: number; end_ms: number }) => ({
  text: t.text,
  startMs: t.start_ms,
  endMs: t.end_ms,
})

describe('captions', () => {
  const captions = timeCaptions(timeMap, vectors.lines, vectors.words)

  it('follow the cuts like in the render', () => {
    expect(captions).toEqual(vectors.captions.map((c) => ({ ...shown(c), words: c.words.map(shown) })))
  })

  it('are shown until before their end and highlight the spoken word', () => {
    expect(captionAt(captions, 999)).toBeNull()
    expect(captionAt(captions, 1000)).toMatchObject({ caption: { text: 'one three' }, word: 0 })
    expect(captionAt(captions, 1499)?.word).toBe(0)
    expect(captionAt(captions, 1500)?.word).toBe(1)
    expect(captionAt(captions, 2000)).toBeNull()
  })
})
