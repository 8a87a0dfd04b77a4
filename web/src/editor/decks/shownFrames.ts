// The frames that a video element shows. Browsers report them in callbacks. Some have these callbacks and never call, and
// a hidden tab calls none: then the time of the element decides.

/** Without a report for this long, the time of the element decides, in milliseconds. */
const SILENT_MS = 300

/** A reported frame; milliseconds. */
export interface ShownFrame {
  /** Clip time of the frame. */
  ms: number
  /** How late the screen shows it. */
  lateMs: number
  /** Clip time of the frame before. */
  before: number
}

type Report = (frame: ShownFrame) => void

export class ShownFrames {
  private readonly video: HTMLVideoElement
  private readonly report: Report
  private readonly reports: boolean
  private request = 0
  private ms = -Infinity
  /** When the latest frame was reported, and when reports were first expected; -Infinity before. */
  private reported = -Infinity
  private expected = performance.now()

  constructor(video: HTMLVideoElement, report: Report) {
    this.video = video
    this.report = report
    this.reports = 'requestVideoFrameCallback' in video
    this.listen()
  }

  private listen(): void {
    if (!this.reports) return
    this.request = this.video.requestVideoFrameCallback((_, { mediaTime, expectedDisplayTime }) => {
      const before = this.ms
      this.ms = mediaTime * 1000
      this.reported = performance.now()
      this.report({ ms: this.ms, lateMs: this.reported - expectedDisplayTime, before })
      this.listen()
    })
  }

  /** Forgets the frames so far. Call it when the element starts to play from another place. */
  restart(): void {
    this.ms = -Infinity
    // A browser that has never reported a frame is not given more time.
    if (this.reported > -Infinity) this.expected = performance.now()
  }

  /** Reports whether the browser has reported no frame for so long that the time of the element decides. */
  silent = () => !this.reports || performance.now() - Math.max(this.reported, this.expected) > SILENT_MS

  /** Clip time of the frame that the element shows, in milliseconds; -Infinity if it is unknown so far. */
  now = () => (this.silent() ? this.video.currentTime * 1000 : this.ms)

  /** Ends the reports. */
  close(): void {
    if (this.reports) this.video.cancelVideoFrameCallback(this.request)
  }
}
