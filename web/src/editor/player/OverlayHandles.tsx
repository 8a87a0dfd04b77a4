import { useRef } from 'react'
import type { EditChange } from '../../api/edits'
import { assetsText as text } from '../../text/editor/assets'
import { useDraftPlacement } from '../state/draftPlacement'
import { useFrameSize } from '../state/useFrameSize'
import { useHistory, useLayout, useSegments } from '../state/contexts'
import { useEditorStore } from '../state/store'
import { arrow, clampFraction } from './arrow'
import { FrameLayer } from './FrameLayer'
import { outputFrameAt, outputTimeAt, usePlacedAssets, useTimeMap, type PlacedAsset } from './usePreview'
import { usePosition } from '../state/usePosition'

/** Moves and resizes the selected placed asset on the preview. */
export function OverlayHandles() {
  const selected = useEditorStore((s) => s.selected)
  const placed = usePlacedAssets(useTimeMap()).find((p) => p.placement.uuid === selected)
  return placed?.overlay ? (
    <FrameLayer>
      <Handles key={placed.placement.uuid} placed={placed} />
    </FrameLayer>
  ) : null
}

/** Size of an overlay after a resize, limited to what the server accepts. */
const sizePercent = (share: number) => Math.min(Math.max(Math.round(100 * share), 1), 100)

function Handles({ placed: { placement: p, asset, overlay } }: { placed: PlacedAsset }) {
  const frame = useFrameSize()
  const { history } = useHistory()
  const { edited } = useSegments()
  const { rate } = useLayout()
  const setDraft = useDraftPlacement((s) => s.set)
  const box = useRef<HTMLDivElement>(null)
  const { in: from, out, left, top, turned } = overlay!
  usePosition((ms) => {
    const at = outputTimeAt(edited, ms)
    const n = at === null ? -1 : outputFrameAt(rate, at)
    if (box.current) box.current.style.visibility = n >= from && n < out ? 'visible' : 'hidden'
  })

  const cutaway = p.visual_mode === 'cutaway'
  const [x, y] = [(left + turned[0] / 2) / frame.width, (top + turned[1] / 2) / frame.height]
  const moved = (toX: number, toY: number): EditChange => ({
    overlay_position: 'custom',
    overlay_x: clampFraction(toX),
    overlay_y: clampFraction(toY),
  })

  // A cutaway that is resized becomes an overlay around the same center.
  const resized = (percent: number): EditChange => ({
    ...moved(x, y),
    visual_mode: 'overlay',
    overlay_size_percent: percent,
  })

  const size = cutaway ? 100 : p.overlay_size_percent
  // Width of the overlay for each height, in fractions of the frame.
  const shape = (turned[0] * frame.height) / (turned[1] * frame.width)

  const save = (label: string) => (to: EditChange) => history.perform(label, { change: [{ uuid: p.uuid, to }] })
  const show = (to: EditChange | null) => setDraft(to && { uuid: p.uuid, to })
  const { position, size: resize } = text.changes
  const percent = (n: number, all: number) => `${(100 * n) / all}%`
  return (
    <div
      ref={box}
      className="pointer-events-none absolute outline-2 outline-(--asset)"
      style={{
        left: percent(Math.max(left, 0), frame.width),
        top: percent(Math.max(top, 0), frame.height),
        width: percent(Math.min(left + turned[0], frame.width) - Math.max(left, 0), frame.width),
        height: percent(Math.min(top + turned[1], frame.height) - Math.max(top, 0), frame.height),
      }}
    >
      {!cutaway && (
        <Grip
          label={text.moveOnPicture(asset.display_name)}
          className="absolute inset-0 cursor-move"
          moved={({ dx, dy }) => moved(x + dx, y + dy)}
          pressed={([dx, dy]) => moved(x + dx, y + dy)}
          show={show}
          save={save(position)}
        />
      )}
      <Grip
        label={text.resizeOnPicture(asset.display_name, size)}
        className="absolute right-0 bottom-0 size-5 cursor-nwse-resize rounded-tl-md border border-[#fff] bg-(--asset) pointer-coarse:size-8"
        moved={({ atX, atY }) => resized(sizePercent(2 * Math.max(Math.abs(atX - x), Math.abs(atY - y) * shape)))}
        pressed={([dx, dy]) => resized(sizePercent(size / 100 + dx - dy))}
        show={show}
        save={save(resize)}
      />
    </div>
  )
}

/** Where the pointer is, and how far it has moved, in fractions of the frame. */
interface Dragged {
  atX: number
  atY: number
  dx: number
  dy: number
}

interface GripProps {
  label: string
  className: string
  /** The change by a drag, and by an arrow key. */
  moved: (by: Dragged) => EditChange
  pressed: (by: readonly [x: number, y: number]) => EditChange
  /** Shows a change before it is saved; null ends that. */
  show: (to: EditChange | null) => void
  save: (to: EditChange) => void
}

// Grip is a part of the picture that is dragged. The change refers to the placement at the start of the drag.
function Grip({ label, className, moved, pressed, show, save }: GripProps) {
  const grabbed = useRef<{ x: number; y: number; moved: GripProps['moved']; to: EditChange | null } | null>(null)
  return (
    <button
      type="button"
      aria-label={label}
      className={`pointer-events-auto touch-none ${className}`}
      onPointerDown={(event) => {
        if (event.button !== 0) return
        event.currentTarget.setPointerCapture(event.pointerId)
        grabbed.current = { x: event.clientX, y: event.clientY, moved, to: null }
      }}
      onPointerMove={(event) => {
        const from = grabbed.current
        if (!from) return
        const area = event.currentTarget.closest('[data-frame]')!.getBoundingClientRect()
        from.to = from.moved({
          atX: (event.clientX - area.left) / area.width,
          atY: (event.clientY - area.top) / area.height,
          dx: (event.clientX - from.x) / area.width,
          dy: (event.clientY - from.y) / area.height,
        })

        show(from.to)
      }}
      onPointerUp={() => {
        const to = grabbed.current?.to
        grabbed.current = null
        if (to) save(to)
        show(null)
      }}
      onPointerCancel={() => {
        grabbed.current = null
        show(null)
      }}
      onKeyDown={(event) => {
        const by = arrow(event)
        if (!by) return
        event.preventDefault()
        event.stopPropagation()
        save(pressed(by))
      }}
    />
  )
}
