import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState, type RefObject } from 'react'
import { assetURLQuery } from '../../api/assets'
import { billingQuery } from '../../api/billing'
import { drawCaption, drawWatermark, loadCaptionFonts } from './drawCaption'
import { otherFormat, useExportOptions, type ExportOptions } from '../state/exportOptions'
import { useFrameSize } from '../state/useFrameSize'
import { useLayout, usePlayer, useSegments } from '../state/contexts'
import { shownCaptions } from '../plan/captionShown'
import { designOf } from '../plan/captionStyle'
import type { Span } from '../plan/renderPlan'
import { AudioClipLayer } from './AudioClipLayer'
import { earsOf, MONO_GAIN } from '../decks/ears'
import { mainGain, underVoiceGain } from '../plan/ducking'
import { overlayShare, volumeShare } from '../plan/overlays'
import type { PlayerState } from '../decks/player'
import { usePosition } from '../state/usePosition'
import {
  outputFrameAt,
  audibleSpans,
  captionFrameAt,
  outputTimeAt,
  useTimedCaptions,
  useFraming,
  useTimeMap,
  usePlacedAssets,
  type PlacedAsset,
  useCaptionsShown,
  useVoice,
} from './usePreview'

interface StageProps {
  decks: readonly [RefObject<HTMLVideoElement | null>, RefObject<HTMLVideoElement | null>]
  freezeFrame: RefObject<HTMLCanvasElement | null>
  state: PlayerState
}

/** The frame of the next export: its aspect ratio, footage, placed assets, captions and watermark. */
export function Stage({ decks, freezeFrame, state }: StageProps) {
  const options = useExportOptions((s) => s.options)
  const { width, height } = useFrameSize()
  const timeMap = useTimeMap()
  const placed = usePlacedAssets(timeMap)
  const voice = useVoice(timeMap, placed)
  useMainVolume(placed)
  const { ready } = useLayout()
  // Footage in its own frame covers the stage, so that rounding leaves no dark edge.
  const whole = options.aspect_ratio === 'source' && !otherFormat(ready) && ready.every((c) => c.width !== null)
  const fit = `absolute inset-0 size-full ${whole || options.fit === 'crop' ? 'object-cover' : 'object-contain'}`
  const flip = { transform: flipTransform(options.video_flip_h, options.video_flip_v), objectPosition: 'var(--crop)' }
  const footage = useRef<HTMLDivElement>(null)
  const framing = useFraming()
  const { edited } = useSegments()
  usePosition((ms) => {
    const { position, scale, point } = framing(ms, outputTimeAt(edited, ms))
    footage.current!.style.setProperty('--crop', position)
    footage.current!.style.transformOrigin = `${100 * point[0]}% ${100 * point[1]}%`
    footage.current!.style.transform = scale === 1 ? '' : `scale(${scale})`
  })

  return (
    <div
      data-testid="stage"
      className="relative overflow-hidden"
      style={{
        width: `min(100cqw, ${(100 * width) / height}cqh)`,
        aspectRatio: `${width} / ${height}`,
        background: whole ? undefined : options.letterbox_background,
      }}
    >
      <div ref={footage} data-testid="footage" className="absolute inset-0">
        {decks.map((video, i) => (
          // The hidden deck is almost transparent. With visibility: hidden it would flash black when it is shown.
          <video
            key={i}
            ref={video}
            data-seen={state.deck === i}
            playsInline
            preload="auto"
            disablePictureInPicture
            className={`${fit} ${state.deck === i ? '' : 'opacity-[0.001]'}`}
            style={flip}
          />
        ))}
        <canvas ref={freezeFrame} aria-hidden className={fit} style={flip} />
      </div>
      <AudioClipLayer timeMap={timeMap} />
      <Overlays placed={placed} voice={voice} state={state} />
      <Titles options={options} />
    </div>
  )
}

const flipTransform = (h: boolean, v: boolean) => (h || v ? `scale(${h ? -1 : 1}, ${v ? -1 : 1})` : undefined)

// useMainVolume plays the footage as loud as the export, on the same sides.
function useMainVolume(placed: readonly PlacedAsset[]): void {
  const player = usePlayer()
  const { edited } = useSegments()
  const percent = useExportOptions((s) => s.options.audio.main_volume_percent)
  const audible = useMemo(() => audibleSpans(placed), [placed])
  const bothEars = useExportOptions((s) => s.options.audio.both_ears)
  const { ready } = useLayout()
  const withAssets = audible.length > 0
  useEffect(() => player?.setEars(earsOf(ready, bothEars, withAssets)), [player, ready, bothEars, withAssets])
  usePosition((ms) => {
    const at = outputTimeAt(edited, ms)
    player?.setGain((percent / 100) * (at === null ? 1 : mainGain(at, audible)))
  })
}

/** How long before and after its span an asset stays loaded, in milliseconds. */
const PRELOAD_MS = 5_000

interface OverlaysProps {
  placed: readonly PlacedAsset[]
  voice: readonly Span[]
  state: PlayerState
}

function Overlays({ placed, voice, state }: OverlaysProps) {
  const { edited } = useSegments()
  const [near, setNear] = useState('')
  usePosition((ms) => {
    const at = outputTimeAt(edited, ms)
    if (at === null) return
    const now = placed
      .filter(({ span }) => at > span.startMs - PRELOAD_MS && at < span.endMs + PRELOAD_MS)
      .map((p) => p.placement.uuid)
      .join()

    if (now !== near) setNear(now)
  })

  const names = near.split(',')
  return placed
    .filter((p) => names.includes(p.placement.uuid))
    .map((item) => <Item key={item.placement.uuid} item={item} voice={voice} state={state} />)
}

/** Drift of a playing asset that triggers a seek, in seconds. */
const DRIFT_S = 0.15
/** The same while paused. */
const PAUSED_DRIFT_S = 0.015

function Item({ item, voice, state }: { item: PlacedAsset; voice: readonly Span[]; state: PlayerState }) {
  const { placement: p, asset, span, overlay } = item
  const player = usePlayer()
  const { edited } = useSegments()
  const { rate } = useLayout()
  const url = useQuery(assetURLQuery(asset)).data?.url
  const channels = asset.audio_channels === 1 ? MONO_GAIN : 1
  const volume = (p.audio_volume_percent / 100) * channels * (player?.volume() ?? 1)
  const playTime = (ms: number) => (p.loop && asset.duration_ms ? ms % asset.duration_ms : ms)
  const box = useRef<HTMLElement>(null)
  const media = useRef<HTMLVideoElement>(null)
  const { width, height } = useFrameSize()
  usePosition((ms) => {
    const at = outputTimeAt(edited, ms)
    const frame = at === null ? -1 : outputFrameAt(rate, at)
    const seen = overlay && frame >= overlay.in && frame < overlay.out
    if (box.current) box.current.style.visibility = seen ? 'visible' : 'hidden'
    if (box.current && seen)
      box.current.style.opacity = String((p.overlay_opacity_percent / 100) * overlayShare(rate, p, overlay, frame))
    if (!media.current) return
    const plays = at !== null && at >= span.startMs && at < span.endMs
    const under = p.audio_duck_under_voice && p.audio_mode === 'mix' && plays ? underVoiceGain(at, voice) : 1
    media.current.volume = plays ? Math.min(volume * volumeShare(p, span, at) * under, 1) : 0
    followFootage(media.current, plays ? playTime(p.asset_offset_ms + at - span.startMs) / 1000 : null, state)
  })

  useEffect(() => {
    const audible = p.audio_mode !== 'mute' && asset.kind !== 'image'
    if (media.current) media.current.muted = !audible
  })

  if (!url) return null
  const style = overlay
    ? {
        left: `${(100 * (overlay.left + (overlay.turned[0] - overlay.width) / 2)) / width}%`,
        top: `${(100 * (overlay.top + (overlay.turned[1] - overlay.height) / 2)) / height}%`,
        width: `${(100 * overlay.width) / width}%`,
        height: `${(100 * overlay.height) / height}%`,
        transform: `rotate(${overlay.rotation}deg) scale(${p.overlay_flip_h ? -1 : 1}, ${p.overlay_flip_v ? -1 : 1})`,
      }
    : { display: 'none' }

  return (
    <span
      ref={box}
      data-overlay={p.uuid}
      aria-hidden
      className="pointer-events-none invisible absolute block max-w-none"
      style={style}
    >
      {asset.kind === 'image' ? (
        <img src={url} alt="" className="size-full object-fill" />
      ) : (
        <video ref={media} src={url} playsInline preload="auto" className="size-full object-fill" />
      )}
    </span>
  )
}

// followFootage seeks a media element to its time and plays it along with the footage; null stops it.
function followFootage(media: HTMLVideoElement, seconds: number | null, state: PlayerState): void {
  const plays = seconds !== null && state.playing && state.speed > 0
  if (seconds !== null && !media.seeking && Math.abs(media.currentTime - seconds) > (plays ? DRIFT_S : PAUSED_DRIFT_S))
    media.currentTime = seconds
  if (!plays) {
    if (!media.paused) media.pause()
    return
  }

  if (media.playbackRate !== state.speed) media.playbackRate = state.speed
  if (media.paused && !media.ended) media.play().catch(() => undefined)
}

// Titles draws captions and watermark over the frame, at the resolution of the screen.
function Titles({ options }: { options: ExportOptions }) {
  const { edited } = useSegments()
  const { rate } = useLayout()
  const timeMap = useTimeMap()
  const timed = useTimedCaptions(timeMap, useCaptionsShown())
  const { style } = options.captions
  const captions = useMemo(() => shownCaptions(style, timed), [style, timed])
  const mark = useQuery(billingQuery).data?.can_watermark_free === false
  const canvas = useRef<HTMLCanvasElement>(null)
  const [drawing, setDrawing] = useState({ scale: 0, fonts: 0 })
  const drawn = useRef('')
  useEffect(() => {
    if (captions.length === 0 && !mark) return
    void loadCaptionFonts(designOf(style).font).then(() => setDrawing((d) => ({ ...d, fonts: d.fonts + 1 })))
  }, [captions, mark, style])

  const { width, height } = useFrameSize()
  useEffect(() => {
    const watch = new ResizeObserver(([entry]) =>
      setDrawing((d) => ({ ...d, scale: ((entry?.contentRect.width ?? 0) * devicePixelRatio) / width })),
    )

    watch.observe(canvas.current!)
    return () => watch.disconnect()
  }, [width])

  useEffect(() => {
    drawn.current = ''
  }, [captions, options, drawing, mark])

  usePosition((ms) => {
    const ctx = canvas.current?.getContext('2d')
    const at = outputTimeAt(edited, ms)
    const caption = at === null ? null : captionFrameAt(captions, rate, at)
    const key = `${caption ? `${caption.word} ${caption.text}` : ''} ${mark}`
    if (!ctx || drawing.scale === 0 || drawn.current === key) return
    drawn.current = key
    ctx.canvas.width = Math.round(width * drawing.scale)
    ctx.canvas.height = Math.round(height * drawing.scale)
    ctx.setTransform(drawing.scale, 0, 0, drawing.scale, 0, 0)
    const box = caption && drawCaption(ctx, caption, options.captions, { width, height })
    ctx.canvas.dataset['caption'] = box
      ? [box.left, box.top, box.width, box.height].map((n) => n.toFixed(1)).join()
      : ''

    if (mark) drawWatermark(ctx, { width, height })
  })

  return (
    <canvas
      ref={canvas}
      data-testid="titles"
      aria-hidden
      className="burned-in pointer-events-none absolute inset-0 size-full"
    />
  )
}
