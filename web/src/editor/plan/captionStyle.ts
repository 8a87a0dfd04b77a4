// The design of captions and the watermark in an export: sizes, rows and positions in pixels of the frame. The render
// reads the same table.

import table from '../../../../media/captionstyles.json'
import type { Schemas } from '../../api/client'

/** The name of a caption style. */
export type CaptionStyle = NonNullable<Schemas['CaptionSettings']['style']>

/** The design of a caption style. Package media describes the fields. */
interface Design extends Omit<(typeof table.styles)[number], 'name'> {
  name: CaptionStyle
  box: 'none' | 'block' | 'rows'
  highlight: 'none' | 'word' | 'box'
  shows: 'caption' | 'word' | 'spoken'
  align: 'center' | 'left'
  position: CaptionOptions['position']
}

/** All caption styles in display order; the first one is the default. */
export const CAPTION_STYLES = table.styles as Design[]

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
  /** Color of the spoken word, of its box, or of the boxes behind the rows. */
  accent: string
  /** Color of text on the accent. */
  onAccent: string
  highlight: Design['highlight']
  shows: Design['shows']
  align: Design['align']
  outline: number
  /** Offset of the shadow, or margin of boxes. */
  shadow: number
  /** Blur of the outline. */
  blur: number
  outlineColor: string
  /** Color of the shadow, or of the box behind all rows. */
  shadowColor: string
  box: Design['box']
  position: 'top' | 'middle' | 'bottom'
  /** Distance from the left and right of the frame. */
  side: number
  /** Distance from the top or bottom of the frame. */
  edgeDistance: number
}

/** Height of a line as a share of the font size. */
export const LINE_HEIGHT = table.line_height
/** The bundled fonts. The first one draws the letters that others lack. */
export const FONTS = table.fonts

const WHITE = '#ffffff'
const BLACK = '#000000'
/** The colors to choose from besides the color of the style. */
const CAPTION_COLORS = ['#ffd60a', '#3ddbb0', '#ff8080']
/** Text on colors that are at least as bright is black, of 255. */
const MIDDLE = 140

const shortSide = (frame: Size) => Math.min(frame.width, frame.height)
const percentOf = (n: number, percent: number) => Math.floor((n * percent) / 100)

/** The design of a style. */
export const designOf = (name: CaptionStyle) =>
  CAPTION_STYLES.find((style) => style.name === name) ?? CAPTION_STYLES[0]!

/** Whether the color option of a style is the color of the spoken word or of its box. */
export const highlightsWords = (name: CaptionStyle) => designOf(name).highlight !== 'none'

/** The color that stands for the color option in the video: white stands for the color of the style. */
export const drawnColor = ({ style, color }: Pick<CaptionOptions, 'style' | 'color'>) =>
  color.toLowerCase() === WHITE ? designOf(style).color : color

/** The colors to choose from for a style, its own first. */
export const captionColors = (style: CaptionStyle): readonly string[] => [
  ...new Set([designOf(style).color, ...CAPTION_COLORS]),
]

// onBox returns the color of text that is readable on a color.
function onBox(color: string): string {
  const [r, g, b] = [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16))
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b! > MIDDLE ? BLACK : WHITE
}

/** The options with a style. The position follows the style, unless the person has chosen another one. */
export function withStyle<T extends CaptionOptions>(options: T, style: CaptionStyle): T {
  const follows = options.position === designOf(options.style).position
  return { ...options, style, position: follows ? designOf(style).position : options.position }
}

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
  const accent = drawnColor(options)
  const onAccent = onBox(accent)
  return {
    font: options.font || style.font,
    size,
    color: style.box === 'rows' ? onAccent : style.highlight === 'none' ? accent : WHITE,
    accent,
    onAccent,
    highlight: style.highlight,
    shows: style.shows,
    align: style.align,
    outline: style.outline * size,
    shadow: style.shadow * size,
    blur: style.blur * size,
    outlineColor: style.outline_color,
    shadowColor: style.shadow_color,
    box: style.box,
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
      accent: mark.color,
      onAccent: mark.color,
      highlight: 'none',
      shows: 'caption',
      align: 'center',
      outline: mark.outline * size,
      shadow: 0,
      blur: 0,
      outlineColor: mark.outline_color,
      shadowColor: mark.outline_color,
      box: 'none',
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

  return { left: rowLeft(style, width, frame), top, width, height }
}

/** The left edge of a row. */
export const rowLeft = (style: TextStyle, width: number, frame: Size) =>
  style.align === 'left' ? style.side : (frame.width - width) / 2
