// The gain of the recording while placed assets are audible. Package media in Go computes the same gain.

/** The span in which a placed asset is audible, in milliseconds of output time. */
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

/** The linear gain of the recording at output time ms. */
export function mainGain(ms: number, audible: readonly AudibleSpan[]): number {
  let depth = 0
  for (const span of audible) {
    if (span.replace && ms >= span.startMs && ms < span.endMs) return 0
    if (!span.duck) continue
    if (ms < span.startMs) depth = Math.max(depth, 1 - (span.startMs - ms) / ATTACK_MS)
    else if (ms < span.endMs) depth = 1
    else depth = Math.max(depth, 1 - (ms - span.endMs) / RELEASE_MS)
  }
  return 10 ** ((Math.max(depth, 0) * DUCK_DB) / 20)
}
