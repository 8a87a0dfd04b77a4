// Plays segments of clips on two video elements, called decks. While one deck plays a segment, the other is paused shortly
// before the next segment. It starts hidden and muted before the cut and has the right time at the cut, so that a cut is a
// switch and not a seek; crossing.ts prepares it.

import { playerText } from '../../text/editor/player'
import type { Span } from '../plan/renderPlan'
import { segmentEnd, shuttle, type PlaybackSegment } from '../plan/playback'
import { Crossing, EARLY_MS } from './crossing'
import { Deck, type AddressSource, type DeckEvents } from './deck'
import { DeckAudio } from './deckAudio'
import type { Ears } from './ears'
import { FreezeFrame } from './freezeFrame'
import { MutedAudio, type RoomToneSource } from './mutedAudio'
import { Playlist, type Sequence } from './playlist'
import type { ShownFrame } from './shownFrames'
import { StallClock } from './stallClock'

export interface PlayerState {
  playing: boolean
  /** Signed playback speed. Backward playback shows single frames without audio. */
  speed: number
  /** Whether the video is loading, or its time stands while it should play. */
  waiting: boolean
  /** A message for the person; null without an error. */
  error: string | null
  /** The visible deck. */
  deck: 0 | 1
}

/** Distance of the last frame of a segment from its end, in milliseconds of clip time. */
const LAST_FRAME_MS = 8
/** The time between two looks for a deck whose time stands, in milliseconds. */
const LOOK_MS = 150

export class Player {
  private readonly decks: readonly [Deck, Deck]
  private readonly audio: DeckAudio
  private readonly mutes: MutedAudio
  private readonly crossing: Crossing
  private readonly playlist = new Playlist()
  private readonly listeners = new Set<() => void>()
  private readonly watchers = new Set<(ms: number) => void>()
  private state: PlayerState = { playing: false, speed: 1, waiting: false, error: null, deck: 0 }
  private at = 0 // project time, milliseconds
  private ended = false
  private ears: ReadonlyMap<string, Ears> = new Map()
  private base = 1 // playback speed outside of the shuttle
  private readonly stall = new StallClock()
  private readonly looks: number
  /** The next animation frame, and when the last one was. */
  private frame = 0
  private last = 0

  /** Takes two video elements, which the player owns until close, and the canvas of the freeze frame. */
  constructor(
    videos: readonly [HTMLVideoElement, HTMLVideoElement],
    canvas: HTMLCanvasElement,
    address: AddressSource,
    roomTone: RoomToneSource,
  ) {
    this.audio = new DeckAudio(videos)
    this.mutes = new MutedAudio(this.audio, roomTone)
    this.crossing = new Crossing(new FreezeFrame(canvas), this.audio)
    const events: DeckEvents = {
      frameShown: (deck, frame) => this.frameShown(deck, frame),
      changed: (deck) => this.note(deck),
      broken: (deck) => void this.recover(deck),
      failed: (deck) => this.fail(deck),
      refused: () => this.pause(),
    }

    this.decks = [new Deck(videos[0], address, events), new Deck(videos[1], address, events)]
    this.looks = window.setInterval(() => this.look(), LOOK_MS)
    for (const video of videos) {
      video.addEventListener('progress', () => this.stall.dataArrived())
      // A hidden tab has no animation frames, but video continues to play.
      video.addEventListener('timeupdate', () => document.hidden && this.tick())
    }
  }

  readonly subscribe = (listener: () => void) => {
    this.listeners.add(listener)
    return () => {
      this.listeners.delete(listener)
    }
  }

  readonly snapshot = () => this.state

  /** Calls watcher with the project time whenever it changes. Returns a function that stops the calls. */
  watch(watcher: (ms: number) => void): () => void {
    this.watchers.add(watcher)
    watcher(this.at)
    return () => {
      this.watchers.delete(watcher)
    }
  }

  /** Project time in milliseconds. */
  position = () => this.at

  /** Whether the position is the end of what has played, so that the shown frame is the one before it. */
  atEnd = () => this.ended

  /** The visible video element. */
  visibleVideo = () => this.front().video

  /** The preview volume, 0 to 1. */
  volume = () => this.audio.volume

  setVolume(volume: number): void {
    this.audio.setVolume(volume)
  }

  /** Sets the gain of the footage, 0 to 1, which placed assets and the settings of the export lower. */
  setGain(gain: number): void {
    this.audio.setGain(gain)
  }

  /** Sets the clips that play other than as they are. */
  setEars(ears: ReadonlyMap<string, Ears>): void {
    this.ears = ears
    this.applyEars()
  }

  /** Sets the playback speed. */
  setRate(rate: number): void {
    this.base = rate
    if (this.state.playing && this.state.speed < 0) return
    this.set({ speed: rate })
    this.front().setRate(rate)
  }

  /** Replaces the segments or clips. Playback continues at its position, which may be in another clip now. */
  setSequence(sequence: Sequence): void {
    const before = this.playlist.placeAt(this.at)
    this.playlist.replace(sequence)
    if (this.at > this.playlist.endMs) this.move(this.playlist.endMs)
    this.applyMutes()
    if (this.playlist.auditions) return

    this.playlist.find(this.at)
    const place = this.playlist.placeAt(this.at)
    if (this.forward()) this.settle()
    else if (place?.clip !== before?.clip || place?.ms !== before?.ms) this.show()
  }

  play(): void {
    if (!this.playlist.find(this.at)) {
      const first = this.playlist.rewind()
      if (!first) return
      this.at = first.startMs
    }

    this.crossing.uncover()
    this.start(this.state.speed > 0 ? this.state.speed : this.base)
  }

  pause(): void {
    this.stop()
    cancelAnimationFrame(this.frame)
    this.set({ playing: false, speed: this.base, waiting: false })
  }

  toggle(): void {
    if (this.state.playing) this.pause()
    else this.play()
  }

  /** Another press of L (1) or J (-1). */
  shuttle(direction: 1 | -1): void {
    const speed = shuttle(this.state.playing ? this.state.speed : 0, direction)
    if (speed > 0) {
      this.set({ speed })
      if (!this.state.playing) this.play()
      else this.settle()
      return
    }

    this.stop()
    this.set({ playing: true, speed })
    this.run()
  }

  /** Shows the frame at project time ms, also inside a cut. Playback continues from there. */
  seek(ms: number): void {
    this.playlist.endAudition()
    this.move(Math.min(Math.max(ms, 0), this.playlist.endMs))
    const found = this.playlist.find(this.at)
    if (!this.forward()) this.show()
    else if (found) this.settle()
    else this.pause()
  }

  /** Plays other segments once, without audio in the muted spans, and pauses at their end. */
  audition(segments: readonly PlaybackSegment[], muted: readonly Span[] = []): void {
    if (segments.length === 0) return
    this.playlist.startAudition(segments, muted)
    this.move(segments[0]!.startMs)
    this.start(1)
  }

  /** Loads the clip again after an error. */
  retry(): void {
    for (const deck of this.decks) deck.reset()
    this.set({ error: null })
    this.show()
  }

  /** Stops playback and releases the video elements. */
  close(): void {
    this.pause()
    window.clearInterval(this.looks)
    this.audio.close()
    this.listeners.clear()
    this.watchers.clear()
    for (const deck of this.decks) deck.close()
  }

  private forward = () => this.state.playing && this.state.speed > 0
  private front = () => this.decks[this.state.deck]
  private back = () => this.decks[this.state.deck === 0 ? 1 : 0]

  private set(change: Partial<PlayerState>): void {
    this.state = { ...this.state, ...change }
    this.applyMutes()
    for (const listener of this.listeners) listener()
  }

  private move(ms: number, ended = false): void {
    this.at = ms
    this.ended = ended
    this.applyMutes()
    for (const watcher of this.watchers) watcher(ms)
  }

  private applyMutes(): void {
    const { clips, layout, muted } = this.playlist
    this.mutes.update(clips, layout, muted, this.at, this.forward())
  }

  // start plays from the current segment.
  private start(speed: number): void {
    this.set({ playing: true, speed, error: null })
    this.audio.start()
    this.settle()
    this.run()
  }

  // stop pauses both decks.
  private stop(): void {
    for (const deck of this.decks) deck.video.pause()
    this.hold()
  }

  // hold cancels the preparations for the next cut.
  private hold(): void {
    this.crossing.cancel(this.back(), this.state.deck)
  }

  // applyEars makes each deck play its recording as the export has it.
  private applyEars(): void {
    this.audio.setEars(0, this.ears.get(this.decks[0].clip ?? '') ?? null)
    this.audio.setEars(1, this.ears.get(this.decks[1].clip ?? '') ?? null)
  }

  private note(deck: Deck): void {
    this.applyEars()
    if (this.forward()) this.audio.start()
    if (deck !== this.front()) return
    if (deck.hasFrame && !this.state.playing) deck.succeed()
    this.noteWaiting()
  }

  private noteWaiting(): void {
    const waiting = this.front().loads || (this.forward() && this.stall.stands)
    if (waiting !== this.state.waiting) this.set({ waiting })
  }

  // look finds a deck whose time stands while it should play or load, and helps it.
  private look(): void {
    const front = this.front()
    if (!this.state.playing && !front.video.seeking && front.frames.silent()) this.crossing.uncover()
    if (this.state.error || !(this.forward() || front.video.seeking || this.state.waiting)) return this.stall.reset()
    const deck = this.waitsAtCut() ? this.back() : front
    const help = this.stall.look(deck.video, LOOK_MS)
    if (this.stall.plays) deck.succeed()
    if (help === 'nudge' && this.forward() && !deck.video.seeking && deck.hasFrame) deck.nudge(this.state.speed)
    else if (help === 'reload') this.reload(deck)
    this.noteWaiting()
  }

  // waitsAtCut reports whether playback waits at a cut for the hidden deck.
  private waitsAtCut(): boolean {
    const { current } = this.playlist
    if (!this.forward() || !this.crossing.rolling || !current) return false
    return this.at >= segmentEnd(current) - EARLY_MS * this.state.speed
  }

  // reload loads the clip of a deck again.
  private reload(deck: Deck): void {
    if (!deck.fail()) return this.fail(this.front())
    if (deck !== this.front()) {
      deck.video.pause()
      this.crossing.abandon()
    } else if (this.forward()) this.settle()
    else this.show()
  }

  // recover reloads a clip with a new address, because addresses expire, and continues at the same time.
  private async recover(deck: Deck): Promise<void> {
    const { clip, ms } = deck
    if (!clip || !deck.video.getAttribute('src')) return
    if (deck !== this.front()) this.crossing.abandon()
    if (!deck.fail()) return this.fail(deck)
    const ok = await deck.cue(clip, ms)
    if (ok && deck === this.front() && this.forward()) deck.play()
  }

  private fail(deck: Deck): void {
    if (deck !== this.front()) return
    this.pause()
    this.set({ error: playerText.playbackFailed })
  }

  // show puts the frame at the position on the visible deck.
  private show(): void {
    const place = this.playlist.placeAt(this.at)
    if (place) void this.front().cue(place.clip, place.ms)
  }

  // settle brings the visible deck into the current segment and the hidden deck before the next one.
  private settle(): void {
    const now = this.playlist.current
    if (!now) return
    const within = this.at >= now.startMs && this.at < segmentEnd(now)
    const clipMs = within ? now.inMs + this.at - now.startMs : now.inMs
    const front = this.front()
    const clip = this.playlist.clipOf(now)
    const there = front.isAt(clip, clipMs)
    front.setRate(this.state.speed)
    this.hold()
    const started = there ? Promise.resolve(true) : front.cue(clip, clipMs)
    void started.then((ok) => {
      if (ok && this.forward() && front === this.front()) front.play()
    })

    this.prepare()
  }

  // prepare cues the hidden deck before the next segment.
  private prepare(): void {
    const { next } = this.playlist
    if (next) void this.back().cue(this.playlist.clipOf(next), next.inMs - Crossing.lead(next, this.state.speed))
  }

  private run(): void {
    cancelAnimationFrame(this.frame)
    this.last = performance.now()
    const loop = () => {
      this.tick()
      if (this.state.playing) this.frame = requestAnimationFrame(loop)
    }

    this.frame = requestAnimationFrame(loop)
  }

  private tick(): void {
    const now = performance.now()
    const passed = now - this.last
    this.last = now
    if (!this.state.playing) return
    if (this.state.speed < 0) this.rewind(passed)
    else this.advance()
  }

  // rewind steps back by the time passed, because video elements cannot play backward.
  private rewind(passed: number): void {
    this.playlist.endAudition()
    this.move(Math.max(this.at + passed * this.state.speed, 0))
    this.playlist.find(this.at)
    if (!this.front().video.seeking) this.show()
    if (this.at === 0) this.pause()
  }

  private advance(): void {
    const { current, next } = this.playlist
    const front = this.front()
    if (!current || front.clip !== this.playlist.clipOf(current) || front.video.seeking || !front.hasFrame) return

    const clipMs = front.ms
    // After two quick seeks, the deck may briefly be before the segment.
    this.move(Math.min(Math.max(current.startMs + clipMs - current.inMs, current.startMs), segmentEnd(current)))
    const { speed } = this.state
    const left = front.video.ended ? 0 : (current.outMs - clipMs) / speed
    const upcoming = next ? { deck: this.back(), clip: this.playlist.clipOf(next), segment: next } : null
    this.crossing.approach(front, upcoming, left, speed)
    if (left > EARLY_MS) return
    if (next) this.cross(current, next)
    else this.finish(current)
  }

  // frameShown follows the frames of the visible deck. After the end of playback, the last frame uncovers the deck.
  private frameShown(deck: Deck, frame: ShownFrame): void {
    if (deck !== this.front()) return
    if (!this.state.playing && !deck.video.seeking) this.crossing.uncover()
    const { current } = this.playlist
    if (current) this.crossing.frameShown(deck, current.outMs, frame, this.state.speed)
  }

  // cross switches from the end of one segment to the start of the next.
  private cross(current: PlaybackSegment, next: PlaybackSegment): void {
    const [front, back] = [this.front(), this.back()]
    if (this.crossing.waitsFor(back, next)) {
      if (front.ms >= current.outMs) front.video.pause()
      return
    }

    this.playlist.advance()
    this.move(next.startMs)
    front.video.pause()
    if (!this.crossing.rolling) return this.settle()
    back.setRate(this.state.speed)
    this.crossing.finish()
    this.set({ deck: this.state.deck === 0 ? 1 : 0, waiting: false })
    this.prepare()
  }

  // finish pauses at the last frame of a segment. The freeze frame covers the deck until that frame is shown.
  private finish(last: PlaybackSegment): void {
    const clip = this.playlist.clipOf(last)
    this.playlist.endAudition()
    for (const deck of this.decks) deck.video.pause()
    cancelAnimationFrame(this.frame)
    this.crossing.forget()
    this.set({ playing: false, speed: this.base, waiting: false })
    this.move(segmentEnd(last), true)
    void this.front().cue(clip, last.outMs - LAST_FRAME_MS)
  }
}
