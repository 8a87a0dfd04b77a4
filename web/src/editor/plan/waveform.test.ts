import { describe, expect, it } from 'vitest'
import vectors from '../../../../media/testdata/waveform_vectors.json'
import { frameSize } from '../state/exportOptions'
import { makePlan, msAt } from './renderPlan'
import { voiceOfPeaks, voiceSpans } from './voice'
import { waveformBars, waveformLevels } from './waveform'

const repeated = (runs: number[][]) => runs.flatMap(([value, times]) => new Array<number>(times!).fill(value!))
const sound = (runs: number[][]) => ({ peaks: repeated(runs), samples_per_second: 100 })
const cuts = vectors.cuts.map((c) => ({ startMs: c.start_ms, endMs: c.end_ms }))
const plan = makePlan(
  vectors.rate,
  vectors.clips.map((c) => c.ms),
  cuts,
)

describe('the waveform matches the render', () => {
  const levels = waveformLevels(
    plan,
    vectors.clips.map((c, i) => (c.video ? null : sound(vectors.peaks[i]!))),
  )

  const size = frameSize({ resolution: '1080p', aspect_ratio: '9:16' }, null)

  it('in the heights of its bars', () => {
    expect(levels).toHaveLength(vectors.levels.length)
    levels.forEach((level, i) => expect(level, `bar ${i}`).toBeCloseTo(vectors.levels[i]!, 3))
  })

  for (const v of vectors.views) {
    it(`in frame ${v.frame}`, () => {
      expect([size.width, size.height]).toEqual(vectors.frame)
      const bars = waveformBars(levels, size, msAt(plan.rate, v.frame))
      expect([bars.length, bars.filter((b) => b.played).length]).toEqual([v.bars, v.played])
      for (const [bar, want] of [
        [bars[0]!, v.first],
        [bars.at(-1)!, v.last],
      ] as const)
        [bar.left, bar.top, bar.width, bar.height].forEach((n, i) => expect(n).toBeCloseTo(want[i]!, 1))
    })
  }
})

describe('speech', () => {
  vectors.voice.forEach((v, i) => {
    it(`matches the render in vector ${i}`, () => {
      const peaks = sound(v.peaks)
      const spans = voiceOfPeaks(peaks, peaks.peaks.length * 10)
      expect(spans.map((s) => [s.startMs, s.endMs])).toEqual(v.spans)
    })
  })

  it('is where words are, if there are words', () => {
    const word = { text: 'hi', start_ms: 400, end_ms: 700, probability: 1, clip_uuid: 'a' }
    const layout = [{ startMs: 0, endMs: 4000 }]
    expect(voiceSpans([word], [sound([[200, 400]])], layout)).toEqual([{ startMs: 400, endMs: 700 }])
    expect(voiceSpans([], [sound([[200, 400]])], layout)).toEqual([{ startMs: 0, endMs: 4000 }])
  })
})
