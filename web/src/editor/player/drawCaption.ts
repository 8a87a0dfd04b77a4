// Draws captions on a canvas the way the render burns them in.

import type { CaptionFrame } from '../plan/captionShown'
import {
  textBox,
  resolveStyle,
  fitCaption,
  FONTS,
  LINE_HEIGHT,
  rowLeft,
  watermark,
  type CaptionOptions,
  type FittedText,
  type TextStyle,
  type Measure,
  type Row,
  type Size,
} from '../plan/captionStyle'
import { directionAt, isLeftToRight, placeInRow } from '../plan/textDirection'

const loading = new Map<string, Promise<void>>()

/** Loads bundled fonts once, and the font of the letters that they lack. */
export async function loadCaptionFonts(...families: readonly string[]): Promise<void> {
  const wanted = FONTS.filter((font, i) => i === 0 || families.includes(font.family))
  await Promise.all(wanted.map(loadFont))
}

function loadFont({ family, file, weight }: (typeof FONTS)[number]): Promise<void> {
  let font = loading.get(family)
  if (!font) {
    const face = new FontFace(family, `url(${new URL(`fonts/${file}`, document.baseURI).href})`, {
      weight: `${weight}`,
    })

    font = face.load().then(
      () => void document.fonts.add(face),
      () => void loading.delete(family), // the next call retries; until then another font is used
    )

    loading.set(family, font)
  }

  return font
}

/** Font size for measuring fonts, in pixels. */
const PROBE = 1000
const measured = new Map<string, { scale: number; ascent: number }>()

// setFont sets the font of a style. The render scales a font so that its line height is LINE_HEIGHT times the font size.
function setFont(ctx: CanvasRenderingContext2D, style: TextStyle): { ascent: number } {
  const bundled = FONTS.find((font) => font.family === style.font)
  const family = `"${style.font.replace(/["\\]/g, '')}", "${FONTS[0]!.family}", sans-serif`
  let m = measured.get(family)
  if (!m) {
    const { up, down } = bundled ? { up: bundled.ascent, down: bundled.descent } : lineOf(ctx, family)
    m = { scale: LINE_HEIGHT / (up + down), ascent: up / (up + down) }
    measured.set(family, m)
  }

  ctx.font = `${bundled?.weight ?? 'normal'} ${style.size * m.scale}px ${family}`
  ctx.fontKerning = 'normal'
  ctx.textRendering = 'geometricPrecision' // letter spacing scales exactly with the size
  return m
}

function lineOf(ctx: CanvasRenderingContext2D, family: string): { up: number; down: number } {
  ctx.font = `${PROBE}px ${family}`
  const { fontBoundingBoxAscent, fontBoundingBoxDescent } = ctx.measureText('x')
  return { up: fontBoundingBoxAscent / PROBE, down: fontBoundingBoxDescent / PROBE }
}

// fitOnCanvas fits a text into a frame, measured on the canvas.
function fitOnCanvas(ctx: CanvasRenderingContext2D, text: string, style: TextStyle, frame: Size): FittedText {
  setFont(ctx, style)
  const measure: Measure = (t) => ctx.measureText(t).width
  return fitCaption(text, style, frame, measure)
}

/** A row with the place of its baseline. */
interface PlacedRow extends Row {
  x: number
  y: number
  top: number
}

/** Draws a caption in pixels of the frame. Returns the box around its rows. */
export function drawCaption(
  ctx: CanvasRenderingContext2D,
  caption: CaptionFrame,
  options: CaptionOptions,
  frame: Size,
) {
  const fitted = fitOnCanvas(ctx, caption.text, resolveStyle(options, frame), frame)
  const box = textBox(fitted, frame)
  const { style, text, rows } = fitted
  const { ascent } = setFont(ctx, style)
  const height = style.size * LINE_HEIGHT
  const places = rows.map((r, i) => {
    const top = box.top + i * height
    return { ...r, x: rowLeft(style, r.width, frame), y: top + ascent * height, top }
  })

  const spoken = spokenRange(caption, text)
  ctx.save()
  ctx.textAlign = 'left'
  if (style.box === 'block') fillAround(ctx, box, style.shadow, style.shadowColor)
  if (style.box === 'rows')
    for (const r of places)
      fillAround(ctx, { left: r.x, top: r.top, width: r.width, height }, style.shadow, style.accent)

  for (const r of places) drawVisible(ctx, text, r, spoken, style, (row) => drawOutline(ctx, row, r.x, r.y, style))
  if (style.highlight === 'box' && spoken)
    for (const r of places) {
      ctx.direction = directionAt(text, r.from)
      const { left, width } = placeOf(ctx, text, r, spoken)
      if (width > 0) fillAround(ctx, { left: r.x + left, top: r.top, width, height }, style.shadow, style.accent)
    }

  for (const r of places)
    drawVisible(ctx, text, r, spoken, style, (row) =>
      drawRow(ctx, text, row, r, style.highlight !== 'none' && spoken, style),
    )

  ctx.restore()
  return box
}

// fillAround fills a box and a margin around it.
function fillAround(
  ctx: CanvasRenderingContext2D,
  { left, top, width, height }: ReturnType<typeof textBox>,
  margin: number,
  color: string,
): void {
  ctx.fillStyle = color
  ctx.fillRect(left - margin, top - margin, width + 2 * margin, height + 2 * margin)
}

// drawVisible draws what a row shows: all of it, or the words up to the spoken one.
function drawVisible(
  ctx: CanvasRenderingContext2D,
  text: string,
  r: PlacedRow,
  spoken: Range | null,
  style: TextStyle,
  draw: (row: string) => void,
): void {
  ctx.direction = directionAt(text, r.from)
  const row = text.slice(r.from, r.to)
  if (style.shows !== 'spoken' || !spoken || spoken[1] >= r.to) return draw(row)
  if (spoken[1] <= r.from) return
  if (isLeftToRight(row)) return draw(text.slice(r.from, spoken[1]))
  const { left, width } = placeOf(ctx, text, r, [r.from, spoken[1]])
  clipped(ctx, r.x + left, r.y, width, style, () => draw(row))
}

// drawRow draws the letters of a row, with the spoken word in its color.
function drawRow(
  ctx: CanvasRenderingContext2D,
  text: string,
  row: string,
  r: PlacedRow,
  spoken: Range | false | null,
  style: TextStyle,
): void {
  ctx.fillStyle = style.color
  if (!spoken || spoken[1] <= r.from || spoken[0] >= r.to) return ctx.fillText(row, r.x, r.y)
  const lit = style.highlight === 'box' ? style.onAccent : style.accent
  if (isLeftToRight(row)) {
    const cuts = [r.from, Math.max(spoken[0], r.from), Math.min(spoken[1], r.to), r.to]
    for (let i = 0; i + 1 < cuts.length; i++) {
      ctx.fillStyle = i === 1 ? lit : style.color
      ctx.fillText(text.slice(cuts[i], cuts[i + 1]), r.x + ctx.measureText(text.slice(r.from, cuts[i])).width, r.y)
    }

    return
  }

  // The row is drawn whole, because its parts have other places alone. The spoken word is drawn over it.
  ctx.fillText(row, r.x, r.y)
  const { left, width } = placeOf(ctx, text, r, spoken)
  ctx.fillStyle = lit
  if (width > 0) clipped(ctx, r.x + left, r.y, width, style, () => ctx.fillText(row, r.x, r.y))
}

// placeOf returns the place in a row of a range of the text without its last spaces, from the left edge of the row.
function placeOf(ctx: CanvasRenderingContext2D, text: string, r: Row, range: Range): { left: number; width: number } {
  const row = text.slice(r.from, r.to)
  const from = Math.max(range[0] - r.from, 0)
  const to = row.slice(0, Math.max(range[1] - r.from, 0)).trimEnd().length
  if (to <= from) return { left: 0, width: 0 }
  const measure: Measure = (t) => ctx.measureText(t).width
  if (isLeftToRight(row)) return { left: measure(row.slice(0, from)), width: measure(row.slice(from, to)) }
  return placeInRow(row, [from, to], ctx.direction === 'rtl' ? 'rtl' : 'ltr', measure)
}

// clipped draws within a part of a row.
function clipped(
  ctx: CanvasRenderingContext2D,
  left: number,
  y: number,
  width: number,
  style: TextStyle,
  draw: () => void,
): void {
  ctx.save()
  ctx.beginPath()
  ctx.rect(left, y - 2 * style.size, width, 3 * style.size)
  ctx.clip()
  draw()
  ctx.restore()
}

type Range = readonly [from: number, to: number]

// spokenRange is the range of the spoken word in the fitted text, which may contain additional line breaks.
function spokenRange(caption: CaptionFrame, text: string): Range | null {
  if (caption.words.length === 0) return null
  const before = caption.words.slice(0, caption.word).join('').length
  const place = [before, before + (caption.words[caption.word] ?? '').length]
  const moved = place.map((wanted) => {
    let matched = 0
    let at = 0
    while (at < text.length && matched < wanted) {
      if (caption.text[matched] === text[at]) matched++
      at++
    }

    return at
  })

  return [moved[0]!, moved[1]!]
}

// drawOutline draws the outline and the shadow of a row.
function drawOutline(ctx: CanvasRenderingContext2D, text: string, x: number, y: number, style: TextStyle): void {
  if (style.outline <= 0) return
  ctx.save()
  ctx.lineJoin = 'round'
  ctx.lineWidth = 2 * style.outline
  if (style.shadow > 0 && style.highlight !== 'box') {
    ctx.strokeStyle = ctx.fillStyle = style.shadowColor
    ctx.strokeText(text, x + style.shadow, y + style.shadow)
  }

  // The blur of a canvas filter is in screen pixels.
  if (style.blur > 0) ctx.filter = `blur(${0.6 * style.blur * ctx.getTransform().a}px)`
  ctx.strokeStyle = style.outlineColor
  ctx.strokeText(text, x, y)
  ctx.restore()
}

/** Draws the watermark in the corner of a frame. */
export function drawWatermark(ctx: CanvasRenderingContext2D, frame: Size): void {
  const { text, style: style } = watermark(frame)
  const { ascent } = setFont(ctx, style)
  const height = style.size * LINE_HEIGHT
  const x = frame.width - style.side - ctx.measureText(text).width
  const y = frame.height - style.edgeDistance - height + ascent * height
  drawOutline(ctx, text, x, y, style)
  ctx.fillStyle = style.color
  ctx.fillText(text, x, y)
}
