// Plays segments of clips on two video elements, called decks. While one deck plays a segment, the other is paused shortly
// before the next segment. It starts hidden and muted before the cut and has the right time at the cut, so that a cut is a
// switch and not a seek. Around the cut, a freeze frame covers both decks: it follows the first deck up to its last frame
// and disappears when the second deck shows its own first frame.

import { playerText } from '../../text/editor/player'
import { clipAt, type Span } from '../plan/renderPlan'
import { DeckAudio } from './deckAudio'
import { FreezeFrame } from './freezeFrame'
import { MutedAudio, type RoomToneSource } from './mutedAudio'
import { nextRate, preRollRate, shuttle, segmentIndexAt, segmentEnd, type PlaybackSegment } from '../plan/playback'
import { ShownFrames } from './shownFrames'
import { StallClock } from './stallClock'

/** What plays. Clips are UUIDs in display order. */
export interface Sequence {
  clips: string[]
  layout: Span[]
  segments: PlaybackSegment[]
  /** Spans of project time without audio, in order and disjoint. */
  muted: readonly Span[]
}

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

/** Returns a playable address of a clip. `fresh` requests a new one after the server rejected the last one. */
export type AddressSource = (clip: string, fresh: boolean) => Promise<string>

interface Deck {
  video: HTMLVideoElement
  frames: ShownFrames
  clip: string | null
  /** Whether a cue waits for the address of its clip. */
  awaitsAddress: boolean
  /** Number of loads so far. A load that is no longer the latest is dropped. */
  load: number
  failures: number
}

/** Seeks aim this far past a frame boundary, so that rounding cannot show the previous frame; seconds. */
const INSIDE_FRAME_S = 0.001
/** Consecutive failed loads before the player shows an error. */
const MAX_FAILURES = 3
/** A segment ends this early, because a screen shows a frame about two frames after it is set; milliseconds. */
const EARLY_MS = 15
/** Distance of the last frame of a segment from its end, in milliseconds of clip time. */
const LAST_FRAME_MS = 8
/**
 * How long before a cut the freeze frame covers the deck and the end of the audio is scheduled, in milliseconds of
 * playback. Longer than a page is usually busy.
 */
const COVER_MS = 640
/** How late a busy page may show a frame, in milliseconds. */
const LATE_MS = 100
/** How long before a cut the next deck starts, in milliseconds of playback. */
const LEAD_MS = 320
/** How long before a cut the audio switch is scheduled exactly, in milliseconds of playback. */
const SCHEDULE_MS = 150
/** The time between two looks for a deck whose time stands, in milliseconds. */
const LOOK_MS = 150

export class Player {
  private readonly decks: readonly [Deck, Deck]
  private readonly address: AddressSource
  private readonly listeners = new Set<() => void>()
  private readonly watchers = new Set<(ms: number) => void>()
  private sequence: Sequence = { clips: [], layout: [], segments: [], muted: [] }
  private playlist: readonly PlaybackSegment[] | null = null // an audition, which plays instead of the sequence
  private index = 0
  private at = 0 // project time, milliseconds
  private frame = 0
  private last = 0
  private base = 1 // playback speed outside of the shuttle
  private loudness = 1
  private gain = 1
  /** The muted spans of the audition. */
  private auditionMutes: readonly Span[] = []
  private readonly audio: DeckAudio
  private readonly mutes: MutedAudio
  /** Whether the hidden deck already plays towards the next segment. */
  private rolling = false
  /** Whether the freeze frame follows the visible deck to the end of this segment, where its audio ends as scheduled. */
  private following = false
  /** Whether the audio switch at the end of this segment is scheduled. */
  private scheduled = false
  private readonly freezeFrame: FreezeFrame
  private covered = false
  /** Clip time of the hidden deck when it started to play towards the next segment, in milliseconds. */
  private startedAt = 0
  private readonly stall = new StallClock()
  private readonly looks: number
  private state: PlayerState = { playing: false, speed: 1, waiting: false, error: null, deck: 0 }

  /**
   * Takes two video elements, which the player owns until close, and the canvas of the freeze frame. With plainAudio, the
   * player sets the volumes of the elements, plays room tone in an element of its own and uses no Web Audio.
   */
  constructor(
    videos: readonly [HTMLVideoElement, HTMLVideoElement],
    canvas: HTMLCanvasElement,
    address: AddressSource,
    roomTone: RoomToneSource,
    plainAudio: boolean,
  ) {
    this.address = address
    this.freezeFrame = new FreezeFrame(canvas)
    this.audio = new DeckAudio(videos, plainAudio)
    this.mutes = new MutedAudio(this.audio, roomTone)
    const deck = (video: HTMLVideoElement): Deck => {
      const frames = new ShownFrames(video, (ms, lateMs, before) => this.frameShown(video, { ms, lateMs, before }))
      return { video, frames, clip: null, awaitsAddress: false, load: 0, failures: 0 }
    }
    this.decks = [deck(videos[0]), deck(videos[1])]
    this.looks = window.setInterval(() => this.look(), LOOK_MS)
    for (const d of this.decks) {
      d.video.addEventListener('error', () => void this.recover(d))
      d.video.addEventListener('waiting', () => this.note(d))
      d.video.addEventListener('playing', () => this.note(d))
      d.video.addEventListener('seeked', () => this.note(d))
      d.video.addEventListener('canplay', () => this.note(d))
      d.video.addEventListener('progress', () => this.stall.dataArrived())
      // A hidden tab has no animation frames, but video continues to play.
      d.video.addEventListener('timeupdate', () => document.hidden && this.tick())
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

  /** The visible video element. */
  visibleVideo = () => this.front().video

  /** The preview volume, 0 to 1. */
  volume = () => this.loudness

  setVolume(volume: number): void {
    this.loudness = volume
    this.applyVolume()
  }

  /** Sets the gain of the footage, 0 to 1, which placed assets and the settings of the export lower. */
  setGain(gain: number): void {
    if (gain === this.gain) return
    this.gain = gain
    this.applyVolume()
  }

  private applyVolume(): void {
    this.audio.setLevel(this.loudness * this.gain)
  }

  /** Sets the playback speed. */
  setRate(rate: number): void {
    this.base = rate
    if (this.state.playing && this.state.speed < 0) return
    this.set({ speed: rate })
    setRate(this.front().video, rate)
  }

  /** Replaces the segments or clips. Playback continues at its position, which may be in another clip now. */
  setSequence(sequence: Sequence): void {
    const before = this.place()
    this.sequence = sequence
    const end = sequence.layout.at(-1)?.endMs ?? 0
    if (this.at > end) this.move(end)
    this.applyMutes()
    if (this.playlist) return
    this.index = segmentIndexAt(sequence.segments, this.at)
    if (this.forward()) this.settle()
    else if (this.place() !== before) this.show(this.at)
  }

  // place names the clip and the time in it at the position.
  private place(): string {
    const { clips, layout } = this.sequence
    const at = clipAt(layout, this.at)
    return at ? `${clips[at.index]} ${at.ms}` : ''
  }

  play(): void {
    if (this.sequence.clips.length === 0) return
    const list = this.list()
    this.index = segmentIndexAt(list, this.at)
    if (this.index >= list.length) {
      if (list.length === 0) return
      this.index = 0
      this.at = list[0]!.startMs
    }
    this.uncover()
    this.set({ playing: true, speed: this.state.speed > 0 ? this.state.speed : this.base, error: null })
    this.audio.start()
    this.settle()
    this.run()
  }

  pause(): void {
    for (const d of this.decks) d.video.pause()
    this.hold()
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
    for (const d of this.decks) d.video.pause()
    this.hold()
    this.set({ playing: true, speed })
    this.run()
  }

  /** Shows the frame at project time ms, also inside a cut. Playback continues from there. */
  seek(ms: number): void {
    const end = this.sequence.layout.at(-1)?.endMs ?? 0
    this.playlist = null
    this.move(Math.min(Math.max(ms, 0), end))
    this.index = segmentIndexAt(this.sequence.segments, this.at)
    if (this.forward()) {
      if (this.index >= this.sequence.segments.length) this.pause()
      else this.settle()
    } else {
      this.show(this.at)
    }
  }

  /** Plays other segments once, without audio in the muted spans, and pauses at their end. */
  audition(segments: readonly PlaybackSegment[], muted: readonly Span[] = []): void {
    if (segments.length === 0) return
    this.playlist = segments
    this.auditionMutes = muted
    this.index = 0
    this.move(segments[0]!.startMs)
    this.set({ playing: true, speed: 1, error: null })
    this.audio.start()
    this.settle()
    this.run()
  }

  /** Loads the clip again after an error. */
  retry(): void {
    for (const d of this.decks) [d.failures, d.clip] = [0, null]
    this.set({ error: null })
    this.show(this.at)
  }

  /** Stops playback and releases the video elements. */
  close(): void {
    this.pause()
    window.clearInterval(this.looks)
    this.audio.close()
    this.listeners.clear()
    this.watchers.clear()
    for (const d of this.decks) {
      d.frames.close()
      d.load++
      d.clip = null
      d.video.removeAttribute('src')
      d.video.load()
    }
  }

  private forward = () => this.state.playing && this.state.speed > 0
  private list = () => this.playlist ?? this.sequence.segments
  private front = () => this.decks[this.state.deck]
  private back = () => this.decks[this.state.deck === 0 ? 1 : 0]

  private set(change: Partial<PlayerState>): void {
    this.state = { ...this.state, ...change }
    this.applyMutes()
    for (const listener of this.listeners) listener()
  }

  private move(ms: number): void {
    this.at = ms
    this.applyMutes()
    for (const watcher of this.watchers) watcher(ms)
  }

  private applyMutes(): void {
    const { clips, layout, muted } = this.sequence
    const { playing, speed } = this.state
    this.mutes.update(clips, layout, this.playlist ? this.auditionMutes : muted, this.at, playing && speed > 0)
  }

  private note(deck: Deck): void {
    if (deck !== this.front()) return
    if (loaded(deck) && !this.state.playing) deck.failures = 0
    this.noteWaiting()
  }

  private noteWaiting(): void {
    const deck = this.front()
    const loads = deck.awaitsAddress || (deck.clip !== null && !loaded(deck))
    const waiting = loads || (this.forward() && this.stall.stands)
    if (waiting !== this.state.waiting) this.set({ waiting })
  }

  // look finds a deck whose time stands while it should play or load, and helps it.
  private look(): void {
    const front = this.front()
    if (!this.state.playing && !front.video.seeking && front.frames.silent()) this.uncover()
    const deck = this.crossing() ? this.back() : front
    if (this.state.error || !(this.forward() || front.video.seeking || this.state.waiting)) return this.stall.reset()
    const help = this.stall.look(deck.video, LOOK_MS)
    if (this.stall.plays) deck.failures = 0
    if (help === 'nudge') this.nudge(deck)
    else if (help === 'reload') this.reload(deck)
    this.noteWaiting()
  }

  // crossing reports whether playback waits at a cut for the hidden deck.
  private crossing(): boolean {
    const current = this.list()[this.index]
    return (
      this.forward() &&
      this.rolling &&
      current !== undefined &&
      this.at >= segmentEnd(current) - EARLY_MS * this.state.speed
    )
  }

  // nudge starts a deck again that has its frame and stands.
  private nudge(deck: Deck): void {
    const { video } = deck
    if (!this.forward() || video.seeking || !loaded(deck)) return
    setRate(video, this.state.speed)
    video.currentTime += 0 // a seek makes the browser fill its decoders again
    this.start(deck)
  }

  // reload loads the clip of a deck again.
  private reload(deck: Deck): void {
    deck.clip = null
    deck.failures++
    if (deck.failures > MAX_FAILURES) return this.fail(this.front())
    if (deck !== this.front()) {
      deck.video.pause()
      this.rolling = false // the visible deck then plays the next segment
    } else if (this.forward()) this.settle()
    else this.show(this.at)
  }

  // start plays a deck. An interruption by a pause or a load is not an error.
  private start(deck: Deck): void {
    deck.video.play().catch((error: unknown) => {
      if (error instanceof DOMException && error.name === 'NotAllowedError') this.pause()
    })
  }

  // show puts the frame at project time ms on the visible deck.
  private show(ms: number): void {
    const place = clipAt(this.sequence.layout, ms)
    if (place) void this.cue(this.front(), this.sequence.clips[place.index]!, place.ms)
  }

  // settle brings the visible deck into the current segment and the hidden deck before the next one.
  private settle(): void {
    const list = this.list()
    const now = list[this.index]
    if (!now) return
    const within = this.at >= now.startMs && this.at < segmentEnd(now)
    const clipMs = within ? now.inMs + this.at - now.startMs : now.inMs
    const front = this.front()
    const clip = this.sequence.clips[now.clip]!
    const there = front.clip === clip && !front.video.seeking && Math.abs(front.video.currentTime * 1000 - clipMs) < 40
    setRate(front.video, this.state.speed)
    this.hold()
    const started = there ? Promise.resolve(true) : this.cue(front, clip, clipMs)
    void started.then((ok) => {
      if (ok && this.forward() && front === this.front()) this.start(front)
    })
    this.prepare()
  }

  // hold cancels the preparations for the next cut.
  private hold(): void {
    if (this.rolling) this.back().video.pause()
    this.rolling = this.following = this.scheduled = false
    this.audio.switchTo(this.state.deck)
    this.uncover()
  }

  private cover(video: HTMLVideoElement): void {
    this.freezeFrame.capture(video)
    this.covered = true
  }

  private uncover(): void {
    if (!this.covered) return
    this.freezeFrame.clear()
    this.covered = false
  }

  // lead is how long before its segment a deck starts, in milliseconds of clip time.
  private lead = (next: PlaybackSegment) => Math.min(LEAD_MS * this.state.speed, next.inMs)

  // prepare cues the hidden deck before the next segment.
  private prepare(): void {
    const next = this.list()[this.index + 1]
    if (next) void this.cue(this.back(), this.sequence.clips[next.clip]!, next.inMs - this.lead(next))
  }

  // cue loads a clip if needed and seeks in it. Returns false if a newer cue replaced this one.
  private async cue(deck: Deck, clip: string, clipMs: number): Promise<boolean> {
    const load = ++deck.load
    deck.awaitsAddress = deck.clip !== clip
    const seconds = clipMs / 1000 + INSIDE_FRAME_S
    if (deck.clip !== clip) {
      deck.video.pause()
      this.noteWaiting()
      let url: string
      try {
        url = await this.address(clip, deck.failures > 0)
      } catch {
        if (load !== deck.load) return false
        deck.awaitsAddress = false
        this.fail(deck)
        return false
      }
      if (load !== deck.load) return false
      deck.awaitsAddress = false
      deck.clip = clip
      deck.video.src = url
      // The browser starts to load at a time that is set before the metadata arrives.
      deck.video.currentTime = seconds
      return true
    }
    if (Math.abs(deck.video.currentTime - seconds) > 0.0005) deck.video.currentTime = seconds
    return true
  }

  // recover reloads a clip with a new address, because addresses expire, and continues at the same time.
  private async recover(deck: Deck): Promise<void> {
    const clip = deck.clip
    if (!clip || !deck.video.getAttribute('src')) return
    const seconds = deck.video.currentTime
    deck.clip = null
    deck.failures++
    if (deck !== this.front()) this.rolling = false
    if (deck.failures > MAX_FAILURES) {
      this.fail(deck)
      return
    }
    const ok = await this.cue(deck, clip, seconds * 1000)
    if (ok && deck === this.front() && this.forward()) this.start(deck)
  }

  private fail(deck: Deck): void {
    if (deck !== this.front()) return
    this.pause()
    this.set({
      error: playerText.playbackFailed,
    })
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
    this.playlist = null
    this.move(Math.max(this.at + passed * this.state.speed, 0))
    if (!this.front().video.seeking) this.show(this.at)
    if (this.at === 0) this.pause()
  }

  private advance(): void {
    const list = this.list()
    const current = list[this.index]
    const { video, clip } = this.front()
    if (!current) return
    if (
      clip !== this.sequence.clips[current.clip] ||
      video.seeking ||
      video.readyState < HTMLMediaElement.HAVE_CURRENT_DATA
    )
      return
    const clipMs = video.currentTime * 1000
    // After two quick seeks, the deck may briefly be before the segment.
    this.move(Math.min(Math.max(current.startMs + clipMs - current.inMs, current.startMs), segmentEnd(current)))
    const left = video.ended ? 0 : (current.outMs - clipMs) / this.state.speed
    const next = list[this.index + 1]
    const late = next ? this.roll(next, left) : 0
    if (left <= COVER_MS && !this.following) {
      this.following = true
      this.audio.scheduleSwitch(left, null)
    }
    // Without reports, the frame is frozen late, because no later frame replaces it.
    if (!this.covered && left > EARLY_MS && left <= (this.front().frames.silent() ? LATE_MS : COVER_MS))
      this.cover(video)
    if (left <= SCHEDULE_MS && left > EARLY_MS && !this.scheduled) {
      this.scheduled = true
      this.audio.scheduleSwitch(left, next && this.rolling ? Math.max(left + late / this.state.speed, left) : null)
    }
    if (left <= EARLY_MS) this.cross(list)
  }

  // frameShown copies each frame of the visible deck to the freeze frame as soon as it is shown, up to the end of the
  // segment. A later copy could already hold the next frame, which may be cut. After the end of playback, the last frame
  // uncovers the deck.
  private frameShown(video: HTMLVideoElement, frame: { ms: number; lateMs: number; before: number }): void {
    if (video !== this.front().video) return
    if (!this.state.playing && !video.seeking) this.uncover()
    const outMs = this.list()[this.index]?.outMs
    if (!this.following || outMs === undefined) return
    if (frame.ms < outMs - 1 && this.showsKept(video, outMs, frame)) this.cover(video)
  }

  // showsKept reports whether a deck still shows a frame before the end of its segment. The frame of a callback may have been
  // replaced since, on a busy page also early.
  private showsKept(
    video: HTMLVideoElement,
    outMs: number,
    { ms, lateMs, before }: { ms: number; lateMs: number; before: number },
  ): boolean {
    const now = frameTime(video)
    if (now !== undefined) return now < outMs - 1
    const far = (outMs - ms) / this.state.speed > lateMs + LATE_MS
    return far || lateMs < Math.min(20, (ms - before) / 2 / this.state.speed)
  }

  // roll starts the hidden deck in time for the next segment and corrects its time until the cut is near. Returns how late
  // the deck is, in milliseconds.
  private roll(next: PlaybackSegment, left: number): number {
    const back = this.back()
    const { video } = back
    const ready = back.clip === this.sequence.clips[next.clip] && !video.seeking && loaded(back)
    if (!this.rolling && ready && left * this.state.speed <= this.lead(next)) {
      this.rolling = true
      this.startedAt = video.currentTime * 1000
      back.frames.restart()
      setRate(video, this.state.speed)
      this.start(back)
    }
    const late = next.inMs - video.currentTime * 1000 - Math.max(left, 0) * this.state.speed
    // A deck that does not run yet may never do so while its rate changes.
    if (!this.rolling || video.currentTime * 1000 <= this.startedAt) return late
    // A rate change is audible near the cut. A deck that is very late is not audible yet and may still be corrected.
    const corrects = left > SCHEDULE_MS || late > SCHEDULE_MS
    const wanted = corrects ? preRollRate(this.state.speed, late, left - SCHEDULE_MS) : this.state.speed
    setRate(video, nextRate(video.playbackRate, wanted, this.state.speed))
    return late
  }

  // cross switches from the end of one segment to the start of the next.
  private cross(list: readonly PlaybackSegment[]): void {
    const next = list[this.index + 1]
    const [front, back] = [this.front(), this.back()]
    if (!next) return this.finish(list[this.index]!)
    if (this.rolling && back.frames.now() < next.inMs - 1) {
      if (front.video.currentTime * 1000 >= list[this.index]!.outMs) front.video.pause()
      return // the freeze frame covers the decks until the next one shows its first frame
    }
    this.index++
    this.move(next.startMs)
    front.video.pause()
    if (!this.rolling) return this.settle()
    setRate(back.video, this.state.speed)
    this.rolling = this.following = this.scheduled = false
    this.audio.finishSwitch()
    this.set({ deck: this.state.deck === 0 ? 1 : 0, waiting: false })
    requestAnimationFrame(() => !this.following && this.uncover()) // one frame after the other deck became visible
    this.prepare()
  }

  // finish pauses at the last frame of a segment. The freeze frame covers the deck until that frame is shown.
  private finish(last: PlaybackSegment): void {
    this.playlist = null
    for (const d of this.decks) d.video.pause()
    cancelAnimationFrame(this.frame)
    this.rolling = this.following = this.scheduled = false
    this.set({ playing: false, speed: this.base, waiting: false })
    this.move(segmentEnd(last))
    void this.cue(this.front(), this.sequence.clips[last.clip]!, last.outMs - LAST_FRAME_MS)
  }
}

// frameTime returns the clip time of the frame that an element shows at this moment, in milliseconds; undefined in browsers
// that do not tell.
function frameTime(video: HTMLVideoElement): number | undefined {
  if (!('VideoFrame' in window)) return undefined
  try {
    const frame = new VideoFrame(video)
    const ms = frame.timestamp / 1000
    frame.close()
    return ms
  } catch {
    return undefined // the element has no frame yet
  }
}

// loaded reports whether a deck has the frame at its time.
function loaded({ video }: Deck): boolean {
  return video.readyState >= HTMLMediaElement.HAVE_CURRENT_DATA
}

// setRate sets a playback rate, unless it is set already. Some browsers interrupt playback for each rate that is set.
function setRate(video: HTMLVideoElement, rate: number): void {
  if (video.playbackRate !== rate) video.playbackRate = rate
}
