// How recordings sound on both sides in an export.

import type { Clip } from '../../api/clips'

/** The gain of one channel on each of two sides, which both together have its loudness. Package media has the same gain. */
export const MONO_GAIN = Math.SQRT1_2

/** What both sides of the preview play. */
export interface Ears {
  /** The only channel that plays, on both sides; null plays the channels as they are. */
  channel: 'left' | 'right' | null
  gain: number
}

/**
 * Returns the clips that play other than as they are, by UUID. An export has one channel if all recordings have, and no
 * asset is audible.
 */
export function earsOf(
  clips: readonly Pick<Clip, 'uuid' | 'audio_channels' | 'voice_channel' | 'voice_gain'>[],
  bothEars: boolean,
  withAssets: boolean,
): Map<string, Ears> {
  const mono = !withAssets && clips.every((c) => (c.audio_channels ?? 1) === 1)
  const ears = new Map<string, Ears>()
  for (const c of clips) {
    if (bothEars && c.voice_channel) ears.set(c.uuid, { channel: c.voice_channel, gain: c.voice_gain ?? 1 })
    else if (c.audio_channels === 1 && !mono) ears.set(c.uuid, { channel: null, gain: MONO_GAIN })
  }

  return ears
}
