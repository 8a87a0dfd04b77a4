import { useEffect, useRef } from 'react'
import { captionFrame } from '../plan/captionShown'
import { designOf, type Size } from '../plan/captionStyle'
import { captionsText } from '../../text/editor/captions'
import { exportText as text } from '../../text/editor/export'
import { drawCaption, loadCaptionFonts } from '../player/drawCaption'
import { outputTimeAt, useFraming, useTimedCaptions, useTimeMap, type Framing } from '../player/usePreview'
import { useAudioClipDrawing } from '../player/useAudioClipDrawing'
import { usePlayer, useSegments } from '../state/contexts'
import { useExportOptions, type ExportOptions } from '../state/exportOptions'
import { useFrameSize } from '../state/useFrameSize'

/** The caption to show before there is a transcript. */
const SAMPLE = captionsText.sample.join('')

/** The largest size of the preview, in CSS pixels. */
const BOX = { width: 286, height: 220 }

/** The current frame of the player with the options of the export. */
export function ExportPreview() {
  const player = usePlayer()
  const { edited } = useSegments()
  const options = useExportOptions((s) => s.options)
  const captions = useTimedCaptions(useTimeMap(), options.captions.enabled)
  const framing = useFraming()
  const audioClip = useAudioClipDrawing()
  const canvas = useRef<HTMLCanvasElement>(null)
  const size = useFrameSize()
  const scale = Math.min(BOX.width / size.width, BOX.height / size.height)
  useEffect(() => {
    let closed = false
    const draw = () => {
      const ctx = canvas.current?.getContext('2d')
      if (!ctx || closed) return
      const ms = player?.position() ?? 0
      const out = outputTimeAt(edited, ms)
      const first = captions.find((c) => c.endMs > (out ?? 0)) ?? captions[0]
      const { style } = options.captions
      const caption = first
        ? captionFrame(
            style,
            first.text,
            first.words.map((w) => w.text),
            Math.min(1, first.words.length - 1),
          )
        : captionFrame(style, SAMPLE, captionsText.sample, 3)

      const framed = framing(ms, out)
      drawFrame(ctx, player?.visibleVideo() ?? null, size, options, framed)
      audioClip(ctx, size, ms)
      if (options.captions.enabled) drawCaption(ctx, caption, options.captions, size)
    }

    draw()
    void loadCaptionFonts(designOf(options.captions.style).font).then(draw)
    const video = player?.visibleVideo()
    for (const name of ['loadeddata', 'seeked']) video?.addEventListener(name, draw)
    return () => {
      closed = true
      for (const name of ['loadeddata', 'seeked']) video?.removeEventListener(name, draw)
    }
  }, [player, size, options, captions, edited, framing, audioClip])

  const dpr = window.devicePixelRatio || 1
  return (
    <div className="flex h-56 items-center justify-center">
      <canvas
        ref={canvas}
        className="burned-in rounded-sm shadow-[0_0_0_1px_var(--line)]"
        role="img"
        aria-label={text.preview}
        width={Math.round(size.width * scale * dpr)}
        height={Math.round(size.height * scale * dpr)}
        style={{ width: size.width * scale, height: size.height * scale }}
      />
    </div>
  )
}

// drawFrame draws a video frame into the frame of an export.
function drawFrame(
  ctx: CanvasRenderingContext2D,
  video: HTMLVideoElement | null,
  frame: Size,
  options: ExportOptions,
  framed: Framing,
): void {
  const scale = ctx.canvas.width / frame.width
  ctx.setTransform(scale, 0, 0, scale, 0, 0)
  ctx.fillStyle = options.letterbox_background
  ctx.fillRect(0, 0, frame.width, frame.height)
  if (video?.videoWidth) {
    const ratios = [frame.width / video.videoWidth, frame.height / video.videoHeight] as const
    const by = options.fit === 'crop' ? Math.max(...ratios) : Math.min(...ratios)
    const [w, h] = [video.videoWidth * by, video.videoHeight * by]
    ctx.save()
    const [x, y] = framed.point
    ctx.translate(x * frame.width, y * frame.height)
    ctx.scale(framed.scale, framed.scale)
    ctx.translate((0.5 - x) * frame.width, (0.5 - y) * frame.height)
    ctx.scale(options.video_flip_h ? -1 : 1, options.video_flip_v ? -1 : 1)
    const [left, top] = framed.position.split(' ').map((share) => parseFloat(share) / 100)
    ctx.drawImage(
      video,
      (frame.width - w) * left! - frame.width / 2,
      (frame.height - h) * top! - frame.height / 2,
      w,
      h,
    )

    ctx.restore()
  }
}
