// Muted spans of the preview: silences the recording and plays the room tone of an export instead.

import { clipAt, type Span } from '../plan/renderPlan'
import type { DeckAudio, Tone } from './deckAudio'

/** Loads the room tone of a muted span of a clip, in clip time, as an audio file; null if the clip has none. */
export type RoomToneSource = (clip: string, span: Span) => Promise<ArrayBuffer | null>

/** How long before a muted span its room tone is loaded, in milliseconds. */
const AHEAD_MS = 5000

/** The part of a muted span on one clip. */
interface Mute {
  clip: string
  /** Project time of the start of the clip, in milliseconds. */
  clipMs: number
  /** In project time. */
  span: Span
}

export class MutedAudio {
  private readonly audio: Pick<DeckAudio, 'setMuted' | 'decode' | 'playTone' | 'stopTone'>
  private readonly source: RoomToneSource
  private readonly tones = new Map<string, Promise<Tone | null>>()
  private sounding: string | null = null // key of the mute whose room tone plays

  constructor(audio: MutedAudio['audio'], source: RoomToneSource) {
    this.audio = audio
    this.source = source
  }

  /**
   * Call when the position, the muted spans or the playback change. All times are project time in milliseconds; spans are
   * in order and disjoint.
   */
  update(clips: readonly string[], layout: Span[], spans: readonly Span[], at: number, playing: boolean): void {
    const span = spans.find((s) => at < s.endMs)
    const muted = span !== undefined && at >= span.startMs
    this.audio.setMuted(muted)
    const near = playing && span !== undefined && span.startMs - at < AHEAD_MS
    const mute = near ? muteAt(clips, layout, span, Math.max(at, span.startMs)) : undefined
    const tone = mute && this.toneOf(mute)
    const key = muted && mute ? keyOf(mute) : null
    if (key === this.sounding) return
    this.sounding = key
    this.audio.stopTone()
    if (key === null || !mute || !tone) return
    const entered = performance.now()
    void tone.then((loop) => {
      const from = at - mute.clipMs + performance.now() - entered
      if (loop && this.sounding === key) this.audio.playTone(loop, from / 1000)
    })
  }

  // toneOf loads the room tone of a mute once. A failed load is repeated at the next call.
  private toneOf(mute: Mute): Promise<Tone | null> {
    const key = keyOf(mute)
    const known = this.tones.get(key)
    if (known) return known
    const { clip, clipMs, span } = mute
    const loaded = this.source(clip, { startMs: span.startMs - clipMs, endMs: span.endMs - clipMs })
      .then((file) => file && this.audio.decode(file, (span.endMs - span.startMs) / 1000))
      .catch(() => {
        this.tones.delete(key)
        return null
      })

    this.tones.set(key, loaded)
    return loaded
  }
}

// muteAt returns the part of a muted span on the clip at project time ms.
function muteAt(clips: readonly string[], layout: Span[], span: Span, ms: number): Mute | undefined {
  const place = clipAt(layout, ms)
  if (!place) return undefined
  const { startMs, endMs } = layout[place.index]!
  return {
    clip: clips[place.index]!,
    clipMs: startMs,
    span: { startMs: Math.max(span.startMs, startMs), endMs: Math.min(span.endMs, endMs) },
  }
}

const keyOf = ({ clip, span }: Mute) => `${clip} ${span.startMs} ${span.endMs}`
