// How long the time of a video element has stood while it should play or load, and the help that it needs.

/** The time may stand this long before the element is waiting, in milliseconds. */
const WAITING_MS = 300
/** After this long, an element that has its frame is started again, in milliseconds. */
const NUDGE_MS = 2000
/** After this long without new data, the element loads its file again, in milliseconds. */
const RELOAD_MS = 10_000

/** An element plays when its time has passed in this many looks in a row. */
const PLAYING_LOOKS = 3

/** The help that is due now. */
export type Help = 'none' | 'nudge' | 'reload'

export class StallClock {
  private element: unknown = null
  private seconds = 0
  private moves = 0
  private stood = 0
  private withoutData = 0

  /** Whether the time has stood for so long that the element is waiting. */
  get stands(): boolean {
    return this.stood >= WAITING_MS
  }

  /** Whether the time has passed in the last looks. A seek alone is not playback. */
  get plays(): boolean {
    return this.moves >= PLAYING_LOOKS
  }

  /** Call regularly with the element. passedMs is the time between two calls, also on a page that was busy for longer. */
  look(element: { readonly currentTime: number }, passedMs: number): Help {
    const other = element !== this.element
    const moved = other || element.currentTime !== this.seconds
    this.element = element
    this.seconds = element.currentTime
    if (moved) {
      this.moves = other ? 0 : this.moves + 1
      this.stood = this.withoutData = 0
      return 'none'
    }

    this.moves = 0
    const before = this.stood
    this.stood += passedMs
    this.withoutData += passedMs
    if (this.withoutData >= RELOAD_MS) {
      this.withoutData = 0
      return 'reload'
    }

    return before < NUDGE_MS && this.stood >= NUDGE_MS ? 'nudge' : 'none'
  }

  /** Call when data arrived: a slow connection is not a reason to load again. */
  dataArrived(): void {
    this.withoutData = 0
  }

  /** Call while the element neither plays nor loads. */
  reset(): void {
    this.moves = this.stood = this.withoutData = 0
  }
}
