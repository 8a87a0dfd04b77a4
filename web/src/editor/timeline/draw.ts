// Draws the lanes of the timeline on canvases. Lengths are CSS pixels; the context is already scaled for the screen.

import type { Waveform, ProxyURL } from '../../api/clips'
import type { Edit, EditType } from '../../api/edits'
import { mutes } from '../edits/cuts'
import { colorVariable, CUT_KINDS, type EditKind } from '../edits/kinds'
import { clipAt, type Span } from '../plan/renderPlan'
import { rulerMark } from '../plan/timecode'
import { endMs, markStep, toMs, toX, type Viewport } from './viewport'

export interface Palette {
  ink: string
  muted: string
  faint: string
  line: string
  film: string
  surface: string
  raised: string
  accent: string
  wave: string
  waveCut: string
  kinds: Record<EditType, string>
}

/** Reads the colors of the current theme. */
export function readPalette(): Palette {
  const probe = document.body.appendChild(document.createElement('span'))
  const color = (name: string) => {
    probe.style.color = `var(--${name})`
    return getComputedStyle(probe).color
  }

  const kinds = Object.fromEntries(
    CUT_KINDS.map((k) => [k.name, color(colorVariable(k.name).slice(2))]),
  ) as Palette['kinds']

  const palette = {
    ink: color('ink'),
    muted: color('muted'),
    faint: color('faint'),
    line: color('line'),
    film: color('film'),
    surface: color('surface'),
    raised: color('raised'),
    accent: color('accent'),
    wave: color('wave'),
    waveCut: color('wave-cut'),
    kinds,
  }

  probe.remove()
  return palette
}

export type Patterns = Record<EditType, CanvasPattern>

/** Makes the fill pattern of each kind of cut, which match the swatches of the lists. Kinds differ without color. */
export function makePatterns(palette: Palette, scale: number): Patterns {
  const size = 8
  const make = ({ name, pattern }: EditKind): CanvasPattern => {
    const tile = document.createElement('canvas')
    tile.width = tile.height = size * scale
    const ctx = tile.getContext('2d')!
    ctx.scale(scale, scale)
    ctx.strokeStyle = ctx.fillStyle = palette.kinds[name]
    ctx.lineWidth = 1.2
    ctx.beginPath()
    if (pattern === 'stripes' || pattern === 'lattice')
      for (const d of [-size, 0, size]) strokeLine(ctx, d, size, d + size, 0)
    if (pattern === 'lattice') for (const d of [-size, 0, size]) strokeLine(ctx, d, 0, d + size, size)
    if (pattern === 'lines') for (const y of [2, 6]) strokeLine(ctx, 0, y, size, y)
    ctx.stroke()
    if (pattern === 'dots')
      for (const [x, y] of [
        [2, 2],
        [6, 6],
      ] as const)
        ctx.fillRect(x - 1, y - 1, 2, 2)
    const fill = ctx.createPattern(tile, 'repeat')!
    fill.setTransform(new DOMMatrix().scale(1 / scale))
    return fill
  }

  return Object.fromEntries(CUT_KINDS.map((kind) => [kind.name, make(kind)])) as Patterns
}

function strokeLine(ctx: CanvasRenderingContext2D, x1: number, y1: number, x2: number, y2: number): void {
  ctx.moveTo(x1, y1)
  ctx.lineTo(x2, y2)
}

export interface Lane {
  ctx: CanvasRenderingContext2D
  view: Viewport
  top: number
  height: number
  palette: Palette
}

/** Draws round times with ticks, as many as fit. */
export function drawRuler({ ctx, view, top, height, palette }: Lane): void {
  const step = markStep(view, 88)
  ctx.font = '500 11px "Inter Variable", system-ui, sans-serif'
  ctx.textBaseline = 'middle'
  for (let ms = Math.floor(view.startMs / step) * step; ms <= Math.min(endMs(view), view.totalMs); ms += step) {
    const x = Math.round(toX(view, ms)) + 0.5
    ctx.fillStyle = palette.line
    ctx.fillRect(x - 0.5, top + height - 6, 1, 6)
    for (let i = 1; i < 5; i++) ctx.fillRect(Math.round(x + (i * step) / 5 / view.msPerPx), top + height - 3, 1, 3)
    ctx.fillStyle = palette.faint
    ctx.fillText(rulerMark(ms, step), x + 4, top + height / 2)
  }
}

/** Draws thumbnails of the footage side by side; sheets are null until loaded. */
export function drawFilm(
  lane: Lane,
  layout: readonly Span[],
  proxies: readonly (ProxyURL | undefined)[],
  sheets: readonly (HTMLImageElement | null)[],
): void {
  const { ctx, view, top, height, palette } = lane
  ctx.fillStyle = palette.film
  ctx.fillRect(0, top, view.widthPx, height)
  layout.forEach((clip, index) => {
    const sprite = proxies[index]?.sprite
    const sheet = sheets[index]
    const from = Math.max(toX(view, clip.startMs), 0)
    const to = Math.min(toX(view, clip.endMs), view.widthPx)
    if (to <= from || !sprite || !sheet) return
    const width = (sprite.tile_width_px / sprite.tile_height_px) * height
    ctx.save()
    ctx.beginPath()
    ctx.rect(from, top, to - from, height)
    ctx.clip()
    // Tiles have fixed positions on the timeline, so that they do not shift against it while it scrolls.
    const first = Math.floor((from - toX(view, clip.startMs)) / width)
    for (let x = toX(view, clip.startMs) + first * width; x < to; x += width) {
      const ms = Math.max(toMs(view, x + width / 2) - clip.startMs, 0)
      const tile = Math.min(Math.floor(ms / 1000 / sprite.seconds_per_tile), sprite.total_tiles - 1)
      const sx = (tile % sprite.tiles_per_row) * sprite.tile_width_px
      const sy = Math.floor(tile / sprite.tiles_per_row) * sprite.tile_height_px
      ctx.drawImage(sheet, sx, sy, sprite.tile_width_px, sprite.tile_height_px, x, top, width, height)
    }

    ctx.restore()
  })
}

/** Draws frame boundaries if they are at least 12 pixels apart. */
export function drawFrames(
  { ctx, view, top, height, palette }: Lane,
  layout: readonly Span[],
  rates: readonly number[],
): void {
  layout.forEach((clip, i) => {
    const frameMs = 1000 / (rates[i] || 30)
    if (frameMs / view.msPerPx < 12) return
    const to = Math.min(clip.endMs, endMs(view))
    ctx.fillStyle = palette.ink
    ctx.globalAlpha = 0.35
    for (let n = Math.max(Math.ceil((view.startMs - clip.startMs) / frameMs), 0); clip.startMs + n * frameMs < to; n++)
      ctx.fillRect(Math.round(toX(view, clip.startMs + n * frameMs)), top + height - 8, 1, 8)
    ctx.globalAlpha = 1
  })
}

/** Draws a line where a drag has snapped. */
export function drawGuide({ ctx, view, top, height, palette }: Lane, ms: number): void {
  ctx.fillStyle = palette.accent
  ctx.fillRect(Math.round(toX(view, ms)) - 0.5, top, 1.5, height)
}

/** Height of the waveform in muted spans, in pixels. */
const MUTED_WAVE = 2

/** Draws the waveform: fainter in cut footage, flat in muted footage. Spans are disjoint and in order. */
export function drawWave(
  lane: Lane,
  layout: readonly Span[],
  waveforms: readonly (Waveform | undefined)[],
  cuts: readonly Span[],
  muted: readonly Span[],
): void {
  const { ctx, view, top, height, palette } = lane
  const middle = top + height / 2
  const [isCut, isMuted] = [insideOf(cuts), insideOf(muted)]
  ctx.fillStyle = palette.line
  ctx.fillRect(0, Math.round(middle), view.widthPx, 1)
  for (let x = 0; x < view.widthPx; x++) {
    const ms = toMs(view, x)
    if (ms >= view.totalMs) break
    const at = clipAt(layout, ms)
    const wave = at && waveforms[at.index]
    if (!wave) continue
    const [removed, silent] = [isCut(ms), isMuted(ms)]
    const peak = loudestPeak(wave, at.ms, at.ms + view.msPerPx)
    const h = Math.max((peak / 255) ** 0.75 * (height - 8), 1)
    ctx.fillStyle = removed || silent ? palette.waveCut : palette.wave
    ctx.fillRect(x, middle - h / 2, 1, h)
    if (silent && !removed) {
      ctx.fillStyle = palette.wave
      ctx.fillRect(x, middle - MUTED_WAVE / 2, 1, MUTED_WAVE)
    }
  }
}

// insideOf tests whether times are inside of disjoint spans; both are in ascending order.
function insideOf(spans: readonly Span[]): (ms: number) => boolean {
  let i = 0
  return (ms) => {
    while (i < spans.length && spans[i]!.endMs <= ms) i++
    return i < spans.length && spans[i]!.startMs <= ms
  }
}

function loudestPeak(wave: Waveform, fromMs: number, toMs: number): number {
  const rate = wave.samples_per_second / 1000
  const last = wave.peaks.length - 1
  const from = Math.min(Math.floor(fromMs * rate), last)
  const to = Math.min(Math.max(Math.floor(toMs * rate), from), last)
  let peak = 0
  for (let i = from; i <= to; i++) peak = Math.max(peak, wave.peaks[i] ?? 0)
  return peak
}

/** Cuts of fewer pixels are bars, where corners and patterns would not be seen; a long recording has a thousand of them. */
const NARROW = 5

/** Draws cuts: active ones filled with their pattern, mutes with a plain color, inactive ones outlined. */
export function drawCuts(lane: Lane, edits: readonly Edit[], selected: ReadonlySet<string>, patterns: Patterns): void {
  const { ctx, view, top, height, palette } = lane
  for (const edit of edits) {
    const x1 = toX(view, edit.start_ms)
    const x2 = Math.max(toX(view, edit.end_ms), x1 + 2)
    if (x2 < 0 || x1 > view.widthPx) continue
    const color = palette.kinds[edit.type]
    const chosen = selected.has(edit.uuid)
    if (x2 - x1 < NARROW && edit.active && !chosen) {
      ctx.globalAlpha = mutes(edit) ? 0.4 : 0.8
      ctx.fillStyle = color
      ctx.fillRect(x1, top, x2 - x1, height)
      ctx.globalAlpha = 1
      continue
    }

    ctx.save()
    ctx.beginPath()
    ctx.roundRect(x1, top, x2 - x1, height, Math.min(4, (x2 - x1) / 2))
    if (edit.active) {
      ctx.globalAlpha = chosen ? 0.34 : 0.2
      ctx.fillStyle = color
      ctx.fill()
      if (!mutes(edit)) {
        ctx.globalAlpha = chosen ? 0.85 : 0.55
        ctx.fillStyle = patterns[edit.type]
        ctx.fill()
      }

      ctx.globalAlpha = 1
    } else {
      ctx.globalAlpha = chosen ? 1 : 0.7
      ctx.setLineDash([3, 3])
    }

    ctx.strokeStyle = color
    ctx.lineWidth = chosen ? 2 : 1
    ctx.stroke()
    if (x2 - x1 > 6) {
      ctx.fillStyle = color
      ctx.fillRect(x1, top, x2 - x1, 3) // the handle that moves the cut
    }

    ctx.restore()
    if (mutes(edit) && x2 - x1 > MUTE_SIGN + 6) drawMuteSign(lane, x1 + 4, color)
    if (chosen && x2 - x1 > 12) drawGrips(ctx, x1, x2, top, height, color)
  }
}

/** Size of the sign of a mute, in pixels. */
const MUTE_SIGN = 10

// drawMuteSign draws a crossed-out loudspeaker below the handle of an edit.
function drawMuteSign({ ctx, top }: Lane, x: number, color: string): void {
  const y = top + 7
  ctx.save()
  ctx.strokeStyle = ctx.fillStyle = color
  ctx.lineWidth = 1.4
  ctx.beginPath()
  ctx.moveTo(x, y + 3)
  for (const [dx, dy] of [
    [2, 3],
    [5, 0],
    [5, 10],
    [2, 7],
    [0, 7],
  ] as const)
    ctx.lineTo(x + dx, y + dy)
  ctx.fill()
  ctx.beginPath()
  strokeLine(ctx, x + 7, y + 3, x + 11, y + 7)
  strokeLine(ctx, x + 7, y + 7, x + 11, y + 3)
  ctx.stroke()
  ctx.restore()
}

function drawGrips(
  ctx: CanvasRenderingContext2D,
  x1: number,
  x2: number,
  top: number,
  height: number,
  color: string,
): void {
  ctx.fillStyle = color
  for (const x of [x1, x2]) {
    ctx.beginPath()
    ctx.roundRect(x - 2.5, top + height / 2 - 12, 5, 24, 2.5)
    ctx.fill()
  }
}

/** Height of the lane of take groups at the bottom of the waveform, in pixels. */
export const TAKES_LANE = 10

/** A take as the timeline draws it. */
export interface TakeMark extends Span {
  kept: boolean
}

/** Draws a bracket around the takes of each group, with a filled bar for the take that stays. */
export function drawTakes(
  lane: Lane,
  groups: readonly { id: string; marks: readonly TakeMark[] }[],
  selected: string | null,
): void {
  const { ctx, view, top, height, palette } = lane
  for (const { id, marks } of groups) {
    const [from, to] = [toX(view, marks[0]!.startMs), toX(view, marks.at(-1)!.endMs)]
    if (to < 0 || from > view.widthPx) continue
    const color = id === selected ? palette.accent : palette.muted
    ctx.save()
    ctx.fillStyle = ctx.strokeStyle = color
    ctx.globalAlpha = id === selected ? 1 : 0.7
    ctx.fillRect(from, top + height - 2, to - from, 1)
    for (const mark of marks) drawTake(ctx, toX(view, mark.startMs), toX(view, mark.endMs), top, height - 3, mark.kept)
    ctx.restore()
  }
}

function drawTake(
  ctx: CanvasRenderingContext2D,
  x1: number,
  x2: number,
  top: number,
  height: number,
  kept: boolean,
): void {
  const width = Math.max(x2 - x1, 2)
  if (kept) return ctx.fillRect(x1, top + 1, width, height)
  ctx.lineWidth = 1
  ctx.strokeRect(x1 + 0.5, top + 1.5, Math.max(width - 1, 1), height - 1)
}

/** Draws cuts as plain bars: inactive ones fainter, mutes at half height. */
export function drawMarks({ ctx, view, top, height, palette }: Lane, edits: readonly Edit[]): void {
  for (const e of edits) {
    const x = toX(view, e.start_ms)
    ctx.globalAlpha = e.active ? 1 : 0.35
    ctx.fillStyle = palette.kinds[e.type]
    const h = mutes(e) ? height / 2 : height
    ctx.fillRect(x, top + height - h, Math.max(toX(view, e.end_ms) - x, 1.5), h)
  }

  ctx.globalAlpha = 1
}

/** Draws boundaries between clips. */
export function drawBorders({ ctx, view, top, height, palette }: Lane, layout: readonly Span[]): void {
  ctx.fillStyle = palette.ink
  for (const clip of layout.slice(1)) ctx.fillRect(Math.round(toX(view, clip.startMs)), top, 1, height)
}

/** Draws the splits of the footage: dashed lines. */
export function drawSplits({ ctx, view, top, height, palette }: Lane, splits: readonly number[]): void {
  ctx.save()
  ctx.strokeStyle = palette.ink
  ctx.lineWidth = 1.5
  ctx.setLineDash([4, 3])
  ctx.beginPath()
  for (const ms of splits) {
    const x = Math.round(toX(view, ms)) + 0.5
    strokeLine(ctx, x, top, x, top + height)
  }

  ctx.stroke()
  ctx.restore()
}

/** A word as the timeline draws it. */
interface DrawnWord {
  text: string
  start_ms: number
}

/** Draws the words that fit, each from its start; cut ones are fainter. */
export function drawWords(lane: Lane, words: readonly DrawnWord[], cuts: readonly Span[]): void {
  const { ctx, view, top, height, palette } = lane
  ctx.save()
  ctx.font = '400 11px "Inter Variable", system-ui, sans-serif'
  ctx.textBaseline = 'middle'
  const isCut = insideOf(cuts)
  let free = -Infinity
  for (let i = firstFrom(words, view.startMs - 2000); i < words.length; i++) {
    const x = toX(view, words[i]!.start_ms)
    if (x > view.widthPx) break
    if (x < free) continue
    const text = words[i]!.text.trim()
    const width = ctx.measureText(text).width
    ctx.fillStyle = isCut(words[i]!.start_ms + 1) ? palette.waveCut : palette.muted
    ctx.fillText(text, x, top + height / 2)
    free = x + width + 6
  }

  ctx.restore()
}

// firstFrom is the index of the first word that starts at ms or later.
function firstFrom(words: readonly DrawnWord[], ms: number): number {
  let lo = 0
  let hi = words.length
  while (lo < hi) {
    const mid = (lo + hi) >> 1
    if (words[mid]!.start_ms < ms) lo = mid + 1
    else hi = mid
  }

  return lo
}

/** Draws the selected footage. */
export function drawSelection({ ctx, view, top, height, palette }: Lane, selection: Span): void {
  const x1 = toX(view, selection.startMs)
  const x2 = Math.max(toX(view, selection.endMs), x1 + 1)
  ctx.save()
  ctx.globalAlpha = 0.22
  ctx.fillStyle = palette.accent
  ctx.fillRect(x1, top, x2 - x1, height)
  ctx.restore()
  ctx.fillStyle = palette.accent
  ctx.fillRect(x1, top, 1.5, height)
  ctx.fillRect(x2 - 1.5, top, 1.5, height)
}
