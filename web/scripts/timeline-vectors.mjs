// Writes media/testdata/timeline_vectors.json: test vectors for package media and src/editor/plan/renderPlan.ts. The script
// computes them a third way, frame by frame in exact integers, so that the two implementations cannot agree by sharing
// a mistake. Run: node scripts/timeline-vectors.mjs
import { writeFileSync } from 'node:fs'

const RATES = {
  23.976: [24000n, 1001n],
  24: [24n, 1n],
  25: [25n, 1n],
  29.97: [30000n, 1001n],
  30: [30n, 1n],
  50: [50n, 1n],
  59.94: [60000n, 1001n],
  60: [60n, 1n],
}

// nearest returns a/b for a >= 0, rounded to the nearest integer; halves round up.
const nearest = (a, b) => (2n * a + b) / (2n * b)
const frameOf = ([num, den], ms) => nearest(BigInt(ms) * num, 1000n * den)
const msOf = ([num, den], frame) => Number(nearest(frame * 1000n * den, num))
const sampleOf = ([num, den], frame) => nearest(frame * 48000n * den, num)

// kept returns the kept spans. It marks each cut millisecond.
function kept(total, cuts) {
  const gone = new Uint8Array(total)
  for (const [start, end] of cuts) for (let ms = start; ms < Math.min(end, total); ms++) gone[ms] = 1
  const out = []
  for (let ms = 0; ms < total; ms++) {
    if (gone[ms]) continue
    if (ms > 0 && !gone[ms - 1]) out.at(-1).end_ms = ms + 1
    else out.push({ start_ms: ms, end_ms: ms + 1 })
  }

  return out
}

function segmentsOf(rate, clips, spans) {
  const out = []
  let base = 0
  let length = 0n
  clips.forEach((duration, input) => {
    for (const span of spans) {
      const start = Math.max(span.start_ms, base)
      const end = Math.min(span.end_ms, base + duration)
      if (end <= start) continue
      const from = frameOf(rate, start - base)
      const to = frameOf(rate, end - base)
      if (to <= from) continue
      const last = out.at(-1)
      if (last && last.input === input && last.out === from) last.out = to
      else out.push({ input, in: from, out: to, start: length })
      length += to - from
    }

    base += duration
  })

  return { segments: out, frames: length }
}

function timelineCase(name, rateName, clips, cuts) {
  const rate = RATES[rateName]
  const spans = kept(
    clips.reduce((a, b) => a + b, 0),
    cuts,
  )

  const { segments, frames } = segmentsOf(rate, clips, spans)
  return {
    name,
    rate: { num: Number(rate[0]), den: Number(rate[1]) },
    clips_ms: clips,
    cuts: cuts.map(([start_ms, end_ms]) => ({ start_ms, end_ms })),
    kept: spans,
    segments: segments.map((s) => ({ input: s.input, in: Number(s.in), out: Number(s.out), start: Number(s.start) })),
    samples: segments.map((s) => {
      const at = sampleOf(rate, s.start)
      return {
        from: Number(sampleOf(rate, s.in)),
        at: Number(at),
        n: Number(sampleOf(rate, s.start + s.out - s.in) - at),
      }
    }),
    frames: Number(frames),
    duration_ms: msOf(rate, frames),
  }
}

function roundingCases() {
  const out = []
  for (const rate of Object.values(RATES)) {
    for (const ms of [0, 1, 16, 17, 20, 21, 33, 34, 500, 1000, 1001, 16683, 59999, 3600000, 10800000]) {
      const frame = frameOf(rate, ms)
      out.push({
        rate: { num: Number(rate[0]), den: Number(rate[1]) },
        ms,
        frame: Number(frame),
        back_ms: msOf(rate, frame),
        sample: Number(sampleOf(rate, frame)),
      })
    }
  }

  return out
}

const snap = (num, den, [n, d]) => ({ num, den, snapped: { num: Number(n), den: Number(d) } })
const many = Array.from({ length: 200 }, (_, i) => [i * 900 + 313, i * 900 + 313 + 277 + (i % 7) * 31])

const vectors = {
  timelines: [
    timelineCase('no cuts at 30', 30, [10000], []),
    timelineCase('one cut at 30', 30, [10000], [[2000, 4000]]),
    timelineCase('one cut at 29.97', '29.97', [10010], [[2000, 4000]]),
    timelineCase(
      'head and tail cut at 25',
      25,
      [8000],
      [
        [0, 1500],
        [6980, 8000],
      ],
    ),
    timelineCase(
      'overlapping, touching, nested and unsorted cuts at 23.976',
      '23.976',
      [20000],
      [
        [9000, 12000],
        [3000, 5000],
        [4500, 7000],
        [7000, 7500],
        [10000, 11000],
      ],
    ),
    timelineCase('a cut shorter than half a frame makes no join at 30', 30, [5000], [[2000, 2010]]),
    timelineCase('a cut shorter than half a frame on a frame border at 29.97', '29.97', [5000], [[2012, 2024]]),
    timelineCase(
      'a kept sliver shorter than half a frame vanishes at 24',
      24,
      [6000],
      [
        [1000, 2000],
        [2012, 3000],
      ],
    ),
    timelineCase(
      'three clips, cuts across both borders at 59.94',
      '59.94',
      [4004, 3003, 5005],
      [
        [3500, 4600],
        [6500, 7507],
        [9000, 9001],
      ],
    ),
    timelineCase('a whole clip cut away at 50', 50, [2000, 3000, 2000], [[2000, 5000]]),
    timelineCase('clips of odd lengths without cuts at 29.97', '29.97', [3337, 1234, 777], []),
    timelineCase('a cut beyond the end at 60', 60, [3000], [[2500, 9999]]),
    timelineCase(
      'empty cuts change nothing at 24',
      24,
      [3000],
      [
        [1000, 1000],
        [2000, 1500],
      ],
    ),
    timelineCase('everything cut at 30', 30, [3000], [[0, 3000]]),
    timelineCase('two hundred cuts do not drift at 29.97', '29.97', [181000], many),
    timelineCase(
      'two hundred cuts over four clips do not drift at 23.976',
      '23.976',
      [45001, 45003, 45007, 45989],
      many,
    ),
  ],
  rounding: roundingCases(),
  snap: [
    snap(30000, 1001, RATES['29.97']),
    snap(2997, 100, RATES['29.97']),
    snap(29970, 1000, RATES['29.97']),
    snap(30, 1, RATES[30]),
    snap(30010, 1001, RATES['29.97']),
    snap(23976, 1000, RATES['23.976']),
    snap(24, 1, RATES[24]),
    snap(25, 1, RATES[25]),
    snap(50, 1, RATES[50]),
    snap(5994, 100, RATES['59.94']),
    snap(60, 1, RATES[60]),
    snap(120, 1, RATES[60]),
    snap(15, 1, [15n, 1n]),
    snap(30, 2, [15n, 1n]),
    snap(0, 1, RATES[30]),
    snap(30, 0, RATES[30]),
  ],
}

const target = new URL('../../media/testdata/timeline_vectors.json', import.meta.url)
writeFileSync(
  target,
  JSON.stringify(vectors, null, 1)
    .replace(/\n\s{3,}/g, ' ')
    .replace(/ ([\]}])/g, ' $1') + '\n',
)
