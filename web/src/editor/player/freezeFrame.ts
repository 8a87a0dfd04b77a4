// A picture of a video element on a canvas that lies over it, with as many pixels as the screen shows of it.

export class FreezeFrame {
  private readonly canvas: HTMLCanvasElement

  constructor(canvas: HTMLCanvasElement) {
    this.canvas = canvas
  }

  /** Takes the frame that the element shows. The canvas has its shape, and so fits a box as it does. */
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

  /** Lets what is below be seen. */
  clear(): void {
    this.canvas.getContext('2d')?.clearRect(0, 0, this.canvas.width, this.canvas.height)
  }
}
