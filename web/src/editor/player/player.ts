// Plays stretches of clips on two video elements in turn. While one plays a stretch, the other stands a moment before the next one; it
// sets off unseen and unheard before the cut is reached, and has the right time when it is, so that a cut is a switch and neither a seek
// nor a start. Around the cut a still covers both: it follows the first up to its last frame, and goes when the second shows a frame of its own.

import { preRollRate, shuttle, segmentIndexAt, segmentEnd, wholeSegments, type PlaybackSegment } from './playback'
import { DeckAudio } from './deckAudio'
import { FreezeFrame } from './freezeFrame'
import { clipAt, type Span } from '../timeline/renderPlan'

/** What plays. Clips are named by their uuid, in display order. */
export interface Sequence {
  clips: string[]
  layout: Span[]
  segments: PlaybackSegment[]
}

export interface PlayerState {
  playing: boolean
  /** Signed playback speed; backward is shown as frames only. */
  speed: number
  /** The picture is being fetched. */
  waiting: boolean
  /** What went wrong, for a person; null while all is well. */
  error: string | null
  /** Which of the two video elements is seen. */
  deck: 0 | 1
}

/** Gives a playable address of a clip; fresh asks for a new one because the last was refused. */
export type AddressSource = (clip: string, fresh: boolean) => Promise<string>

interface Deck {
  video: HTMLVideoElement
  clip: string | null
  /** Rises with every load, so that a late answer of an older one is dropped. */
  load: number
  refusals: number
}

/** A seek aims this far past a frame's border, so that rounding cannot show the frame before it; seconds. */
const INSIDE_FRAME_S = 0.001
/** Loads that may fail one after the other before a person is told. */
const MAX_REFUSALS = 3
/** A stretch has ended so long before its end, as a screen shows what it was told two frames later; milliseconds. */
const SOON_MS = 15
/** The last frame of a stretch is there so long before its end, in milliseconds of the clip. */
const LAST_MS = 8
/** How long before a cut the still covers the picture and the end of the sound is arranged, in milliseconds of playing: longer than a page is busy. */
const COVER_MS = 640
/** How late the picture of a page that is busy may be, in milliseconds. */
const LATE_MS = 100
/** How long before a cut the deck after it sets off, in milliseconds of playing. */
const LEAD_MS = 320
/** How long before a cut the change of the sound is arranged to the millisecond. */
const NEAR_MS = 150

export class Player {
  private readonly decks: readonly [Deck, Deck]
  private readonly address: AddressSource
  private readonly listeners = new Set<() => void>()
  private readonly watchers = new Set<(ms: number) => void>()
  private reel: Sequence = { clips: [], layout: [], segments: [] }
  private playlist: readonly PlaybackSegment[] | null = null // an audition plays instead of the reel
  private index = 0
  private at = 0 // project time, milliseconds
  private frame = 0
  private last = 0
  private base = 1 // speed of playing, where the shuttle does not say another
  private loudness = 1
  private gain = 1
  private readonly sound: DeckAudio
  /** Whether the unseen deck plays towards the next stretch. */
  private rolling = false
  /** Whether the still follows the seen deck to the end of this stretch, where it falls silent by itself. */
  private following = false
  /** Whether the change of the sound at the end of this stretch is arranged. */
  private arranged = false
  private readonly still: FreezeFrame
  private covered = false
  /** The time in its clip of the frame that the unseen deck last showed, in milliseconds. */
  private shown = -1
  private state: PlayerState = { playing: false, speed: 1, waiting: false, error: null, deck: 0 }

  /** Takes two video elements, which it owns until close, and the canvas of the still. plainSound keeps to the elements' own volumes. */
  constructor(
    videos: readonly [HTMLVideoElement, HTMLVideoElement],
    still: HTMLCanvasElement,
    address: AddressSource,
    plainSound: boolean,
  ) {
    this.address = address
    this.still = new FreezeFrame(still)
    this.sound = new DeckAudio(videos, plainSound)
    const deck = (video: HTMLVideoElement): Deck => ({ video, clip: null, load: 0, refusals: 0 })
    this.decks = [deck(videos[0]), deck(videos[1])]
    for (const d of this.decks) {
      d.video.addEventListener('error', () => void this.recover(d))
      d.video.addEventListener('waiting', () => this.note(d))
      d.video.addEventListener('playing', () => this.note(d))
      d.video.addEventListener('seeked', () => this.note(d))
      d.video.addEventListener('canplay', () => this.note(d))
      // Animation frames stop in a hidden tab; the picture does not.
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

  /** Calls watcher with the project time whenever it moves; returns what ends that. */
  watch(watcher: (ms: number) => void): () => void {
    this.watchers.add(watcher)
    watcher(this.at)
    return () => {
      this.watchers.delete(watcher)
    }
  }

  /** Project time in milliseconds. */
  position = () => this.at

  /** The video element that is seen. */
  visibleVideo = () => this.front().video

  /** How loud everything is, 0 to 1. */
  volume = () => this.loudness

  setVolume(volume: number): void {
    this.loudness = volume
    this.applyVolume()
  }

  /** How loud the footage is of that, 0 to 1: what placed assets and the export's settings leave of it. */
  setGain(gain: number): void {
    if (gain === this.gain) return
    this.gain = gain
    this.applyVolume()
  }

  private applyVolume(): void {
    this.sound.setLevel(this.loudness * this.gain)
  }

  /** Sets how fast playing is, from now on. */
  setRate(rate: number): void {
    this.base = rate
    if (this.state.playing && this.state.speed < 0) return
    this.set({ speed: rate })
    this.front().video.playbackRate = rate
  }

  /** Takes over other cuts or clips; goes on playing where it is. */
  setSequence(reel: Sequence): void {
    const first = this.reel.clips.length === 0 && reel.clips.length > 0
    this.reel = reel
    const end = reel.layout.at(-1)?.endMs ?? 0
    if (this.at > end) this.at = end
    if (this.playlist) return
    this.index = segmentIndexAt(reel.segments, this.at)
    if (first) this.seek(this.at)
    else if (this.state.playing) this.settle()
  }

  play(): void {
    if (this.reel.clips.length === 0) return
    const list = this.list()
    this.index = segmentIndexAt(list, this.at)
    if (this.index >= list.length) {
      if (list.length === 0) return
      this.index = 0
      this.at = list[0]!.startMs
    }
    this.uncover()
    this.set({ playing: true, speed: this.state.speed > 0 ? this.state.speed : this.base, error: null })
    this.sound.start()
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

  /** Shows the frame at project time ms, also inside a cut; goes on playing from there. */
  seek(ms: number): void {
    const end = this.reel.layout.at(-1)?.endMs ?? 0
    this.playlist = null
    this.move(Math.min(Math.max(ms, 0), end))
    this.index = segmentIndexAt(this.reel.segments, this.at)
    if (this.state.playing && this.state.speed > 0) {
      if (this.index >= this.reel.segments.length) this.pause()
      else this.settle()
    } else {
      this.show(this.at)
    }
  }

  /** Plays other stretches once, then stands at their end. */
  audition(stretches: readonly PlaybackSegment[]): void {
    if (stretches.length === 0) return
    this.playlist = stretches
    this.index = 0
    this.move(stretches[0]!.startMs)
    this.set({ playing: true, speed: 1, error: null })
    this.sound.start()
    this.settle()
    this.run()
  }

  /** Tries again after an error. */
  retry(): void {
    for (const d of this.decks) [d.refusals, d.clip] = [0, null]
    this.set({ error: null })
    this.show(this.at)
  }

  /** Stops everything and lets go of the video elements. */
  close(): void {
    this.pause()
    this.sound.close()
    this.listeners.clear()
    this.watchers.clear()
    for (const d of this.decks) {
      d.load++
      d.clip = null
      d.video.removeAttribute('src')
      d.video.load()
    }
  }

  private list = () => this.playlist ?? this.reel.segments
  private front = () => this.decks[this.state.deck]
  private back = () => this.decks[this.state.deck === 0 ? 1 : 0]

  private set(change: Partial<PlayerState>): void {
    this.state = { ...this.state, ...change }
    for (const listener of this.listeners) listener()
  }

  private move(ms: number): void {
    this.at = ms
    for (const watcher of this.watchers) watcher(ms)
  }

  private note(deck: Deck): void {
    if (deck !== this.front()) return
    const waiting = deck.video.readyState < HTMLMediaElement.HAVE_CURRENT_DATA
    if (!waiting) deck.refusals = 0
    if (waiting !== this.state.waiting) this.set({ waiting })
  }

  // show puts the frame at project time ms on the seen deck.
  private show(ms: number): void {
    const place = clipAt(this.reel.layout, ms)
    if (place) void this.cue(this.front(), this.reel.clips[place.index]!, place.ms)
  }

  // settle brings both decks to where playback is: the seen one into the current stretch, the other before the next.
  private settle(): void {
    const list = this.list()
    const now = list[this.index]
    if (!now) return
    const within = this.at >= now.startMs && this.at < segmentEnd(now)
    const clipMs = within ? now.inMs + this.at - now.startMs : now.inMs
    const front = this.front()
    const clip = this.reel.clips[now.clip]!
    const there = front.clip === clip && !front.video.seeking && Math.abs(front.video.currentTime * 1000 - clipMs) < 40
    front.video.playbackRate = this.state.speed
    this.hold()
    const started = there ? Promise.resolve(true) : this.cue(front, clip, clipMs)
    void started.then((ok) => {
      if (ok && this.state.playing && this.state.speed > 0 && front === this.front()) start(front.video)
    })
    this.prepare()
  }

  // hold ends what was under way for the next cut.
  private hold(): void {
    if (this.rolling) this.back().video.pause()
    this.rolling = this.following = this.arranged = false
    this.sound.switchTo(this.state.deck)
    this.uncover()
  }

  private cover(video: HTMLVideoElement): void {
    this.still.capture(video)
    this.covered = true
  }

  private uncover(): void {
    if (!this.covered) return
    this.still.clear()
    this.covered = false
  }

  // lead is how long before its time the deck of a stretch sets off, in milliseconds of the clip.
  private lead = (next: PlaybackSegment) => Math.min(LEAD_MS * this.state.speed, next.inMs)

  // prepare puts the unseen deck before the next stretch.
  private prepare(): void {
    const next = this.list()[this.index + 1]
    if (next) void this.cue(this.back(), this.reel.clips[next.clip]!, next.inMs - this.lead(next))
  }

  // cue loads a clip where it is not loaded yet and goes to a time in it; false when something newer took over.
  private async cue(deck: Deck, clip: string, clipMs: number): Promise<boolean> {
    const load = ++deck.load
    const seconds = clipMs / 1000 + INSIDE_FRAME_S
    if (deck.clip !== clip) {
      deck.video.pause()
      if (deck === this.front()) this.set({ waiting: true })
      let url: string
      try {
        url = await this.address(clip, deck.refusals > 0)
      } catch {
        if (load === deck.load) this.fail(deck)
        return false
      }
      if (load !== deck.load) return false
      deck.clip = clip
      deck.video.src = url
      // A start time set now is where the browser begins to fetch.
      deck.video.currentTime = seconds
      return true
    }
    if (Math.abs(deck.video.currentTime - seconds) > 0.0005) deck.video.currentTime = seconds
    return true
  }

  // recover fetches a new address when the old one was refused (they run out), and goes on where it was.
  private async recover(deck: Deck): Promise<void> {
    const clip = deck.clip
    if (!clip || !deck.video.getAttribute('src')) return
    const seconds = deck.video.currentTime
    deck.clip = null
    deck.refusals++
    if (deck !== this.front()) this.rolling = false
    if (deck.refusals > MAX_REFUSALS) {
      this.fail(deck)
      return
    }
    const ok = await this.cue(deck, clip, seconds * 1000)
    if (ok && deck === this.front() && this.state.playing && this.state.speed > 0) start(deck.video)
  }

  private fail(deck: Deck): void {
    if (deck !== this.front()) return
    this.pause()
    this.set({
      error: 'The preview of this clip cannot be played right now. Your cuts are safe, and exports are not affected.',
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

  // rewind steps back by time passed; video elements cannot play backward.
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
      clip !== this.reel.clips[current.clip] ||
      video.seeking ||
      video.readyState < HTMLMediaElement.HAVE_CURRENT_DATA
    )
      return
    const clipMs = video.currentTime * 1000
    // A seek that a newer one overtook may leave the picture before the stretch; it is on its way.
    this.move(Math.min(Math.max(current.startMs + clipMs - current.inMs, current.startMs), segmentEnd(current)))
    const left = video.ended ? 0 : (current.outMs - clipMs) / this.state.speed
    const next = list[this.index + 1]
    const late = next ? this.roll(next, left) : 0
    if (left <= COVER_MS && !this.following) {
      this.following = true
      if (left > SOON_MS) this.cover(video)
      this.sound.scheduleSwitch(left, null)
      this.follow(video, current.outMs)
    }
    if (left <= NEAR_MS && left > SOON_MS && !this.arranged) {
      this.arranged = true
      this.sound.scheduleSwitch(left, next && this.rolling ? Math.max(left + late / this.state.speed, left) : null)
    }
    if (left <= SOON_MS) this.cross(list)
  }

  // follow takes each frame of the seen deck before the end of its stretch into the still, as soon as it is there: what an element draws a
  // while later can be a frame after it already, which near the end may be cut.
  private follow(video: HTMLVideoElement, outMs: number, before = -Infinity): void {
    whenShown(video, (ms, lateMs) => {
      if (!this.following || video !== this.front().video) return
      const far = (outMs - ms) / this.state.speed > lateMs + LATE_MS
      if (ms < outMs - 1 && (far || lateMs < Math.min(20, (ms - before) / 2 / this.state.speed))) this.cover(video)
      this.follow(video, outMs, ms)
    })
  }

  // roll lets the unseen deck set off in time for the next stretch, and brings it to its time until the cut is near. It returns how late it
  // is, in milliseconds.
  private roll(next: PlaybackSegment, left: number): number {
    const back = this.back()
    const { video } = back
    const ready =
      back.clip === this.reel.clips[next.clip] &&
      !video.seeking &&
      video.readyState >= HTMLMediaElement.HAVE_CURRENT_DATA
    if (!this.rolling && ready && left * this.state.speed <= this.lead(next)) {
      this.rolling = true
      this.shown = -1
      const look = (ms: number) => {
        this.shown = ms
        if (this.rolling && video === this.back().video) whenShown(video, look)
      }
      whenShown(video, look)
      start(video)
    }
    const late = next.inMs - video.currentTime * 1000 - Math.max(left, 0) * this.state.speed
    // A change of the rate is heard; one that is late by much is not heard yet.
    if (this.rolling)
      video.playbackRate =
        left > NEAR_MS || late > NEAR_MS ? preRollRate(this.state.speed, late, left - NEAR_MS) : this.state.speed
    return late
  }

  // cross goes from the end of one stretch to the start of the next.
  private cross(list: readonly PlaybackSegment[]): void {
    const next = list[this.index + 1]
    const [front, back] = [this.front(), this.back()]
    if (!next) return this.finish(list[this.index]!)
    if (this.rolling && this.shown < next.inMs - 1) {
      if (front.video.currentTime * 1000 >= list[this.index]!.outMs) front.video.pause()
      return // the still stands until the other is there
    }
    this.index++
    this.move(next.startMs)
    front.video.pause()
    if (!this.rolling) return this.settle()
    back.video.playbackRate = this.state.speed
    this.rolling = this.following = this.arranged = false
    this.sound.finishSwitch()
    this.set({ deck: this.state.deck === 0 ? 1 : 0, waiting: false })
    requestAnimationFrame(() => !this.following && this.uncover()) // a frame after the other deck is on the screen
    this.prepare()
  }

  // finish stands at the last frame of a stretch; the still covers what the deck has shown since, until that frame is there.
  private finish(last: PlaybackSegment): void {
    this.playlist = null
    for (const d of this.decks) d.video.pause()
    cancelAnimationFrame(this.frame)
    this.rolling = this.following = this.arranged = false
    this.set({ playing: false, speed: this.base, waiting: false })
    this.move(segmentEnd(last))
    const { video } = this.front()
    const look = (ms: number) => {
      if (ms < last.outMs - 1) this.uncover()
      else if (this.covered) whenShown(video, look)
    }
    whenShown(video, look)
    void this.cue(this.front(), this.reel.clips[last.clip]!, last.outMs - LAST_MS)
  }

  /** The stretches of the recording without any cut, for a player that shall not skip. */
  static whole = wholeSegments
}

// start plays; a play that a pause or load interrupts is no error.
function start(video: HTMLVideoElement): void {
  video.play().catch(() => undefined)
}

// whenShown calls back with the time in its clip of the next frame that an element shows, and how long after it was to be seen, in milliseconds;
// where the browser does not tell that, with the time that the element has a frame later, and never in time.
function whenShown(video: HTMLVideoElement, look: (ms: number, lateMs: number) => void): void {
  if ('requestVideoFrameCallback' in video)
    video.requestVideoFrameCallback((_, { mediaTime, expectedDisplayTime }) =>
      look(mediaTime * 1000, performance.now() - expectedDisplayTime),
    )
  else requestAnimationFrame(() => look((video as HTMLVideoElement).currentTime * 1000, Infinity))
}
