// The sound of two video elements of which one is heard: which one changes at an exact moment, however busy the page is.

/** What an element says of its time may be so much behind what is heard of it, in seconds. */
const AHEAD_S = 0.018
/** How long a change from one element to the other takes, in seconds: too short to be heard, long enough not to click. */
const FADE_S = 0.004

interface Graph {
  context: AudioContext
  master: GainNode
  decks: readonly [GainNode, GainNode]
}

/**
 * Where Web Audio may have the sound of the elements, each goes through a gain of its own that is changed by the clock of the sound; elsewhere
 * the volumes of the elements are set. Web Audio begins with the first playing, as browsers want somebody to have asked for sound.
 */
export class DeckAudio {
  private readonly videos: readonly [HTMLVideoElement, HTMLVideoElement]
  private graph: Graph | null = null
  private level = 1
  private heard: 0 | 1 = 0
  private arranged = false
  private asked: 'no' | 'wanted' | 'never' = 'no'

  /** plain keeps to the volumes of the elements. */
  constructor(videos: readonly [HTMLVideoElement, HTMLVideoElement], plain: boolean) {
    this.videos = videos
    if (plain || typeof AudioContext === 'undefined') this.asked = 'never'
    this.apply()
  }

  /** Is called when playing begins, after the elements have their addresses. */
  start(): void {
    if (this.graph) {
      void this.graph.context.resume()
      return
    }
    // The sound of another origin would be silent.
    if (
      this.asked !== 'no' ||
      !this.videos.some((v) => v.src) ||
      this.videos.some((v) => v.src && new URL(v.src).origin !== window.location.origin)
    )
      return
    this.asked = 'wanted'
    const context = new AudioContext({ latencyHint: 'interactive' })
    context.resume().then(
      () => this.asked === 'wanted' && this.connect(context),
      () => undefined, // the volumes of the elements do
    )
  }

  private connect(context: AudioContext): void {
    const master = context.createGain()
    master.gain.value = this.level
    master.connect(context.destination)
    const made = this.videos.map((video, i) => {
      const gain = context.createGain()
      gain.gain.value = i === this.heard ? 1 : 0
      context.createMediaElementSource(video).connect(gain).connect(master)
      video.volume = 1
      return gain
    })
    this.graph = { context, master, decks: [made[0]!, made[1]!] }
  }

  /** How loud what is heard is, 0 to 1. */
  setLevel(level: number): void {
    this.level = Math.min(Math.max(level, 0), 1)
    this.apply()
  }

  /** Lets one element be heard from now on, and forgets what was arranged. */
  switchTo(deck: 0 | 1): void {
    this.heard = deck
    this.arranged = false
    if (!this.graph) return this.apply()
    const { context, decks } = this.graph
    decks.forEach((d, i) => fade(d.gain, i === deck ? 1 : 0, context.currentTime))
  }

  /** Arranges that the element that is heard falls silent in so many milliseconds, and that the other one is heard in so many; null for not yet. */
  scheduleSwitch(silentMs: number, heardMs: number | null): void {
    if (!this.graph) return
    const { context, decks } = this.graph
    const now = context.currentTime
    const heard = decks[this.heard].gain
    const end = Math.max(now + silentMs / 1000 - AHEAD_S, now + FADE_S)
    fade(heard, 1, now) // where it still comes in
    heard.setValueAtTime(1, end - FADE_S / 2)
    heard.linearRampToValueAtTime(0, end + FADE_S / 2)
    this.arranged = heardMs !== null
    if (heardMs !== null) fade(decks[this.heard === 0 ? 1 : 0].gain, 1, now + heardMs / 1000 + FADE_S / 2)
  }

  /** Is called when a change was to have happened: the other element is the one that is heard. */
  finishSwitch(): void {
    const other = this.heard === 0 ? 1 : 0
    if (this.graph && this.arranged) this.heard = other
    else this.switchTo(other)
    this.arranged = false
  }

  /** Lets go of the elements. */
  close(): void {
    this.asked = 'never'
    void this.graph?.context.close()
    this.graph = null
  }

  private apply(): void {
    if (this.graph) this.graph.master.gain.setTargetAtTime(this.level, this.graph.context.currentTime, 0.01)
    else this.videos.forEach((video, i) => (video.volume = i === this.heard ? this.level : 0))
  }
}

// fade brings a gain to a value, half of the way at a time of its context.
function fade(gain: AudioParam, to: number, at: number): void {
  const now = gain.value
  gain.cancelScheduledValues(0)
  gain.setValueAtTime(now, 0)
  gain.setValueAtTime(now, Math.max(at - FADE_S / 2, 0))
  gain.linearRampToValueAtTime(to, at + FADE_S / 2)
}
