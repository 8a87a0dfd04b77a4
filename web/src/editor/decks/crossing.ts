// The switch from the end of one segment to the start of the next, which may be another clip. The hidden deck starts shortly
// before the cut, so that it has the right time at the cut. Around the cut, a freeze frame covers both decks.

import { nextRate, preRollRate, type PlaybackSegment } from '../plan/playback'
import type { Deck } from './deck'
import type { DeckAudio } from './deckAudio'
import type { FreezeFrame } from './freezeFrame'
import type { ShownFrame } from './shownFrames'
import { isWebKitGTK } from './webKitGTK'

/** A segment ends this early, because a screen shows a frame about two frames after it is set; milliseconds. */
export const EARLY_MS = 15
/**
 * How long before a cut the freeze frame covers the deck and the end of the audio is scheduled, in milliseconds of
 * playback. Longer than a page is usually busy.
 */
const COVER_MS = 640
/** How late a busy page may show a frame, in milliseconds. */
const LATE_MS = 100
/** How long before a cut the next deck plays, in milliseconds of playback. */
const LEAD_MS = 320
/** How much earlier a deck is started at most, because it takes time until it plays; milliseconds. */
const MAX_STARTUP_MS = 250
/** The share by which a longer start raises the expected one. */
const STARTUP_GROWTH = 0.2
/** How long before a cut the audio switch is scheduled exactly, in milliseconds of playback. */
const SCHEDULE_MS = 150

/** The hidden deck, and the segment that it plays next. */
interface Upcoming {
  deck: Deck
  clip: string
  segment: PlaybackSegment
}

export class Crossing {
  private readonly freezeFrame: FreezeFrame
  private readonly audio: DeckAudio
  private rolls = false
  /** Whether the freeze frame follows the visible deck to the end of this segment, where its audio ends as scheduled. */
  private following = false
  /** Whether the audio switch at the end of this segment is scheduled. */
  private scheduled = false
  private covered = false
  /** Clip time of the hidden deck when it started to play towards the next segment, in milliseconds. */
  private startedAt = 0
  /** When it was started; null once it plays. */
  private started: number | null = null
  /** How long a deck takes from its start until it plays, in milliseconds. A deck is rather late than early. */
  private startup = 0
  /** In WebKitGTK, each change of the rate stops the element for a moment. */
  private readonly corrects = !isWebKitGTK()

  constructor(freezeFrame: FreezeFrame, audio: DeckAudio) {
    this.freezeFrame = freezeFrame
    this.audio = audio
  }

  /** Whether the hidden deck already plays towards the next segment. */
  get rolling(): boolean {
    return this.rolls
  }

  /** How long before its segment a deck plays, in milliseconds of clip time. */
  static lead(next: PlaybackSegment, speed: number): number {
    return Math.min(LEAD_MS * speed, next.inMs)
  }

  /** Call at each step of playback, with the time until the cut in milliseconds of playback. */
  approach(front: Deck, next: Upcoming | null, left: number, speed: number): void {
    const late = next ? this.roll(next, left, speed) : 0
    if (left <= COVER_MS && !this.following) {
      this.following = true
      this.audio.scheduleSwitch(left, null)
    }

    // Without reports, the frame is frozen late, because no later frame replaces it.
    if (!this.covered && left > EARLY_MS && left <= (front.frames.silent() ? LATE_MS : COVER_MS)) {
      this.cover(front)
    }

    if (left <= SCHEDULE_MS && left > EARLY_MS && !this.scheduled) {
      this.scheduled = true
      this.audio.scheduleSwitch(left, next && this.rolls ? Math.max(left + late / speed, left) : null)
    }
  }

  /** Reports whether the hidden deck plays, but does not show the next segment yet. The freeze frame covers both decks. */
  waitsFor(back: Deck, next: PlaybackSegment): boolean {
    return this.rolls && back.frames.now() < next.inMs - 1
  }

  /** Makes the audio of the hidden deck, which becomes the visible one, the audible one. */
  finish(): void {
    this.forget()
    this.audio.finishSwitch()
    // One frame after the other deck became visible.
    requestAnimationFrame(() => !this.following && this.uncover())
  }

  /** Cancels the preparations for the next cut. The visible deck is the audible one. */
  cancel(back: Deck, visible: 0 | 1): void {
    if (this.rolls) back.video.pause()
    this.forget()
    this.audio.switchTo(visible)
    this.uncover()
  }

  /** Ends the preparations and keeps the freeze frame, until the deck shows the last frame of its segment. */
  forget(): void {
    this.rolls = this.following = this.scheduled = false
  }

  /** Leaves the next segment to the visible deck, because the hidden one failed. */
  abandon(): void {
    this.rolls = false
  }

  /** Makes the decks visible. */
  uncover(): void {
    if (!this.covered) return
    this.freezeFrame.clear()
    this.covered = false
  }

  /**
   * Copies a frame of the visible deck to the freeze frame as soon as it is shown, up to the end of the segment. A later copy
   * could already hold the next frame, which may be cut.
   */
  frameShown(front: Deck, outMs: number, frame: ShownFrame, speed: number): void {
    if (this.following && frame.ms < outMs - 1 && showsKept(front.video, outMs, frame, speed)) this.cover(front)
  }

  private cover(deck: Deck): void {
    this.freezeFrame.capture(deck.video)
    this.covered = true
  }

  // roll starts the hidden deck in time for the next segment and corrects its time until the cut is near. Returns how late
  // the deck is, in milliseconds.
  private roll({ deck, clip, segment }: Upcoming, left: number, speed: number): number {
    const ready = deck.clip === clip && !deck.video.seeking && deck.hasFrame
    if (!this.rolls && ready && left - this.startup <= Crossing.lead(segment, speed) / speed) {
      this.rolls = true
      this.startedAt = deck.ms
      this.started = performance.now()
      deck.frames.restart()
      deck.setRate(speed)
      deck.play()
    }

    const late = segment.inMs - deck.ms - Math.max(left, 0) * speed
    // A deck that does not run yet may never do so while its rate changes.
    if (!this.rolls || deck.ms <= this.startedAt) return late
    if (this.started !== null) this.expect(performance.now() - this.started - (deck.ms - this.startedAt) / speed)
    this.started = null
    if (!this.corrects) return late

    // A rate change is audible near the cut. A deck that is very late is not audible yet and may still be corrected.
    const corrects = left > SCHEDULE_MS || late > SCHEDULE_MS
    const wanted = corrects ? preRollRate(speed, late, left - SCHEDULE_MS) : speed
    deck.setRate(nextRate(deck.video.playbackRate, wanted, speed))
    return late
  }

  // expect learns how long a deck took to start.
  private expect(ms: number): void {
    const longer = Math.min(ms, MAX_STARTUP_MS) - this.startup
    this.startup = Math.max(this.startup + (longer > 0 ? longer * STARTUP_GROWTH : longer), 0)
  }
}

// showsKept reports whether a deck still shows a frame before the end of its segment. The frame of a callback may have been
// replaced since, on a busy page also early.
function showsKept(video: HTMLVideoElement, outMs: number, { ms, lateMs, before }: ShownFrame, speed: number): boolean {
  const now = frameTime(video)
  if (now !== undefined) return now < outMs - 1
  const far = (outMs - ms) / speed > lateMs + LATE_MS
  return far || lateMs < Math.min(20, (ms - before) / 2 / speed)
}

/** The time of the shown frame differs less than this from the time of its element, in milliseconds. Firefox tells seconds. */
const NEAR_MS = 500

// frameTime returns the clip time of the frame that an element shows at this moment, in milliseconds; undefined in browsers
// that do not tell.
function frameTime(video: HTMLVideoElement): number | undefined {
  if (!('VideoFrame' in window)) return undefined
  try {
    const frame = new VideoFrame(video)
    const ms = frame.timestamp / 1000
    frame.close()
    return Math.abs(ms - video.currentTime * 1000) < NEAR_MS ? ms : undefined
  } catch {
    return undefined // the element has no frame yet
  }
}
