// Where someone speaks, which lowers placed assets. Package media in Go computes the same; media/testdata/voice_vectors.json
// tests both.

import type { Word } from '../../api/projects'
import { mergeSpans, type Span } from './renderPlan'
import type { Peaks } from './waveform'

const STEP_MS = 100
const SHARE = 0.15
const LEAST = 3

/** The spans of a clip that are as loud as speech, in clip time. */
export function voiceOfPeaks({ peaks, samples_per_second }: Peaks, durationMs: number): Span[] {
  const tops: number[] = []
  for (let ms = 0; ms < durationMs; ms += STEP_MS) {
    const at = (t: number) => Math.floor((t * samples_per_second) / 1000 + 1e-9)
    const part = peaks.slice(at(ms), Math.max(at(ms + STEP_MS), at(ms) + 1))
    if (part.length > 0) tops.push(Math.max(...part))
  }

  const loud = [...tops].sort((a, b) => a - b)[Math.floor((tops.length * 9) / 10)] ?? 0
  const least = Math.max(LEAST, SHARE * loud)
  return mergeSpans(
    tops.flatMap((top, i) => (top >= least ? [{ startMs: i * STEP_MS, endMs: (i + 1) * STEP_MS }] : [])),
  )
}

/** The spans of project time with speech: the words, or without words the loud parts of the clips. */
export function voiceSpans(
  words: readonly Word[],
  sounds: readonly (Peaks | undefined)[],
  layout: readonly Span[],
): Span[] {
  if (words.length > 0) return mergeSpans(words.map((w) => ({ startMs: w.start_ms, endMs: w.end_ms })))
  return layout.flatMap(({ startMs, endMs }, i) =>
    sounds[i]
      ? voiceOfPeaks(sounds[i], endMs - startMs).map((s) => ({
          startMs: startMs + s.startMs,
          endMs: startMs + s.endMs,
        }))
      : [],
  )
}
