// A copy of the current frame of a video element on a canvas that covers it, at the resolution of the screen.

export class FreezeFrame {
  private readonly canvas: HTMLCanvasElement

  constructor(canvas: HTMLCanvasElement) {
    this.canvas = canvas
  }

  /** Copies the frame that the element shows. The canvas has the aspect ratio of the video, so both fit a box alike. */
  capture(video: HTMLVideoElement): void {
    const { videoWidth, videoHeight } = video
    if (videoWidth === 0) return
    const scale = Math.min(
      1,
      (Math.max(video.clientWidth, video.clientHeight) * devicePixelRatio) / Math.max(videoWidth, videoHeight),
    )

    const [width, height] = [Math.round(videoWidth * scale), Math.round(videoHeight * scale)]
    if (this.canvas.width !== width || this.canvas.height !== height)
      [this.canvas.width, this.canvas.height] = [width, height]
    this.canvas.getContext('2d')?.drawImage(video, 0, 0, width, height)
  }

  /** Clears the canvas, so that the video below is visible. */
  clear(): void {
    this.canvas.getContext('2d')?.clearRect(0, 0, this.canvas.width, this.canvas.height)
  }
}
