// The audio of two video elements; one is audible at a time. The switch happens at an exact time, even on a busy page.

import type { Ears } from './ears'
import { ToneElement, type ToneFile } from './toneElement'
import { isWebKitGTK } from './webKitGTK'

/** How far the reported time of an element may lag behind its audio, in seconds. */
const AHEAD_S = 0.018
/** Duration of the crossfade between elements, in seconds, as in exports. */
const FADE_S = 0.01
/** Gain of both elements in the middle of the crossfade. Different audio keeps its level with it. */
const MIDDLE = Math.SQRT1_2
/** Duration of the crossfade between the elements and room tone, in seconds, as in exports. */
const TONE_FADE_S = 0.01

/** Room tone that DeckAudio can play. */
export type Tone = AudioBuffer | ToneFile

interface Graph {
  context: AudioContext
  sources: readonly AudioNode[]
  master: GainNode
  /** Both elements; closed while they are muted. */
  recorded: GainNode
  decks: readonly [GainNode, GainNode]
}

/**
 * With Web Audio, each element has its own gain, which is scheduled on the audio clock. Without it, the volumes of the
 * elements are set. Web Audio starts at the first playback, because browsers require a user action.
 */
export class DeckAudio {
  private readonly videos: readonly [HTMLVideoElement, HTMLVideoElement]
  private graph: Graph | null = null
  /** The volume that the person chose, and the gain of the footage; 0 to 1. */
  private chosen = 1
  private gain = 1
  private level = 1
  private audible: 0 | 1 = 0
  private scheduled = false
  private muted = false
  private tone: { source: AudioBufferSourceNode; gain: GainNode } | null = null
  /** Plays room tone without Web Audio. */
  private readonly element: ToneElement | null
  /** What both decks play, and the nodes that do it. */
  private readonly ears: [Ears | null, Ears | null] = [null, null]
  private readonly spread: [AudioNode[], AudioNode[]] = [[], []]
  private webAudio: 'unused' | 'starting' | 'off' = 'unused'

  constructor(videos: readonly [HTMLVideoElement, HTMLVideoElement]) {
    this.videos = videos
    // In WebKitGTK, an element with Web Audio plays slowly or stands.
    if (isWebKitGTK() || typeof AudioContext === 'undefined') this.webAudio = 'off'
    this.element = this.webAudio === 'off' ? new ToneElement() : null
    this.apply()
  }

  /** Call when playback starts, and while it lasts, because the elements may get their addresses later. */
  start(): void {
    this.element?.unlock()
    if (this.graph) {
      void this.graph.context.resume()
      return
    }

    // Web Audio mutes media of another origin.
    if (
      this.webAudio !== 'unused' ||
      !this.videos.some((v) => v.src) ||
      this.videos.some((v) => v.src && new URL(v.src).origin !== window.location.origin)
    )
      return
    this.webAudio = 'starting'
    const context = new AudioContext({ latencyHint: 'interactive' })
    context.resume().then(
      () => this.webAudio === 'starting' && this.connect(context),
      () => undefined, // the volumes of the elements are used instead
    )
  }

  private connect(context: AudioContext): void {
    const master = context.createGain()
    master.gain.value = this.level
    master.connect(context.destination)
    const recorded = context.createGain()
    recorded.gain.value = this.muted ? 0 : 1
    recorded.connect(master)
    const sources = this.videos.map((video) => context.createMediaElementSource(video))
    const made = this.videos.map((video, i) => {
      const gain = context.createGain()
      gain.gain.value = i === this.audible ? 1 : 0
      gain.connect(recorded)
      video.volume = 1
      return gain
    })

    this.graph = { context, sources, master, recorded, decks: [made[0]!, made[1]!] }
    this.route(0)
    this.route(1)
  }

  /** Makes an element play its recording as an export has it; null plays it as it is. */
  setEars(deck: 0 | 1, ears: Ears | null): void {
    const now = this.ears[deck]
    if (now?.channel === ears?.channel && now?.gain === ears?.gain) return
    this.ears[deck] = ears
    if (this.graph) this.route(deck)
    else this.apply()
  }

  // route connects an element with its gain.
  private route(deck: 0 | 1): void {
    if (!this.graph) return
    const { sources, decks } = this.graph
    sources[deck]!.disconnect()
    for (const node of this.spread[deck]) node.disconnect()
    this.spread[deck] = connect(sources[deck]!, decks[deck], this.ears[deck])
  }

  /** The volume that the person chose, 0 to 1. */
  get volume(): number {
    return this.chosen
  }

  setVolume(volume: number): void {
    this.chosen = volume
    this.setLevel()
  }

  /** Sets the gain of the footage, 0 to 1. */
  setGain(gain: number): void {
    if (gain === this.gain) return
    this.gain = gain
    this.setLevel()
  }

  private setLevel(): void {
    this.level = Math.min(Math.max(this.chosen * this.gain, 0), 1)
    this.apply()
  }

  /** Mutes both elements, or makes them audible again. Room tone stays audible. */
  setMuted(muted: boolean): void {
    if (muted === this.muted) return
    this.muted = muted
    if (this.graph) rampFromNow(this.graph.recorded.gain, muted ? 0 : 1, this.graph.context)
    else this.apply()
  }

  /** Prepares a WAV file of room tone that plays for a number of seconds; null if Web Audio cannot start. */
  async decode(file: ArrayBuffer, seconds: number): Promise<Tone | null> {
    if (this.graph) return this.graph.context.decodeAudioData(file)
    return this.element && this.element.prepare(file, seconds)
  }

  /** Plays room tone of the audible recording in a loop from a time in seconds on, until stopTone. */
  playTone(tone: Tone, from: number): void {
    this.stopTone()
    if ('address' in tone) {
      this.element?.play(tone, from, this.plainLevel(this.audible))
      return
    }

    if (!this.graph) return
    const { context, master } = this.graph
    const source = context.createBufferSource()
    source.buffer = tone
    source.loop = true
    const gain = context.createGain()
    gain.gain.value = 0
    connect(source, gain, this.ears[this.audible])
    gain.connect(master)
    rampFromNow(gain.gain, 1, context)
    source.start(0, from % tone.duration)
    this.tone = { source, gain }
  }

  stopTone(): void {
    this.element?.stop()
    if (!this.tone || !this.graph) return
    const { source, gain } = this.tone
    rampFromNow(gain.gain, 0, this.graph.context)
    source.stop(this.graph.context.currentTime + TONE_FADE_S)
    this.tone = null
  }

  /** Makes one element audible now and cancels a scheduled switch. */
  switchTo(deck: 0 | 1): void {
    this.audible = deck
    this.scheduled = false
    if (!this.graph) return this.apply()
    const { context, decks } = this.graph
    decks.forEach((d, i) => rampAround(d.gain, i === deck ? 1 : 0, context.currentTime))
  }

  /**
   * Schedules the end of the audible element in endMs milliseconds and the start of the other one in startMs; null leaves
   * the start open.
   */
  scheduleSwitch(endMs: number, startMs: number | null): void {
    if (!this.graph) return
    const { context, decks } = this.graph
    const now = context.currentTime
    const current = decks[this.audible].gain
    const end = Math.max(now + endMs / 1000 - AHEAD_S, now + FADE_S)
    rampAround(current, 1, now) // finishes a fade-in that is still running
    current.setValueAtTime(1, end - FADE_S / 2)
    current.linearRampToValueAtTime(MIDDLE, end)
    current.linearRampToValueAtTime(0, end + FADE_S / 2)
    this.scheduled = startMs !== null
    if (startMs !== null) rampAround(decks[this.audible === 0 ? 1 : 0].gain, 1, now + startMs / 1000 + FADE_S / 2)
  }

  /** Call at the switch: the other element becomes the audible one. */
  finishSwitch(): void {
    const other = this.audible === 0 ? 1 : 0
    if (this.graph && this.scheduled) this.audible = other
    else this.switchTo(other)
    this.scheduled = false
  }

  /** Releases the audio context and the element of room tone. */
  close(): void {
    this.webAudio = 'off'
    this.element?.close()
    void this.graph?.context.close()
    this.graph = null
  }

  private apply(): void {
    if (this.graph) this.graph.master.gain.setTargetAtTime(this.level, this.graph.context.currentTime, 0.01)
    else
      this.videos.forEach((video, i) => {
        video.volume = i === this.audible && !this.muted ? this.plainLevel(this.audible) : 0
      })

    this.element?.setLevel(this.plainLevel(this.audible))
  }

  // plainLevel returns the volume of an element without Web Audio, which cannot play one channel on both sides.
  private plainLevel(deck: 0 | 1): number {
    const ears = this.ears[deck]
    return this.level * (ears?.channel === null ? ears.gain : 1)
  }
}

// connect connects a source with a destination as ears say. It returns the nodes between them.
function connect(source: AudioNode, to: AudioNode, ears: Ears | null): AudioNode[] {
  if (!ears) {
    source.connect(to)
    return []
  }

  const gain = source.context.createGain()
  gain.gain.value = ears.gain
  if (ears.channel === null) {
    source.connect(gain)
    gain.connect(to)
    return [gain]
  }

  const splitter = source.context.createChannelSplitter(2)
  source.connect(splitter)
  splitter.connect(gain, ears.channel === 'left' ? 0 : 1)
  gain.connect(to)
  return [splitter, gain]
}

// rampFromNow ramps a gain to a value from now on, for as long as room tone fades.
function rampFromNow(gain: AudioParam, to: number, context: AudioContext): void {
  const from = gain.value
  gain.cancelScheduledValues(0)
  gain.setValueAtTime(from, context.currentTime)
  gain.linearRampToValueAtTime(to, context.currentTime + TONE_FADE_S)
}

// rampAround ramps a gain to a value; the middle of the ramp is at a time of its context.
function rampAround(gain: AudioParam, to: number, at: number): void {
  const now = gain.value
  gain.cancelScheduledValues(0)
  gain.setValueAtTime(now, 0)
  gain.setValueAtTime(now, Math.max(at - FADE_S / 2, 0))
  gain.linearRampToValueAtTime(Math.hypot(now, to) * MIDDLE, Math.max(at, 0))
  gain.linearRampToValueAtTime(to, at + FADE_S / 2)
}
