import { describe, expect, it } from 'vitest'
import vectors from '../../../../media/testdata/preview_vectors.json'
import { makeTimeMap } from './timeMap'
import { layOutClips, makePlan } from './renderPlan'
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

  it('leave out muted words like in the render', () => {
    const plan = makeTimeMap(makePlan({ num: 30, den: 1 }, [10_000], []), layOutClips([10_000]))
    const text = (text: string, start_ms: number, end_ms: number) => ({ text, start_ms, end_ms })
    const spoken = [text('one', 1000, 1400), text('two,', 1500, 2000), text('three', 2100, 2600)]
    const muting = (line: string, startMs: number, endMs: number) =>
      timeCaptions(plan, [text(line, 1000, 2600)], spoken, [{ startMs, endMs }]).map((c) => [
        c.text,
        c.startMs,
        c.endMs,
      ])

    const line = 'one two, three'
    expect(muting(line, 900, 1450)).toEqual([['two, three', 1500, 2600]])
    expect(muting(line, 2050, 2700)).toEqual([['one two,', 1000, 2000]])
    expect(muting(line, 1450, 2050)).toEqual([['one three', 1000, 2600]])
    expect(muting(line, 1300, 1400)).toEqual([[line, 1000, 2600]])
    expect(muting(line, 900, 2700)).toEqual([])
    expect(muting('edited by hand', 1000, 2000)).toEqual([])
    expect(muting('edited by hand', 1000, 1200)).toEqual([['edited by hand', 1000, 2600]])
  })

  it('are shown until before their end and highlight the spoken word', () => {
    expect(captionAt(captions, 999)).toBeNull()
    expect(captionAt(captions, 1000)).toMatchObject({ caption: { text: 'one three' }, word: 0 })
    expect(captionAt(captions, 1499)?.word).toBe(0)
    expect(captionAt(captions, 1500)?.word).toBe(1)
    expect(captionAt(captions, 2000)).toBeNull()
  })
})
