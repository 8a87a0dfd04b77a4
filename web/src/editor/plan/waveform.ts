// The waveform that an export shows during clips without video. Package media in Go computes the same;
// media/testdata/waveform_vectors.json tests both.

import type { Waveform } from '../../api/clips'
import type { Size } from './captionStyle'
import { msAt, type RenderPlan } from './renderPlan'

/** A bar in a frame, in pixels. */
export interface Bar {
  left: number
  top: number
  width: number
  height: number
  played: boolean
}

/** Peaks of a clip. */
export type Peaks = Pick<Waveform, 'peaks' | 'samples_per_second'>

const PAGE = 60
const BAR_MS = 100
const WIDTH = 0.8
const BAR = 0.6
const HEIGHT = 0.4
const LEAST = 0.01
const MARGIN = 1.3
const CURVE = 0.7
const QUIET = 16
/** Distance between the times of peaks, in milliseconds. */
const STEP_MS = 10

/**
 * The height of each bar of the output, 0 to 1 of the highest bar. sounds are the peaks of the inputs; null for one with
 * video, over which no bar is shown: its bars are negative.
 */
export function waveformLevels(plan: RenderPlan, sounds: readonly (Peaks | null)[]): number[] {
  const levels = new Array<number>(Math.ceil(plan.durationMs / BAR_MS)).fill(-1)
  let highest = QUIET
  for (const s of plan.segments) {
    const sound = sounds[s.input]
    if (!sound) continue
    const [start, end, from] = [
      msAt(plan.rate, s.start),
      msAt(plan.rate, s.start + s.out - s.in),
      msAt(plan.rate, s.in),
    ]

    for (let at = start; at < end; at += STEP_MS) {
      const top = sound.peaks[Math.floor(((from + at - start) * sound.samples_per_second) / 1000)] ?? 0
      const bar = Math.floor(at / BAR_MS)
      levels[bar] = Math.max(levels[bar]!, top)
      highest = Math.max(highest, top)
    }
  }

  return levels.map((level) => (level < 0 ? level : (level / highest) ** CURVE))
}

/** The number of the bar that plays at output time ms. */
export const barAt = (ms: number) => Math.floor(ms / BAR_MS)

/** The bars in a frame of a size at output time ms. */
export function waveformBars(levels: readonly number[], { width, height }: Size, ms: number): Bar[] {
  const now = barAt(ms)
  const first = Math.floor(now / PAGE) * PAGE
  const side = Math.min(width, height)
  const room = (WIDTH * width) / PAGE
  return levels.slice(first, first + PAGE).flatMap((level, i) => {
    if (level < 0) return []
    const high = side * Math.max(LEAST, HEIGHT * level)
    return {
      left: (width * (1 - WIDTH)) / 2 + room * (i + (1 - BAR) / 2),
      top: (height - high) / 2,
      width: room * BAR,
      height: high,
      played: first + i <= now,
    }
  })
}

/** The rows of a frame that bars may take, with a margin. */
export function waveformBand({ width, height }: Size): Pick<Bar, 'top' | 'height'> {
  const band = HEIGHT * MARGIN * Math.min(width, height)
  return { top: (height - band) / 2, height: band }
}

/** Opacity of bars that are not played yet, and of the band under all bars of a cover. */
const UNPLAYED = 0.35
const BAND = 0.45

/** Draws bars in their color, over a dark band if they lie on a cover. */
export function drawWaveform(
  ctx: CanvasRenderingContext2D,
  bars: readonly Bar[],
  frame: Size,
  color: string,
  covered: boolean,
): void {
  if (covered) {
    const band = waveformBand(frame)
    ctx.fillStyle = `rgb(0 0 0 / ${BAND})`
    ctx.fillRect(0, band.top, frame.width, band.height)
  }

  ctx.fillStyle = color
  for (const bar of bars) {
    ctx.globalAlpha = bar.played ? 1 : UNPLAYED
    ctx.fillRect(bar.left, bar.top, bar.width, bar.height)
  }

  ctx.globalAlpha = 1
}
