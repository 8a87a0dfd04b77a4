// One of the two video elements of the player: which clip it has, and how it loads and seeks.

import { ShownFrames, type ShownFrame } from './shownFrames'

/** Returns a playable address of a clip. `fresh` requests a new one after the server rejected the last one. */
export type AddressSource = (clip: string, fresh: boolean) => Promise<string>

/** Seeks aim this far past a frame boundary, so that rounding cannot show the previous frame; seconds. */
const INSIDE_FRAME_S = 0.001
/** Consecutive failed loads before a deck gives up. */
const MAX_FAILURES = 3

/** What a deck reports to its player. */
export interface DeckEvents {
  frameShown: (deck: Deck, frame: ShownFrame) => void
  /** The element or its address may be waiting, or no longer. */
  changed: (deck: Deck) => void
  /** The element could not play its file. */
  broken: (deck: Deck) => void
  /** The server gave no address of a clip. */
  failed: (deck: Deck) => void
  /** The browser refused to play before an action of the person. */
  refused: () => void
}

export class Deck {
  readonly video: HTMLVideoElement
  readonly frames: ShownFrames
  private readonly address: AddressSource
  private readonly events: DeckEvents
  private loadedClip: string | null = null
  /** Whether a cue waits for the address of its clip. */
  private awaitsAddress = false
  /** Number of cues so far. A cue that is no longer the latest is dropped. */
  private cues = 0
  private failures = 0

  constructor(video: HTMLVideoElement, address: AddressSource, events: DeckEvents) {
    this.video = video
    this.address = address
    this.events = events
    this.frames = new ShownFrames(video, (frame) => events.frameShown(this, frame))
    video.addEventListener('error', () => events.broken(this))
    for (const name of ['waiting', 'playing', 'seeked', 'canplay'] as const) {
      video.addEventListener(name, () => events.changed(this))
    }
  }

  /** The clip of the element; null before the first one and after a failure. */
  get clip(): string | null {
    return this.loadedClip
  }

  /** Clip time of the element in milliseconds. */
  get ms(): number {
    return this.video.currentTime * 1000
  }

  /** Whether the element has the frame at its time. */
  get hasFrame(): boolean {
    return this.video.readyState >= HTMLMediaElement.HAVE_CURRENT_DATA
  }

  /** Whether the element waits for its address or its frame. */
  get loads(): boolean {
    return this.awaitsAddress || (this.loadedClip !== null && !this.hasFrame)
  }

  /** Whether the element shows a clip at a time in milliseconds, to within a frame or so. */
  isAt(clip: string, ms: number): boolean {
    return this.loadedClip === clip && !this.video.seeking && Math.abs(this.ms - ms) < 40
  }

  /** Sets the playback rate, unless it is set already. Some browsers interrupt playback for each rate that is set. */
  setRate(rate: number): void {
    if (this.video.playbackRate !== rate) this.video.playbackRate = rate
  }

  /** Plays the element. An interruption by a pause or a load is not an error. */
  play(): void {
    this.video.play().catch((error: unknown) => {
      if (error instanceof DOMException && error.name === 'NotAllowedError') this.events.refused()
    })
  }

  /** Loads a clip if needed and seeks in it. Returns false if a newer cue replaced this one, or without an address. */
  async cue(clip: string, clipMs: number): Promise<boolean> {
    const cue = ++this.cues
    const seconds = clipMs / 1000 + INSIDE_FRAME_S
    this.awaitsAddress = this.loadedClip !== clip
    if (!this.awaitsAddress) {
      if (Math.abs(this.video.currentTime - seconds) > 0.0005) this.video.currentTime = seconds
      return true
    }

    this.video.pause()
    this.events.changed(this)
    const url = await this.address(clip, this.failures > 0).catch(() => null)
    if (cue !== this.cues) return false
    this.awaitsAddress = false
    if (url === null) {
      this.events.failed(this)
      return false
    }

    this.loadedClip = clip
    this.video.src = url
    // The browser starts to load at a time that is set before the metadata arrives.
    this.video.currentTime = seconds
    return true
  }

  /** Starts an element again that has its frame and stands. A seek makes the browser fill its decoders again. */
  nudge(rate: number): void {
    this.setRate(rate)
    this.video.currentTime += 0
    this.play()
  }

  /** Counts a failure, so that the next cue loads the clip again. Returns false after too many in a row. */
  fail(): boolean {
    this.loadedClip = null
    this.failures++
    return this.failures <= MAX_FAILURES
  }

  /** Call when the element plays or shows its frame. */
  succeed(): void {
    this.failures = 0
  }

  /** Forgets all failures, and loads the clip again at the next cue. */
  reset(): void {
    this.loadedClip = null
    this.failures = 0
  }

  /** Releases the element. */
  close(): void {
    this.frames.close()
    this.cues++
    this.loadedClip = null
    this.video.removeAttribute('src')
    this.video.load()
  }
}
