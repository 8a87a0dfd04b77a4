import { useEffect, useRef } from 'react'
import type { PreviewPreset } from '../../api/presets'
import { drawCaption, loadCaptionFonts } from '../../editor/player/drawCaption'
import { captionFrame } from '../../editor/plan/captionShown'
import { designOf, type Size } from '../../editor/plan/captionStyle'
import { presetsText } from '../../text/presets'

type CaptionDesign = Pick<
  PreviewPreset,
  | 'format'
  | 'background'
  | 'caption_style'
  | 'caption_size'
  | 'caption_position'
  | 'caption_color'
  | 'caption_length'
  | 'video_flip_h'
  | 'video_flip_v'
>

const WORDS = presetsText.sampleCaption.split(' ')
/** Words per caption line. */
const COUNT = { short: 4, medium: 7, long: 10 }
/** Frame sizes of exports, in pixels. */
const SIZES: Record<CaptionDesign['format'], Size> = {
  source: { width: 1920, height: 1080 },
  '16:9': { width: 1920, height: 1080 },
  '9:16': { width: 1080, height: 1920 },
  '1:1': { width: 1080, height: 1080 },
}

/** The maximum width of a thumbnail, in CSS pixels. */
const WIDEST = 280
/** Thumbnails below this height, in CSS pixels, show two readable letters instead of a caption line. */
const LOW = 100
const READABLE = 12

/** A thumbnail of a caption design: a 16:9 recording with bars and a caption, drawn as in exports. */
export function CaptionPreview({ design, height }: { design: CaptionDesign; height: number }) {
  const size = SIZES[design.format]
  const ratio = size.width / size.height
  const width = Math.min(height * ratio, WIDEST)
  const h = width / ratio
  const flip = `scale(${design.video_flip_h ? -1 : 1}, ${design.video_flip_v ? -1 : 1})`
  return (
    <span
      aria-hidden
      className="relative block shrink-0 overflow-hidden rounded-sm"
      style={{ width, height: h, background: design.background }}
    >
      <span
        className="absolute top-1/2 left-0 w-full overflow-hidden"
        style={{
          height: width / (16 / 9),
          transform: `translateY(-50%) ${flip}`,
          background: 'linear-gradient(160deg, #5b7d92, #22313d)',
        }}
      >
        <span
          className="absolute bottom-0 left-[30%] block w-[26%] rounded-t-full"
          style={{ height: '46%', background: '#e6c9ae' }}
        />
        <span
          className="absolute left-[36%] block w-[14%] rounded-full"
          style={{ bottom: '44%', height: '30%', background: '#e6c9ae' }}
        />
      </span>
      <Caption design={design} size={size} scale={width / size.width} low={height < LOW} />
    </span>
  )
}

function Caption({ design, size, scale, low }: { design: CaptionDesign; size: Size; scale: number; low: boolean }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const {
    caption_style: style,
    caption_size,
    caption_position: position,
    caption_color: color,
    caption_length,
  } = design

  useEffect(() => {
    let current = true
    const draw = () => {
      const ctx = canvas.current?.getContext('2d')
      if (!ctx || !current) return
      const dots = scale * devicePixelRatio
      ctx.canvas.width = Math.round(size.width * dots)
      ctx.canvas.height = Math.round(size.height * dots)
      ctx.setTransform(dots, 0, 0, dots, 0, 0)
      const words = low
        ? [presetsText.sampleLetters]
        : WORDS.slice(0, COUNT[caption_length]).map((word, i) => (i === 0 ? word : ` ${word}`))

      const fontSize = Number.isNaN(caption_size) ? 0 : caption_size // the input field is empty
      const font_size = low ? Math.max(fontSize, READABLE / scale) : fontSize
      drawCaption(
        ctx,
        captionFrame(style, words.join(''), words, low ? 0 : 1),
        { style, font_size, position, color, font: '' },
        size,
      )
    }

    draw()
    void loadCaptionFonts(designOf(style).font).then(draw)
    return () => {
      current = false
    }
  }, [style, caption_size, position, color, caption_length, size, scale, low])

  return <canvas ref={canvas} className="burned-in absolute inset-0 size-full" />
}
