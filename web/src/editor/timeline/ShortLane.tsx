import { RectangleVertical } from 'lucide-react'
import { useMemo, type KeyboardEvent } from 'react'
import type { Short } from '../../api/shorts'
import { shortsText as text } from '../../text/editor/shorts'
import { laneRows } from '../edits/placements'
import { dragShort, type ShortSpan } from '../edits/shorts'
import { timecode } from '../plan/timecode'
import { useLayout, usePlayer, useShorts } from '../state/contexts'
import { useEditorStore } from '../state/store'
import { BlockEdge } from './BlockEdge'
import { ShortNameField } from './ShortNameField'
import { useSpanDrag } from './useSpanDrag'
import { toX, type Viewport } from './viewport'

/** Height of a row in pixels. */
const ROW = 22
/** Largest number of rows; more shorts overlap. */
const MAX_ROWS = 3
/** Smallest width of the field for a name, in pixels. */
const FIELD = 200

/** The rows of the shorts, and the height of their lane in pixels: 0 without shorts. */
export function useShortRows(): { rows: readonly number[]; height: number } {
  const { shorts } = useShorts()
  return useMemo(() => {
    const rows = laneRows(shorts)
    return { rows, height: rows.length > 0 ? Math.min(Math.max(...rows) + 1, MAX_ROWS) * ROW + 2 : 0 }
  }, [shorts])
}

interface LaneProps {
  view: Viewport
  top: number
  height: number
  rows: readonly number[]
  setGuide: (ms: number | null) => void
}

/** The shorts over time. Dragging a block moves it, dragging an end trims it; a double click or Enter renames it. */
export function ShortLane({ view, top, height, rows, setGuide }: LaneProps) {
  const { shorts } = useShorts()
  return (
    <div
      role="group"
      aria-label={text.lane}
      data-testid="short-lane"
      className="absolute inset-x-0 overflow-hidden border-t border-line"
      style={{ top, height }}
    >
      {shorts.map((short, i) => (
        <Block key={short.uuid} short={short} row={rows[i]! % MAX_ROWS} view={view} setGuide={setGuide} />
      ))}
    </div>
  )
}

interface BlockProps {
  short: Short
  row: number
  view: Viewport
  setGuide: (ms: number | null) => void
}

function Block({ short, row, view, setGuide }: BlockProps) {
  const player = usePlayer()
  const { place } = useShorts()
  const { totalMs } = useLayout()
  const selected = useEditorStore((s) => s.selected === short.uuid)
  const naming = useEditorStore((s) => s.renamingShort === short.uuid)
  const choose = () => useEditorStore.getState().select(short.uuid)
  const rename = () => useEditorStore.getState().set({ renamingShort: short.uuid })
  const { shown, grab, ...handlers } = useSpanDrag<ShortSpan>({
    msPerPx: () => view.msPerPx,
    setGuide,
    span: short,
    place: (part, ms) => dragShort(short, part, ms, totalMs),
    onRelease: (part, now) => {
      choose()
      if (now) place(short, now)
      else if (part === 'body') player?.seek(short.start_ms)
    },
  })

  const { start_ms, end_ms } = shown ?? short
  const [x1, x2] = [toX(view, start_ms), toX(view, end_ms)]
  if (x2 < -20 || x1 > view.widthPx + 20) return null
  const at = { left: x1, width: Math.max(x2 - x1, 4), top: 1 + row * ROW, height: ROW - 2 }
  if (naming) {
    const field = { ...at, left: Math.max(at.left, 0), width: Math.max(at.width, FIELD) }
    return <ShortNameField short={short} className="absolute z-2 rounded-sm px-1.5 text-xs" style={field} />
  }

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'F2' && event.key !== 'Enter') return
    event.preventDefault()
    event.stopPropagation()
    rename()
  }

  return (
    <div
      role="button"
      tabIndex={0}
      aria-pressed={selected}
      aria-label={text.block(short.name, timecode(start_ms), timecode(end_ms))}
      title={text.hint(short.name, end_ms - start_ms)}
      data-short={short.uuid}
      onFocus={choose}
      onKeyDown={onKeyDown}
      onDoubleClick={rename}
      onPointerDown={(event) => grab(event, 'body')}
      {...handlers}
      className={`absolute flex touch-none items-center overflow-hidden rounded-sm border bg-accent-soft text-xs text-ink select-none ${selected ? 'z-1 border-accent inset-ring inset-ring-accent forced-colors:border-2' : 'border-accent/60'}`}
      style={at}
    >
      {selected && (
        <BlockEdge side="left" className="bg-accent" onPointerDown={(event) => grab(event, 'start')} {...handlers} />
      )}
      {x2 - x1 > 24 && (
        <span className="pointer-events-none flex min-w-0 items-center gap-1 px-1.5">
          <RectangleVertical size={12} className="shrink-0 text-accent" aria-hidden />
          <span dir="auto" className="truncate">
            {short.name}
          </span>
        </span>
      )}
      {selected && (
        <BlockEdge side="right" className="bg-accent" onPointerDown={(event) => grab(event, 'end')} {...handlers} />
      )}
    </div>
  )
}
