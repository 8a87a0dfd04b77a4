// The design of captions and the watermark in an export: sizes, rows and positions in pixels of the frame. The render
// reads the same table.

import table from '../../../../media/captionstyles.json'
import type { Schemas } from '../../api/client'

/** The name of a caption style. */
export type CaptionStyle = NonNullable<Schemas['CaptionSettings']['style']>

/** All caption styles in display order; the first one is the default. */
export const CAPTION_STYLES = table.styles.map((style) => ({ ...style, name: style.name as CaptionStyle }))

export const DEFAULT_CAPTION_STYLE = CAPTION_STYLES[0]!.name

/** A person's choices for captions. */
export interface CaptionOptions {
  style: CaptionStyle
  /** In pixels of a frame whose short side is 1080; 0 selects the default for the aspect ratio. */
  font_size: number
  position: 'top' | 'middle' | 'bottom'
  color: string
  /** Empty for the font of the style. */
  font: string
}

export interface Size {
  width: number
  height: number
}

/** How text is drawn. Lengths are in pixels of the output, colors "#rrggbbaa" or "#rrggbb". */
export interface TextStyle {
  font: string
  size: number
  color: string
  /** Color of the spoken word; null for styles that do not highlight it. */
  highlight: string | null
  outline: number
  shadow: number
  /** Blur of the outline. */
  blur: number
  outlineColor: string
  /** Color of the shadow, or of the box. */
  shadowColor: string
  boxed: boolean
  position: 'top' | 'middle' | 'bottom'
  /** Distance from the left and right of the frame. */
  side: number
  /** Distance from the top or bottom of the frame. */
  edgeDistance: number
}

/** Height of a line as a share of the font size. */
export const LINE_HEIGHT = table.line_height
/** Extent of a line of the bundled fonts above and below its baseline, as shares of an em. */
export const FONT_LINE = { ascent: table.ascent, descent: table.descent }
/** The bundled fonts. */
export const FONTS = table.bundled_fonts

const WHITE = '#ffffff'
const CAPTION_COLORS = [WHITE, table.highlight_color, '#3ddbb0', '#ff8080']

const shortSide = (frame: Size) => Math.min(frame.width, frame.height)
const percentOf = (n: number, percent: number) => Math.floor((n * percent) / 100)
const designOf = (name: CaptionStyle) => CAPTION_STYLES.find((style) => style.name === name) ?? CAPTION_STYLES[0]!

/** Whether a style highlights the spoken word; its color option is then the color of that word. */
export const highlightsWords = (name: CaptionStyle) => designOf(name).highlight === 'word'

/** The color that captions have in the video: of the spoken word if the style highlights it. */
export const drawnColor = ({ style, color }: Pick<CaptionOptions, 'style' | 'color'>) =>
  highlightsWords(style) && color.toLowerCase() === WHITE ? table.highlight_color : color

/** The colors to choose from for a style: white is not one of a spoken word, because the others are white. */
export const captionColors = (style: CaptionStyle): readonly string[] =>
  highlightsWords(style) ? CAPTION_COLORS.filter((color) => color !== WHITE) : CAPTION_COLORS

/** The default font size of a style, in pixels of a frame whose short side is 1080. */
export function defaultSize(style: CaptionStyle, frame: Size): number {
  const { portrait, square, landscape } = table.sizes
  const size = frame.height > frame.width ? portrait : frame.height === frame.width ? square : landscape
  return size * designOf(style).scale
}

/** The drawing style that caption options give in a frame. */
export function resolveStyle(options: CaptionOptions, frame: Size): TextStyle {
  const style = designOf(options.style)
  const size = ((options.font_size || defaultSize(options.style, frame)) * shortSide(frame)) / 1080
  const highlights = style.highlight === 'word'
  return {
    font: options.font || style.font,
    size,
    color: highlights ? WHITE : options.color,
    highlight: highlights ? drawnColor(options) : null,
    outline: style.outline * size,
    shadow: style.shadow * size,
    blur: style.blur * size,
    outlineColor: style.outline_color,
    shadowColor: style.shadow_color,
    boxed: style.boxed,
    position: options.position,
    side: percentOf(frame.width, table.side_percent),
    edgeDistance: percentOf(
      frame.height,
      frame.height > frame.width ? table.portrait_edge_percent : table.edge_percent,
    ),
  }
}

/** The watermark: its text and its style in the lower right corner. */
export function watermark(frame: Size): { text: string; style: TextStyle } {
  const mark = table.watermark
  const size = Math.max(mark.smallest, (mark.size * shortSide(frame)) / 1080)
  const margin = percentOf(shortSide(frame), mark.margin_percent)
  return {
    text: mark.text,
    style: {
      font: mark.font,
      size,
      color: mark.color,
      highlight: null,
      outline: mark.outline * size,
      shadow: 0,
      blur: 0,
      outlineColor: mark.outline_color,
      shadowColor: mark.outline_color,
      boxed: false,
      position: 'bottom',
      side: margin,
      edgeDistance: margin,
    },
  }
}

/** Returns the width of a text in pixels at the font size of a style. */
export type Measure = (text: string) => number

/** A row of a caption: characters [from, to) of its text, and its width in pixels. */
export interface Row {
  from: number
  to: number
  width: number
}

/**
 * Breaks a text into rows that are at most `width` pixels wide where words allow it. Follows the render: fill the rows
 * first, then move last words of rows to the next row while that makes the widths of the two rows more even.
 */
export function breakRows(text: string, width: number, measure: Measure): Row[] {
  const rows: Row[] = []
  let at = 0
  for (const paragraph of text.split('\n')) {
    rows.push(...wrapText(paragraph, width, measure).map((r) => ({ ...r, from: r.from + at, to: r.to + at })))
    at += paragraph.length + 1
  }

  return rows
}

function wrapText(text: string, width: number, measure: Measure): Row[] {
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
  balanceRows(starts, words.length, length)
  return starts.map((first, n) => {
    const end = starts[n + 1] ?? words.length
    return { from: words[first]!.from, to: words[end - 1]!.to, width: length(first, end) }
  })
}

// balanceRows moves the last word of a row to the next row while that makes their widths more even. starts are the
// indices of the first words of the rows.
function balanceRows(starts: number[], words: number, length: (first: number, end: number) => number): void {
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

/** Scale factor per step for a caption that is too high for the frame, and the smallest scale. */
const SMALLER_BY = 0.88
const SMALLEST = 0.1

/** A caption that fits a frame: the style with a fitting font size, the text with overlong words broken, and its rows. */
export interface FittedText {
  style: TextStyle
  text: string
  rows: Row[]
}

/** Fits a text into a frame; measure uses the font size of the style. Breaking words shifts offsets in the text. */
export function fitCaption(text: string, style: TextStyle, frame: Size, measure: Measure): FittedText {
  const width = frame.width - 2 * style.side
  const height = frame.height - 2 * style.edgeDistance
  for (let by = 1; ; by *= SMALLER_BY) {
    const scaled: Measure = (t) => measure(t) * by
    const broken = breakWords(text, width, scaled)
    const rows = breakRows(broken, width, scaled)
    if (by < SMALLEST || rows.length * style.size * by * LINE_HEIGHT <= height)
      return { style: { ...style, size: style.size * by }, text: broken, rows }
  }
}

// breakWords inserts line breaks into words that are wider than a row.
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

/** The box around the rows of a text, from the top of the first to the bottom of the last. */
export function textBox(fitted: FittedText, frame: Size): { left: number; top: number; width: number; height: number } {
  const { style, rows } = fitted
  const width = Math.max(...rows.map((r) => r.width))
  const height = rows.length * style.size * LINE_HEIGHT
  const top =
    style.position === 'top'
      ? style.edgeDistance
      : style.position === 'middle'
        ? (frame.height - height) / 2
        : frame.height - style.edgeDistance - height

  return { left: (frame.width - width) / 2, top, width, height }
}
