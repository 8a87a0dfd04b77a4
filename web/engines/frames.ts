// The frames of a numbered recording that the preview shows: eight squares, black or white, the lowest bit on the left.

import type { Tab } from './tab'

declare global {
  interface Window {
    /** The frames that were shown since watchFrames, without repetition. */
    shownFrames?: number[]
    /** The number of the frame that the preview shows; null before the first one. */
    frameNow?: () => number | null
  }
}

/** Gives the page frameNow, and notes the shown frames from now on. */
export const watchFrames = (tab: Tab) =>
  tab.run(() => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 640, height: 360 })
    const ctx = canvas.getContext('2d', { willReadFrequently: true })
    window.frameNow = () => {
      const video = document.querySelector<HTMLVideoElement>('video[data-seen=true]')
      const still = document.querySelector<HTMLCanvasElement>('[data-testid=stage] canvas')
      if (!ctx || !video || video.readyState < 2) return null
      ctx.drawImage(video, 0, 0, 640, 360)
      if (still && still.width > 0) ctx.drawImage(still, 0, 0, 640, 360)
      const isWhite = (bit: number) => (ctx.getImageData(40 + 80 * bit, 40, 1, 1).data[0] ?? 0) > 128
      return [0, 1, 2, 3, 4, 5, 6, 7].reduce((number, bit) => number + (isWhite(bit) ? 1 << bit : 0), 0)
    }

    const shown: number[] = (window.shownFrames = [])
    const look = () => {
      const frame = window.frameNow?.() ?? null
      if (frame !== null && frame !== shown.at(-1)) shown.push(frame)
      if (window.shownFrames === shown) requestAnimationFrame(look)
    }

    requestAnimationFrame(look)
  })

/** The frames that were shown since watchFrames. */
export const shownFrames = (tab: Tab) => tab.run(() => window.shownFrames ?? [])

/** The number of the frame that the preview shows now. */
export const frameNow = (tab: Tab) => tab.run(() => window.frameNow?.() ?? null)
