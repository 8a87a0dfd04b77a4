import { useEffect, useRef } from 'react'
import { drawCaption, loadFonts, type Said } from '../captions/drawCaption'
import { sizeOf, useExportLook, type ExportLook } from './exportOptions'
import { useModel } from '../state/model'
import { useCaptions, useOutline } from '../player/usePreview'

/** What is written where nothing was said yet. */
const SAMPLE: Said = {
  text: 'This is how captions look',
  words: ['This ', 'is ', 'how ', 'captions ', 'look'],
  word: 3,
}
/** The box that the picture is kept within, in pixels of the screen. */
const BOX = { width: 286, height: 220 }

/** The frame that the player shows, as the export will have it. */
export function PreviewPicture() {
  const { player, edited } = useModel()
  const look = useExportLook((s) => s.look)
  const captions = useCaptions(useOutline(), look.captions.enabled)
  const canvas = useRef<HTMLCanvasElement>(null)
  const size = sizeOf(look)
  const scale = Math.min(BOX.width / size.width, BOX.height / size.height)
  useEffect(() => {
    let gone = false
    const draw = () => {
      const ctx = canvas.current?.getContext('2d')
      if (!ctx || gone) return
      const first = captions[0]
      const said = first
        ? { text: first.text, words: first.words.map((w) => w.text), word: Math.min(1, first.words.length - 1) }
        : SAMPLE
      drawFrame(ctx, player?.picture() ?? null, look, look.captions.enabled ? said : null)
    }
    draw()
    void loadFonts().then(draw)
    const video = player?.picture()
    for (const name of ['loadeddata', 'seeked']) video?.addEventListener(name, draw)
    return () => {
      gone = true
      for (const name of ['loadeddata', 'seeked']) video?.removeEventListener(name, draw)
    }
  }, [player, look, captions, edited])
  const dpr = window.devicePixelRatio || 1
  return (
    <div className="flex h-60 items-center justify-center rounded-lg border border-line bg-film">
      <canvas
        ref={canvas}
        className="burned-in"
        role="img"
        aria-label="How the export will look"
        width={Math.round(size.width * scale * dpr)}
        height={Math.round(size.height * scale * dpr)}
        style={{ width: size.width * scale, height: size.height * scale }}
      />
    </div>
  )
}

// drawFrame draws a picture as it lies in the frame of an export, and a caption over it.
function drawFrame(
  ctx: CanvasRenderingContext2D,
  video: HTMLVideoElement | null,
  look: ExportLook,
  said: Said | null,
): void {
  const frame = sizeOf(look)
  const scale = ctx.canvas.width / frame.width
  ctx.setTransform(scale, 0, 0, scale, 0, 0)
  ctx.fillStyle = look.letterbox_background
  ctx.fillRect(0, 0, frame.width, frame.height)
  if (video?.videoWidth) {
    const ratios = [frame.width / video.videoWidth, frame.height / video.videoHeight] as const
    const by = look.fit === 'crop' ? Math.max(...ratios) : Math.min(...ratios)
    const [w, h] = [video.videoWidth * by, video.videoHeight * by]
    ctx.save()
    ctx.translate(frame.width / 2, frame.height / 2)
    ctx.scale(look.video_flip_h ? -1 : 1, look.video_flip_v ? -1 : 1)
    ctx.drawImage(video, -w / 2, -h / 2, w, h)
    ctx.restore()
  }
  if (said) drawCaption(ctx, said, look.captions, frame)
}
