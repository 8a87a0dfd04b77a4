// What plays: the segments of the sequence, or of an audition in their place, and the segment that plays now.

import { clipAt, type Span } from '../plan/renderPlan'
import { segmentIndexAt, type PlaybackSegment } from '../plan/playback'

/** What plays. Clips are UUIDs in display order. */
export interface Sequence {
  clips: string[]
  layout: Span[]
  segments: PlaybackSegment[]
  /** Spans of project time without audio, in order and disjoint. */
  muted: readonly Span[]
}

interface Audition {
  segments: readonly PlaybackSegment[]
  muted: readonly Span[]
}

/** A place in the footage. */
export interface Place {
  clip: string
  /** Clip time in milliseconds. */
  ms: number
}

export class Playlist {
  private sequence: Sequence = { clips: [], layout: [], segments: [], muted: [] }
  private audition: Audition | null = null
  private index = 0

  get clips(): readonly string[] {
    return this.sequence.clips
  }

  get layout(): Span[] {
    return this.sequence.layout
  }

  /** The spans of project time without audio. */
  get muted(): readonly Span[] {
    return (this.audition ?? this.sequence).muted
  }

  get current(): PlaybackSegment | undefined {
    return this.segments[this.index]
  }

  get next(): PlaybackSegment | undefined {
    return this.segments[this.index + 1]
  }

  /** The end of the last clip, in milliseconds of project time. */
  get endMs(): number {
    return this.sequence.layout.at(-1)?.endMs ?? 0
  }

  /** Whether an audition takes the place of the sequence. */
  get auditions(): boolean {
    return this.audition !== null
  }

  private get segments(): readonly PlaybackSegment[] {
    return (this.audition ?? this.sequence).segments
  }

  clipOf(segment: PlaybackSegment): string {
    return this.sequence.clips[segment.clip]!
  }

  /** The footage at project time ms; null outside of all clips. */
  placeAt(ms: number): Place | null {
    const at = clipAt(this.sequence.layout, ms)
    return at && { clip: this.sequence.clips[at.index]!, ms: at.ms }
  }

  /** Replaces the sequence. Call find afterwards, unless an audition plays. */
  replace(sequence: Sequence): void {
    this.sequence = sequence
  }

  /** Makes the segment at project time ms, or the next one, the current one. Returns false past the last segment. */
  find(ms: number): boolean {
    this.index = segmentIndexAt(this.segments, ms)
    return this.index < this.segments.length
  }

  /** Makes the first segment the current one, and returns it. */
  rewind(): PlaybackSegment | undefined {
    this.index = 0
    return this.current
  }

  /** Moves on to the next segment. */
  advance(): void {
    this.index++
  }

  /** Plays other segments in place of the sequence, from the first one on. */
  startAudition(segments: readonly PlaybackSegment[], muted: readonly Span[]): void {
    this.audition = { segments, muted }
    this.index = 0
  }

  /** Returns to the sequence. */
  endAudition(): void {
    this.audition = null
  }
}
