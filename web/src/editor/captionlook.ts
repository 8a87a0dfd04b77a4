// How captions and the watermark look in the picture of an export: sizes, rows and places in its pixels. The table is that of the export.

import table from '../../../media/captionstyles.json'
import type { Schemas } from '../api/client'

export type CaptionStyle = NonNullable<Schemas['CaptionSettings']['style']>

/** What a person chooses of captions; a size of 0 is one that suits the picture, an empty font that of the style. */
export interface CaptionChoice {
  style: CaptionStyle
  font_size: number
  position: 'top' | 'middle' | 'bottom'
  color: string
  font: string
}

export interface Size {
  width: number
  height: number
}

/** How text looks, in pixels of the output. Colours are "#rrggbbaa" or "#rrggbb". */
export interface Look {
  font: string
  size: number
  color: string
  spoken: string | null
  outline: number
  shadow: number
  blur: number
  edge: string
  shade: string
  boxed: boolean
  position: 'top' | 'middle' | 'bottom'
  /** Distances from the sides, and from top or bottom. */
  side: number
  edgeDistance: number
}

/** Height of a line as a share of the size of its letters. */
export const LINE_HEIGHT = table.line_height
/** How far a line of our fonts reaches above and below its base line, as shares of an em. */
export const FONT_LINE = { ascent: table.ascent, descent: table.descent }
export const FONTS = { semiBold: table.bundled_fonts.semibold, extraBold: table.bundled_fonts.extrabold }

/** The design of a caption style; an unknown name means the default, which is the first. */
const designOf = (name: CaptionStyle) => table.styles.find((s) => s.name === name) ?? table.styles[0]!

const short = (frame: Size) => Math.min(frame.width, frame.height)
const share = (n: number, percent: number) => Math.floor((n * percent) / 100)

/** The size that captions have, in pixels where the short side of the picture has 1080. */
export function usualSize(style: CaptionStyle, frame: Size): number {
  const { portrait, square, landscape } = table.sizes
  const size = frame.height > frame.width ? portrait : frame.height === frame.width ? square : landscape
  return size * designOf(style).scale
}

export function captionLook(choice: CaptionChoice, frame: Size): Look {
  const style = designOf(choice.style)
  const size = ((choice.font_size || usualSize(choice.style, frame)) * short(frame)) / 1080
  const white = choice.color.toLowerCase() === '#ffffff'
  const highlights = style.highlight === 'word'
  return {
    font: choice.font || style.font,
    size,
    color: highlights ? '#ffffff' : choice.color,
    spoken: highlights ? (white ? table.highlight_color : choice.color) : null,
    outline: style.outline * size,
    shadow: style.shadow * size,
    blur: style.blur * size,
    edge: style.outline_color,
    shade: style.shadow_color,
    boxed: style.boxed,
    position: choice.position,
    side: share(frame.width, table.side_percent),
    edgeDistance: share(frame.height, frame.height > frame.width ? table.portrait_edge_percent : table.edge_percent),
  }
}

/** The watermark: its text, and its look in the lower right corner. */
export function watermark(frame: Size): { text: string; look: Look } {
  const mark = table.watermark
  const size = Math.max(mark.smallest, (mark.size * short(frame)) / 1080)
  const margin = share(short(frame), mark.margin_percent)
  return {
    text: mark.text,
    look: {
      font: mark.font,
      size,
      color: mark.color,
      spoken: null,
      outline: mark.outline * size,
      shadow: 0,
      blur: 0,
      edge: mark.outline_color,
      shade: mark.outline_color,
      boxed: false,
      position: 'bottom',
      side: margin,
      edgeDistance: margin,
    },
  }
}

/** Returns the width of a text in pixels at the size of the look. */
export type Measure = (text: string) => number

/** A row of a caption: characters [from, to) of its text, and its width in pixels. */
export interface Row {
  from: number
  to: number
  width: number
}

/**
 * Divides a text into rows no wider than a width where words allow it. As the export does: rows are filled first, then made alike in pairs, as
 * long as moving the last word of one to the next brings their widths closer.
 */
export function rowsOf(text: string, width: number, measure: Measure): Row[] {
  const rows: Row[] = []
  let at = 0
  for (const paragraph of text.split('\n')) {
    rows.push(...wrapped(paragraph, width, measure).map((r) => ({ ...r, from: r.from + at, to: r.to + at })))
    at += paragraph.length + 1
  }
  return rows
}

function wrapped(text: string, width: number, measure: Measure): Row[] {
  const words = [...text.matchAll(/[^ ]+/g)].map((m) => ({ from: m.index, to: m.index + m[0].length }))
  if (words.length === 0) return [{ from: 0, to: 0, width: 0 }]
  const known = new Map<number, number>()
  const length = (first: number, end: number) => {
    const key = first * (words.length + 1) + end
    let w = known.get(key)
    if (w === undefined) known.set(key, (w = measure(text.slice(words[first]!.from, words[end - 1]!.to))))
    return w
  }
  const starts = [0]
  for (let i = 1; i < words.length; i++) if (length(starts.at(-1)!, i + 1) >= width) starts.push(i)
  balance(starts, words.length, length)
  return starts.map((first, n) => {
    const end = starts[n + 1] ?? words.length
    return { from: words[first]!.from, to: words[end - 1]!.to, width: length(first, end) }
  })
}

// balance moves last words of rows, which begin at the words starts, to the next row where that brings their widths closer.
function balance(starts: number[], words: number, length: (first: number, end: number) => number): void {
  for (let moved = true; moved;) {
    moved = false
    for (let n = 1; n < starts.length; n++) {
      const [a, b, end] = [starts[n - 1]!, starts[n]!, starts[n + 1] ?? words]
      if (b - a < 2) continue
      const now = Math.abs(length(a, b) - length(b, end))
      if (Math.abs(length(a, b - 1) - length(b - 1, end)) < now) {
        starts[n] = b - 1
        moved = true
      }
    }
  }
}

/** Of captions that are too high for the picture: the steps in which they are made smaller, and the smallest. */
const SMALLER_BY = 0.88
const SMALLEST = 0.1

/** A caption as it fits a picture: the look with the size that does, the text with words broken that are too wide, and its rows. */
export interface Fitted {
  look: Look
  text: string
  rows: Row[]
}

/** Fits a text into a picture; measure is for the size of the look. Offsets in the text move where words are broken. */
export function fitCaption(text: string, look: Look, frame: Size, measure: Measure): Fitted {
  const width = frame.width - 2 * look.side
  const height = frame.height - 2 * look.edgeDistance
  for (let by = 1; ; by *= SMALLER_BY) {
    const scaled: Measure = (t) => measure(t) * by
    const broken = breakWords(text, width, scaled)
    const rows = rowsOf(broken, width, scaled)
    if (by < SMALLEST || rows.length * look.size * by * LINE_HEIGHT <= height)
      return { look: { ...look, size: look.size * by }, text: broken, rows }
  }
}

// breakWords puts breaks into words that are wider than a width.
function breakWords(text: string, width: number, measure: Measure): string {
  return text.replace(/[^ \n]+/g, (word) => {
    if (measure(word) <= width) return word
    const parts: string[] = []
    let part = ''
    for (const { segment } of new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(word)) {
      if (part && measure(part + segment) > width) {
        parts.push(part)
        part = ''
      }
      part += segment
    }
    return [...parts, part].join('\n')
  })
}

/** Where the rows of a text lie together, from the top of the first to the bottom of the last. */
export function boxOf(fitted: Fitted, frame: Size): { left: number; top: number; width: number; height: number } {
  const { look, rows } = fitted
  const width = Math.max(...rows.map((r) => r.width))
  const height = rows.length * look.size * LINE_HEIGHT
  const top =
    look.position === 'top'
      ? look.edgeDistance
      : look.position === 'middle'
        ? (frame.height - height) / 2
        : frame.height - look.edgeDistance - height
  return { left: (frame.width - width) / 2, top, width, height }
}
