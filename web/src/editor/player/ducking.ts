// How loud the main sound is while placed assets are heard, as package media has it.

/** A placed asset while it is heard, on output time in milliseconds. */
export interface AudibleSpan {
  startMs: number
  endMs: number
  /** The main sound is silent meanwhile. */
  replace: boolean
  /** The main sound is lowered meanwhile. */
  duck: boolean
}

const DUCK_DB = -12
const ATTACK_MS = 150
const RELEASE_MS = 400

/** The linear gain of the main sound at ms of the edited video. */
export function mainGain(ms: number, heard: readonly AudibleSpan[]): number {
  let depth = 0
  for (const h of heard) {
    if (h.replace && ms >= h.startMs && ms < h.endMs) return 0
    if (!h.duck) continue
    if (ms < h.startMs) depth = Math.max(depth, 1 - (h.startMs - ms) / ATTACK_MS)
    else if (ms < h.endMs) depth = 1
    else depth = Math.max(depth, 1 - (ms - h.endMs) / RELEASE_MS)
  }
  return 10 ** ((Math.max(depth, 0) * DUCK_DB) / 20)
}
