import type { Placement } from '../../api/edits'
import { KIND_ICONS } from '../../library/kindIcons'
import { commandsText } from '../../text/editor/commands'
import { timelineText as text } from '../../text/editor/timeline'
import { movePlacement, placeOf, resizePlacement, type Place } from '../edits/placements'
import { useWaitingPlacements } from '../assets/waitingPlacements'
import { useAssetFiles, useEdits, useHistory, useLayout } from '../state/contexts'
import { useEditorStore } from '../state/store'
import { BlockEdge } from './BlockEdge'
import { timecode } from '../plan/timecode'
import { useSpanDrag } from './useSpanDrag'
import { toX, type Viewport } from './viewport'

/** Height of a row in pixels. */
const ROW = 26
/** Largest number of rows; more placements overlap. */
const MAX_ROWS = 3

/** Height of the lane in pixels for placements in these rows. */
export const laneHeight = (rows: readonly number[]) => Math.min(Math.max(...rows, 0) + 1, MAX_ROWS) * ROW + 4

interface LaneProps {
  view: Viewport
  top: number
  height: number
  rows: readonly number[]
  /** Whether a drag over the timeline would place an asset. */
  over: boolean
  setGuide: (ms: number | null) => void
}

/** Placed assets over time. Dragging a block moves it, dragging an end trims it. */
export function AssetLane({ view, top, height, rows, over, setGuide }: LaneProps) {
  const { placements } = useEdits()
  useWaitingPlacements()
  return (
    <div
      role="group"
      aria-label={text.assetLane}
      data-testid="asset-lane"
      className={`absolute inset-x-0 overflow-hidden border-y border-line ${over ? 'bg-accent-soft' : 'bg-raised/60'}`}
      style={{ top, height }}
    >
      {placements.length === 0 && (
        <p className="pointer-events-none px-2 py-1.5 text-xs text-faint">{over ? text.drop : text.emptyLane}</p>
      )}
      {placements.map((p, i) => (
        <Block key={p.uuid} placement={p} row={rows[i]! % MAX_ROWS} view={view} setGuide={setGuide} />
      ))}
    </div>
  )
}

interface BlockProps {
  placement: Placement
  row: number
  view: Viewport
  setGuide: (ms: number | null) => void
}

function Block({ placement, row, view, setGuide }: BlockProps) {
  const assets = useAssetFiles()
  const selected = useEditorStore((s) => s.selected === placement.uuid)
  const asset = assets.get(placement.asset_file_id)
  const choose = () => {
    const { select, set } = useEditorStore.getState()
    select(placement.uuid)
    set({ leftTab: 'assets' })
  }

  const { history } = useHistory()
  const { totalMs } = useLayout()
  const { shown, grab, ...handlers } = useSpanDrag<Place>({
    msPerPx: () => view.msPerPx,
    setGuide,
    span: placement,
    place: (part, ms) =>
      part === 'body'
        ? movePlacement(placement, ms - placement.start_ms, totalMs)
        : resizePlacement(placement, part, ms, asset?.duration_ms ?? null, totalMs),
    onRelease: (part, now) => {
      choose()
      const { moveAsset, trimAsset } = commandsText.changes
      if (!now) return
      const change = [{ uuid: placement.uuid, to: placeOf(now) }]
      history.perform(part === 'body' ? moveAsset : trimAsset, { change })
    },
  })

  const { start_ms, end_ms } = shown ?? placement
  const [x1, x2] = [toX(view, start_ms), toX(view, end_ms)]
  if (x2 < -20 || x1 > view.widthPx + 20) return null

  const Icon = KIND_ICONS[asset?.kind ?? 'image']
  const name = asset?.display_name ?? text.asset
  return (
    <div
      role="button"
      tabIndex={0}
      aria-pressed={selected}
      aria-label={text.placement(name, timecode(start_ms), timecode(end_ms), placement.active)}
      data-placement={placement.uuid}
      onFocus={choose}
      onPointerDown={(event) => grab(event, 'body')}
      {...handlers}
      className={`absolute flex touch-none items-center overflow-hidden rounded-sm border text-xs text-ink select-none ${selected ? 'z-1 border-2 border-(--asset)' : 'border-(--asset)/70'} ${placement.active ? 'bg-(--asset-soft)' : 'border-dashed bg-raised'}`}
      style={{ left: x1, width: Math.max(x2 - x1, 4), top: 2 + row * ROW, height: ROW - 2 }}
    >
      {selected && (
        <BlockEdge side="left" className="bg-(--asset)" onPointerDown={(event) => grab(event, 'start')} {...handlers} />
      )}
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
      {selected && (
        <BlockEdge side="right" className="bg-(--asset)" onPointerDown={(event) => grab(event, 'end')} {...handlers} />
      )}
    </div>
  )
}
