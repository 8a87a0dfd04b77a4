// Draws captions on a canvas the way the render burns them in.

import extraBold from '../../../../media/libav/fonts/Inter-ExtraBold.ttf?url'
import semiBold from '../../../../media/libav/fonts/Inter-SemiBold.ttf?url'
import {
  textBox,
  resolveStyle,
  fitCaption,
  FONT_LINE,
  FONTS,
  LINE_HEIGHT,
  watermark,
  type CaptionOptions,
  type FittedText,
  type TextStyle,
  type Measure,
  type Size,
} from '../plan/captionStyle'
import { directionAt, isLeftToRight, placeInRow } from '../plan/textDirection'

let fonts: Promise<void> | null = null

/** Loads the bundled fonts once. */
export function loadCaptionFonts(): Promise<void> {
  const { semibold, extrabold } = FONTS
  const faces = [
    new FontFace(semibold.family, `url(${semiBold})`, { weight: `${semibold.weight}` }),
    new FontFace(extrabold.family, `url(${extraBold})`, { weight: `${extrabold.weight}` }),
  ]

  fonts ??= Promise.all(faces.map(async (face) => document.fonts.add(await face.load()))).then(
    () => undefined,
    () => {
      fonts = null // the next call retries; until then the font of the page is used
    },
  )

  return fonts
}

/** A caption with its words, if they are known, and the index of the spoken word. */
export interface CaptionFrame {
  text: string
  words: readonly string[]
  word: number
}

/** Font size for measuring fonts, in pixels. */
const PROBE = 1000
const measured = new Map<string, { scale: number; ascent: number }>()

// setFont sets the font of a style. The render scales a font so that its line height is LINE_HEIGHT times the font size.
function setFont(ctx: CanvasRenderingContext2D, style: TextStyle): { ascent: number } {
  const bundled = Object.values(FONTS).find((font) => font.family === style.font)
  const family = `"${style.font.replace(/["\\]/g, '')}", "${FONTS.semibold.family}", sans-serif`
  let m = measured.get(family)
  if (!m) {
    const { up, down } = bundled ? { up: FONT_LINE.ascent, down: FONT_LINE.descent } : lineOf(ctx, family)

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
  ctx.save()
  if (style.boxed) {
    ctx.fillStyle = style.shadowColor
    ctx.fillRect(
      box.left - style.shadow,
      box.top - style.shadow,
      box.width + 2 * style.shadow,
      box.height + 2 * style.shadow,
    )
  }

  const spoken = style.highlight === null ? null : spokenRange(caption, text)
  const height = style.size * LINE_HEIGHT
  const place = rows.map((r, i) => ({
    ...r,
    x: (frame.width - r.width) / 2,
    y: box.top + i * height + ascent * height,
  }))

  ctx.textAlign = 'left'
  for (const r of place) {
    ctx.direction = directionAt(text, r.from)
    drawOutline(ctx, text.slice(r.from, r.to), r.x, r.y, style)
  }

  for (const r of place) {
    ctx.direction = directionAt(text, r.from)
    if (!isLeftToRight(text.slice(r.from, r.to))) {
      drawMixedRow(ctx, text.slice(r.from, r.to), r, spoken && [spoken[0] - r.from, spoken[1] - r.from], style)
      continue
    }

    const cuts = spoken
      ? [r.from, Math.min(Math.max(spoken[0], r.from), r.to), Math.min(Math.max(spoken[1], r.from), r.to), r.to]
      : [r.from, r.to]

    for (let i = 0; i + 1 < cuts.length; i++) {
      ctx.fillStyle = spoken && i === 1 ? style.highlight! : style.color
      ctx.fillText(text.slice(cuts[i], cuts[i + 1]), r.x + ctx.measureText(text.slice(r.from, cuts[i])).width, r.y)
    }
  }

  ctx.restore()
  return box
}

// drawMixedRow draws a row with letters from right to left. The row is drawn whole, because its parts have other places
// alone. The spoken word is drawn over it, clipped to its place.
function drawMixedRow(
  ctx: CanvasRenderingContext2D,
  row: string,
  at: { x: number; y: number },
  spoken: [from: number, to: number] | null,
  style: TextStyle,
): void {
  ctx.fillStyle = style.color
  ctx.fillText(row, at.x, at.y)
  if (!spoken) return
  const end = row.slice(0, Math.max(spoken[1], 0)).trimEnd().length
  const direction = ctx.direction === 'rtl' ? 'rtl' : 'ltr'
  const place = placeInRow(row, [Math.max(spoken[0], 0), end], direction, (t) => ctx.measureText(t).width)
  if (place.width <= 0) return
  ctx.save()
  ctx.beginPath()
  ctx.rect(at.x + place.left, at.y - 2 * style.size, place.width, 3 * style.size)
  ctx.clip()
  ctx.fillStyle = style.highlight ?? style.color
  ctx.fillText(row, at.x, at.y)
  ctx.restore()
}

// spokenRange is the range of the spoken word in the fitted text, which may contain additional line breaks.
function spokenRange(caption: CaptionFrame, text: string): [from: number, to: number] | null {
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
  if (style.shadow > 0) {
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
