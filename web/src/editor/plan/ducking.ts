// The gain of the recording while placed assets are audible, and of placed assets while someone speaks. Package media in Go
// computes the same gains.

import type { Span } from './renderPlan'

/** The audible span of a placed asset, in milliseconds of output time. */
export interface AudibleSpan {
  startMs: number
  endMs: number
  /** Whether the recording is muted. */
  replace: boolean
  /** Whether the recording is lowered. */
  duck: boolean
}

const DUCK_DB = -12
const ATTACK_MS = 150
const RELEASE_MS = 400
/** The shortest pause in speech that brings music back. */
const VOICE_GAP_MS = 1000

/** The linear gain of the recording at output time ms. */
export function mainGain(ms: number, audible: readonly AudibleSpan[]): number {
  let depth = 0
  for (const span of audible) {
    if (span.replace && ms >= span.startMs && ms < span.endMs) return 0
    if (span.duck) depth = Math.max(depth, depthAt(ms, span))
  }

  return gainOf(depth)
}

/** Speech in output time, in order, without short pauses. */
export function withoutShortPauses(voice: readonly Span[]): Span[] {
  const out: Span[] = []
  for (const s of [...voice].sort((a, b) => a.startMs - b.startMs)) {
    const last = out.at(-1)
    if (last && s.startMs < last.endMs + VOICE_GAP_MS) last.endMs = Math.max(last.endMs, s.endMs)
    else out.push({ ...s })
  }

  return out
}

/** The linear gain at output time ms of an asset that is lowered under a voice. */
export const underVoiceGain = (ms: number, voice: readonly Span[]) =>
  gainOf(voice.reduce((depth, span) => Math.max(depth, depthAt(ms, span)), 0))

// depthAt is how much a span lowers other audio at a time, 0 to 1.
function depthAt(ms: number, { startMs, endMs }: Span): number {
  if (ms < startMs) return 1 - (startMs - ms) / ATTACK_MS
  return ms < endMs ? 1 : 1 - (ms - endMs) / RELEASE_MS
}

const gainOf = (depth: number) => 10 ** ((Math.max(depth, 0) * DUCK_DB) / 20)
