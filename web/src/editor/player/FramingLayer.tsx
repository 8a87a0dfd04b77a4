import { ChevronLeft, ChevronRight, Diamond, X } from 'lucide-react'
import { useEffect, useRef, useState, type PointerEvent, type ReactNode } from 'react'
import { playerText as text } from '../../text/editor/player'
import { Button, IconButton } from '../../ui/Button'
import { useExportOptions } from '../state/exportOptions'
import { useFrameSize } from '../state/useFrameSize'
import { useLayout, usePlayer, useSegments } from '../state/contexts'
import { useEditorStore } from '../state/store'
import { clipAt } from '../plan/renderPlan'
import { arrow, clampFraction } from './arrow'
import { keyframeAt, keyframesOf, removeKeyframe, setKeyframe } from '../plan/cropKeyframes'
import { cropOf, useFaces } from './faces'
import { FrameLayer } from './FrameLayer'
import { usePosition } from '../state/usePosition'
import { outputTimeAt, useFraming } from './usePreview'
import { cropAt } from '../plan/views'

/** The controls on the preview that move the crop or the center of the punch-in. */
export function FramingLayer() {
  const framing = useEditorStore((s) => s.framing)
  const fit = useExportOptions((s) => s.options.fit)
  const punchIn = useExportOptions(({ options: { punch_in: p } }) => p.scale_percent > 100 || p.joins.length > 0)
  if (framing === 'crop' && fit === 'crop') return <MoveCrop />
  return framing === 'point' && punchIn ? <MovePoint /> : null
}

// finishFraming ends the use of the controls. The button of the menu that opened them gets the focus.
function finishFraming(): void {
  useEditorStore.getState().set({ framing: null })
  document.querySelector<HTMLElement>('[data-view-menu]')?.focus()
}

interface BarProps {
  hint: string
  /** At the top of the preview, so that it does not cover the lower part. */
  top?: boolean
  children?: ReactNode
}

// Bar tells what the controls do and ends their use.
function Bar({ hint, top = false, children }: BarProps) {
  return (
    <div className={`absolute inset-x-0 flex justify-center px-3 ${top ? 'top-3' : 'bottom-3'}`}>
      <div className="flex max-w-full flex-wrap items-center gap-2 rounded-lg border border-line bg-surface px-3 py-1.5 text-xs text-muted shadow-lg">
        <span className="min-w-0 flex-1 basis-56 text-balance">{hint}</span>
        <div className="ml-auto flex shrink-0 items-center gap-2">
          {children}
          <Button size="sm" variant="primary" onClick={finishFraming}>
            {text.done}
          </Button>
        </div>
      </div>
    </div>
  )
}

function MovePoint() {
  const punchIn = useExportOptions((s) => s.options.punch_in)
  const change = useExportOptions((s) => s.change)
  const mark = useRef<HTMLButtonElement>(null)
  const [x, y] = useShownPoint()
  const moveTo = (x: number, y: number) =>
    change({ punch_in: { ...punchIn, center: 'point', x: clampFraction(x), y: clampFraction(y) } })

  useEffect(() => mark.current?.focus(), [])
  const onPointerMove = (event: PointerEvent<HTMLElement>) => {
    if (event.currentTarget.hasPointerCapture(event.pointerId)) follow(event)
  }

  const follow = (event: PointerEvent<HTMLElement>) => {
    const box = event.currentTarget.parentElement!.getBoundingClientRect()
    moveTo((event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height)
  }

  return (
    <>
      <FrameLayer>
        <div
          data-testid="punch-in-frame"
          className="pointer-events-auto absolute inset-0 cursor-crosshair touch-none"
          onPointerDown={(event) => {
            event.preventDefault() // keeps the focus on the mark
            event.currentTarget.setPointerCapture(event.pointerId)
            follow(event)
          }}
          onPointerMove={onPointerMove}
        />
        <button
          ref={mark}
          type="button"
          aria-label={text.point(x, y)}
          data-testid="punch-in-point"
          className="pointer-events-auto absolute size-9 -translate-x-1/2 -translate-y-1/2 cursor-move touch-none rounded-full border-2 border-[#fff] bg-black/30 shadow-[0_0_0_1px_#000] before:absolute before:top-1/2 before:left-1/2 before:size-1.5 before:-translate-x-1/2 before:-translate-y-1/2 before:rounded-full before:bg-[#fff]"
          style={{ left: `${100 * x}%`, top: `${100 * y}%` }}
          onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
          onPointerMove={onPointerMove}
          onKeyDown={(event) => {
            const by = arrow(event)
            if (event.key === 'Escape') finishFraming()
            if (!by) return
            event.preventDefault()
            event.stopPropagation()
            moveTo(x + by[0], y + by[1])
          }}
        />
      </FrameLayer>
      <Bar hint={text.pointHint} top={y > 0.5} />
    </>
  )
}

// useShownPoint is the point of the current frame that keeps its place: the face, or the point that the person has set.
function useShownPoint(): readonly [number, number] {
  const framing = useFraming()
  const player = usePlayer()
  const { edited } = useSegments()
  const at = (ms: number) => framing(ms, outputTimeAt(edited, ms)).point
  const [ms, setMs] = useState(() => player?.position() ?? 0)
  usePosition((now) => {
    if (at(now).some((n, i) => n !== at(ms)[i])) setMs(now)
  })

  return at(ms)
}

function MoveCrop() {
  const player = usePlayer()
  const { ready, layout } = useLayout()
  const frame = useFrameSize()
  const keyframes = useExportOptions((s) => s.options.crop_keyframes)
  const flipH = useExportOptions((s) => s.options.video_flip_h)
  const flipV = useExportOptions((s) => s.options.video_flip_v)
  const change = useExportOptions((s) => s.change)
  const faces = useFaces()
  const surface = useRef<HTMLDivElement>(null)
  const grabbed = useRef<{ x: number; y: number; center: readonly [number, number] } | null>(null)
  const [ms, setMs] = useState(() => player?.position() ?? 0)
  usePosition((now) => {
    if (Math.abs(now - ms) >= 1) setMs(now)
  })

  useEffect(() => surface.current?.focus(), [])

  const at = clipAt(layout, ms)
  const clip = at && ready[at.index]
  if (!at || !clip?.width || !clip.height) return <Bar hint={text.nothingToPlay} />
  const keys = keyframesOf(keyframes, clip.uuid)
  const center = cropAt(cropOf(keyframes, clip.uuid, faces), at.ms)
  // The share of the footage that the frame shows, which limits the center.
  const scale = Math.max(frame.width / clip.width, frame.height / clip.height)
  const shown = [frame.width / (clip.width * scale), frame.height / (clip.height * scale)] as const
  const limited = (n: number, part: number) => Math.min(Math.max(n, part / 2), 1 - part / 2)
  const moveTo = (x: number, y: number) =>
    change({
      crop_keyframes: setKeyframe(keyframes, {
        clip_uuid: clip.uuid,
        at_ms: at.ms,
        x: limited(x, shown[0]),
        y: limited(y, shown[1]),
      }),
    })

  return (
    <>
      <FrameLayer>
        <div
          ref={surface}
          role="application"
          tabIndex={0}
          aria-label={text.cropSurface(center[0], center[1])}
          data-testid="crop-surface"
          className="pointer-events-auto absolute inset-0 cursor-move touch-none outline-2 -outline-offset-2 outline-accent"
          onPointerDown={(event) => {
            event.currentTarget.setPointerCapture(event.pointerId)
            player?.pause()
            grabbed.current = { x: event.clientX, y: event.clientY, center }
          }}
          onPointerMove={(event) => {
            const from = grabbed.current
            if (!from) return
            const box = event.currentTarget.getBoundingClientRect()
            const by = (pixels: number, side: number, part: number, flipped: boolean) =>
              ((flipped ? pixels : -pixels) / side) * part

            moveTo(
              from.center[0] + by(event.clientX - from.x, box.width, shown[0], flipH),
              from.center[1] + by(event.clientY - from.y, box.height, shown[1], flipV),
            )
          }}
          onPointerUp={() => (grabbed.current = null)}
          onPointerCancel={() => (grabbed.current = null)}
          onKeyDown={(event) => {
            const by = arrow(event)
            if (event.key === 'Escape') finishFraming()
            if (!by) return
            event.preventDefault()
            event.stopPropagation()
            moveTo(center[0] + (flipH ? -by[0] : by[0]), center[1] + (flipV ? -by[1] : by[1]))
          }}
        />
      </FrameLayer>
      <Bar hint={text.cropHint}>
        <KeyframeButtons
          clip={clip.uuid}
          ms={at.ms}
          startMs={layout[at.index]!.startMs}
          onAdd={() => moveTo(...center)}
        />
        <span>{text.keyframes(keys.length)}</span>
      </Bar>
    </>
  )
}

interface KeyframeButtonsProps {
  clip: string
  /** The time of the clip. */
  ms: number
  /** Where the clip starts in the project. */
  startMs: number
  onAdd: () => void
}

// KeyframeButtons go from keyframe to keyframe, and add or remove the one at a time.
function KeyframeButtons({ clip, ms, startMs, onAdd }: KeyframeButtonsProps) {
  const player = usePlayer()
  const keyframes = useExportOptions((s) => s.options.crop_keyframes)
  const change = useExportOptions((s) => s.change)
  const here = keyframeAt(keyframes, clip, ms)
  const others = keyframesOf(keyframes, clip).filter((k) => k.atMs !== here?.at_ms)
  const previous = others.filter((k) => k.atMs < ms).at(-1)
  const next = others.find((k) => k.atMs > ms)
  const go = (to: { atMs: number } | undefined) => to && player?.seek(startMs + to.atMs)
  return (
    <span className="flex items-center">
      <IconButton label={text.previousKeyframe} disabled={!previous} onClick={() => go(previous)}>
        <ChevronLeft size={16} />
      </IconButton>
      {here ? (
        <IconButton
          label={text.removeKeyframe}
          onClick={() => change({ crop_keyframes: removeKeyframe(keyframes, clip, ms) })}
        >
          <X size={16} />
        </IconButton>
      ) : (
        <IconButton label={text.addKeyframe} onClick={onAdd}>
          <Diamond size={14} />
        </IconButton>
      )}
      <IconButton label={text.nextKeyframe} disabled={!next} onClick={() => go(next)}>
        <ChevronRight size={16} />
      </IconButton>
    </span>
  )
}
