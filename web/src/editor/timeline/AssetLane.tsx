import { AudioLines, Film, Image as Picture } from 'lucide-react'
import { useRef, useState, type DragEvent, type PointerEvent } from 'react'
import type { Placement } from '../../api/edits'
import { ASSET_DRAG } from '../../library/drag'
import { formatTime } from '../format'
import { useAssetFiles, useEditorAccess, useEdits, useHistory, useLayout, usePlayer } from '../state/contexts'
import { movePlacement, resizePlacement, type Place } from '../assets/placements'
import { nearestPoint, snapSpan } from './snap'
import { useEditorStore } from '../state/store'
import { useActions } from '../commands/useCommand'
import { SNAP_PX } from './useTimelinePointer'
import { toMs, toX, type Viewport } from './viewport'

const ROW = 26
const MOST_ROWS = 3

/** The height of the lane for placements in these rows. */
export const laneHeight = (rows: readonly number[]) => Math.min(Math.max(...rows, 0) + 1, MOST_ROWS) * ROW + 4

export const KIND_ICONS = { image: Picture, video: Film, audio: AudioLines }

interface LaneProps {
  view: Viewport
  top: number
  height: number
  rows: readonly number[]
  setGuide: (ms: number | null) => void
}

/** Placed assets over time: drag to move, drag an end to stretch, drop an asset of the library to place it. */
export function AssetLane({ view, top, height, rows, setGuide }: LaneProps) {
  const assets = useAssetFiles()
  const { snapPoints } = useEditorAccess()
  const { placements } = useEdits()
  const { totalMs } = useLayout()
  const { place } = useActions()
  const [over, setOver] = useState(false)
  const at = (event: DragEvent<HTMLElement>) => {
    const ms = Math.min(
      Math.max(toMs(view, event.clientX - event.currentTarget.getBoundingClientRect().left), 0),
      totalMs,
    )
    return { ms, point: event.altKey ? null : nearestPoint(snapPoints(), ms, SNAP_PX * view.msPerPx) }
  }
  const leave = () => {
    setOver(false)
    setGuide(null)
  }
  return (
    <div
      role="group"
      aria-label="Placed assets"
      data-testid="asset-lane"
      className={`absolute inset-x-0 overflow-hidden border-y border-line ${over ? 'bg-accent-soft' : 'bg-raised/60'}`}
      style={{ top, height }}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes(ASSET_DRAG)) return
        event.preventDefault()
        event.dataTransfer.dropEffect = 'copy'
        const { ms, point } = at(event)
        setOver(true)
        setGuide(point ?? ms)
      }}
      onDragLeave={leave}
      onDrop={(event) => {
        const uuid = event.dataTransfer.getData(ASSET_DRAG)
        if (!uuid) return
        event.preventDefault()
        leave()
        const { ms, point } = at(event)
        const asset = [...assets.values()].find((a) => a.uuid === uuid)
        if (asset) place(asset, point ?? ms)
      }}
    >
      {placements.length === 0 && (
        <p className="pointer-events-none px-2 py-1.5 text-xs text-faint">
          {over ? 'Drop to place the asset here' : 'Pictures, clips and music from “Assets” go here'}
        </p>
      )}
      {placements.map((p, i) => (
        <Block key={p.uuid} placement={p} row={rows[i]! % MOST_ROWS} view={view} setGuide={setGuide} />
      ))}
    </div>
  )
}

interface Grab {
  part: 'body' | 'start' | 'end'
  x: number
  now: Place
  moved: boolean
}

function Block({
  placement,
  row,
  view,
  setGuide,
}: {
  placement: Placement
  row: number
  view: Viewport
  setGuide: (ms: number | null) => void
}) {
  const assets = useAssetFiles()
  const player = usePlayer()
  const { snapPoints } = useEditorAccess()
  const { history } = useHistory()
  const { totalMs } = useLayout()
  const selected = useEditorStore((s) => s.selected === placement.uuid)
  const { select, set } = useEditorStore.getState()
  const grab = useRef<Grab | null>(null)
  const [shown, setShown] = useState<Place | null>(null)
  const asset = assets.get(placement.asset_file_id)
  const { start_ms, end_ms } = shown ?? placement
  const [x1, x2] = [toX(view, start_ms), toX(view, end_ms)]
  if (x2 < -20 || x1 > view.widthPx + 20) return null

  const choose = () => {
    select(placement.uuid)
    set({ rightTab: 'placement' })
  }
  const onPointerDown = (event: PointerEvent<HTMLElement>, part: Grab['part']) => {
    if (event.button !== 0) return
    event.stopPropagation()
    event.currentTarget.setPointerCapture(event.pointerId)
    grab.current = { part, x: event.clientX, now: placement, moved: false }
  }
  const onPointerMove = (event: PointerEvent<HTMLElement>) => {
    const now = grab.current
    if (!now || (!now.moved && Math.abs(event.clientX - now.x) < 4)) return
    const by = (event.clientX - now.x) * view.msPerPx
    const { place, point } = dragged(placement, now.part, by, {
      reach: event.altKey ? -1 : SNAP_PX * view.msPerPx,
      snaps: snapPoints(),
      totalMs,
      durationMs: asset?.duration_ms ?? null,
    })
    grab.current = { ...now, now: place, moved: true }
    setShown(place)
    setGuide(point)
    player?.seek(now.part === 'end' ? place.end_ms : place.start_ms)
  }
  const onPointerUp = () => {
    const now = grab.current
    grab.current = null
    setShown(null)
    setGuide(null)
    if (!now) return
    choose()
    const { start_ms, end_ms, asset_offset_ms } = now.now
    if (now.moved)
      history.perform(now.part === 'body' ? 'moving an asset' : 'stretching an asset', {
        change: [{ uuid: placement.uuid, to: { start_ms, end_ms, asset_offset_ms } }],
      })
  }
  const handlers = {
    onPointerMove,
    onPointerUp,
    onPointerCancel: () => ((grab.current = null), setShown(null), setGuide(null)),
  }
  const Icon = KIND_ICONS[asset?.kind ?? 'image']
  const name = asset?.display_name ?? 'Asset'
  return (
    <div
      role="button"
      tabIndex={0}
      aria-pressed={selected}
      aria-label={`${name}, ${formatTime(start_ms)} to ${formatTime(end_ms)}${placement.active ? '' : ', off'}`}
      data-placement={placement.uuid}
      onFocus={choose}
      onPointerDown={(event) => onPointerDown(event, 'body')}
      {...handlers}
      className={`absolute flex touch-none items-center overflow-hidden rounded-sm border bg-(--asset-soft) text-xs text-ink select-none ${selected ? 'z-1 border-2 border-(--asset)' : 'border-(--asset)/70'} ${placement.active ? '' : 'border-dashed !bg-raised'}`}
      style={{ left: x1, width: Math.max(x2 - x1, 4), top: 2 + row * ROW, height: ROW - 2 }}
    >
      {selected && <Edge side="left" onPointerDown={(event) => onPointerDown(event, 'start')} {...handlers} />}
      {asset?.poster_url && x2 - x1 > 60 && (
        <img
          src={asset.poster_url}
          alt=""
          draggable={false}
          className="pointer-events-none h-full w-9 shrink-0 object-cover"
        />
      )}
      {x2 - x1 > 24 && (
        <span className="pointer-events-none sticky left-1 flex min-w-0 items-center gap-1 px-1">
          <Icon size={12} className="shrink-0 text-(--asset)" aria-hidden />
          <span dir="auto" className="truncate">
            {name}
          </span>
        </span>
      )}
      {selected && <Edge side="right" onPointerDown={(event) => onPointerDown(event, 'end')} {...handlers} />}
    </div>
  )
}

interface EdgeProps {
  side: 'left' | 'right'
  onPointerDown: (event: PointerEvent<HTMLElement>) => void
  onPointerMove: (event: PointerEvent<HTMLElement>) => void
  onPointerUp: () => void
  onPointerCancel: () => void
}

function Edge({ side, ...handlers }: EdgeProps) {
  return (
    <span
      data-edge={side}
      {...handlers}
      className={`absolute inset-y-0 z-1 w-1.5 cursor-ew-resize touch-none bg-(--asset) pointer-coarse:w-3 ${side === 'left' ? 'left-0' : 'right-0'}`}
    />
  )
}

interface Bounds {
  /** How far a drag catches, in milliseconds; negative for not at all. */
  reach: number
  snaps: Float64Array
  totalMs: number
  durationMs: number | null
}

// dragged is where a placement goes when a part of it is dragged by ms, and the point that it catches on.
function dragged(
  p: Placement,
  part: Grab['part'],
  ms: number,
  { reach, snaps, totalMs, durationMs }: Bounds,
): { place: Place; point: number | null } {
  if (part === 'body') {
    const { shiftMs, at } = snapSpan(snaps, p.start_ms + ms, p.end_ms + ms, reach)
    return { place: movePlacement(p, ms + shiftMs, totalMs), point: at }
  }
  const wanted = (part === 'start' ? p.start_ms : p.end_ms) + ms
  const point = nearestPoint(snaps, wanted, reach)
  return { place: resizePlacement(p, part, point ?? wanted, durationMs, totalMs), point }
}
