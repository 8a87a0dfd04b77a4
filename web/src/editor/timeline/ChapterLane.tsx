import { Flag, StickyNote } from 'lucide-react'
import { useRef, useState, type KeyboardEvent, type PointerEvent } from 'react'
import { twMerge } from 'tailwind-merge'
import type { Marker } from '../../api/markers'
import { timelineText as text } from '../../text/editor/timeline'
import { inputClass } from '../../ui/Field'
import { activeSpans } from '../edits/cuts'
import { stepFrames } from '../plan/playback'
import { titleAt } from '../edits/words'
import { useEditorAccess, useLayout, useMarkers, usePlayer } from '../state/contexts'
import { useEditorStore } from '../state/store'
import { nearestPoint } from '../edits/snap'
import { timecode } from '../plan/timecode'
import { SNAP_PX } from './useTimelinePointer'
import { toX, type Viewport } from './viewport'

/** Width of a flag with its title, in pixels, at most. */
const FLAG = 120
/** Width of the field for a title, in pixels. */
const FIELD = 200
/** Distance in pixels that turns a click into a drag. */
const SLOP = 4

interface ChapterLaneProps {
  view: Viewport
  height: number
  setGuide: (ms: number | null) => void
}

/**
 * The chapters and notes as flags on the ruler. A click on a flag goes to its time, a drag or Alt with an arrow key moves it,
 * and a double click or F2 changes its text in place.
 */
export function ChapterLane({ view, height, setGuide }: ChapterLaneProps) {
  const { markers } = useMarkers()
  const flags = markers.filter((m) => m.kind !== 'split')
  let chapters = 0
  return flags.map((marker, i) => {
    const next = flags[i + 1]
    const number = marker.kind === 'chapter' ? ++chapters : 0
    const room = next ? toX(view, next.time_ms) - toX(view, marker.time_ms) - 2 : FLAG
    return (
      <MarkerFlag
        key={marker.uuid}
        marker={marker}
        title={marker.name || (number > 0 ? text.chapter(number) : text.note)}
        view={view}
        height={height}
        maxWidth={Math.max(Math.min(room, FLAG), 18)}
        setGuide={setGuide}
      />
    )
  })
}

interface MarkerFlagProps extends ChapterLaneProps {
  marker: Marker
  /** The text of the flag. */
  title: string
  maxWidth: number
}

function MarkerFlag({ marker, title, view, height, maxWidth, setGuide }: MarkerFlagProps) {
  const player = usePlayer()
  const { remove, move } = useMarkers()
  const { layout, rates } = useLayout()
  const naming = useEditorStore((s) => s.renamingChapter === marker.uuid)
  const { shown, ...drag } = useFlagDrag(marker, view, setGuide)
  const rename = () => useEditorStore.getState().set({ renamingChapter: marker.uuid })
  const at = shown ?? marker.time_ms
  const x = toX(view, at)
  if (x < -FLAG || x > view.widthPx) return null
  const note = marker.kind === 'note'
  const Icon = note ? StickyNote : Flag
  const onKeyDown = (event: KeyboardEvent) => {
    const by = event.altKey ? { ArrowLeft: -1, ArrowRight: 1 }[event.key] : undefined
    if (by !== undefined) move(marker, stepFrames(layout, rates, marker.time_ms, by))
    else if (event.key === 'F2') rename()
    else if (event.key === 'Delete') remove(marker)
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  if (naming) return <TitleField marker={marker} placeholder={title} style={{ left: x, height }} />
  return (
    <button
      type="button"
      data-marker={marker.uuid}
      aria-label={note ? text.noteAt(title, timecode(at)) : text.chapterAt(title, timecode(at))}
      title={note ? text.noteHint(title) : text.chapterHint}
      onClick={() => player?.seek(marker.time_ms)}
      onDoubleClick={rename}
      onKeyDown={onKeyDown}
      {...drag}
      className={`absolute top-0 z-1 flex touch-none items-center gap-1 overflow-hidden border-l-2 bg-surface pr-1 pl-0.5 text-xs hover:bg-hover ${note ? 'border-strong text-muted forced-colors:border-dashed' : 'border-accent text-ink'}`}
      style={{ left: x, height, maxWidth }}
    >
      <Icon size={12} className={`shrink-0 ${note ? '' : 'text-accent'}`} aria-hidden />
      <span dir="auto" className="truncate">
        {title}
      </span>
    </button>
  )
}

// useFlagDrag moves a marker while its flag is dragged; shown is its time during the drag.
function useFlagDrag(marker: Marker, view: Viewport, setGuide: (ms: number | null) => void) {
  const player = usePlayer()
  const { move } = useMarkers()
  const { snapPoints } = useEditorAccess()
  const grabbed = useRef<{ x: number; ms: number | null } | null>(null)
  const [shown, setShown] = useState<number | null>(null)
  const end = () => {
    const last = grabbed.current
    grabbed.current = null
    setShown(null)
    setGuide(null)
    return last
  }

  return {
    shown,
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      if (event.button !== 0) return
      event.stopPropagation()
      event.currentTarget.setPointerCapture(event.pointerId)
      grabbed.current = { x: event.clientX, ms: null }
    },
    onPointerMove: (event: PointerEvent<HTMLElement>) => {
      const now = grabbed.current
      if (!now || (now.ms === null && Math.abs(event.clientX - now.x) < SLOP)) return
      const wanted = Math.min(Math.max(marker.time_ms + (event.clientX - now.x) * view.msPerPx, 0), view.totalMs)
      const point = event.altKey ? null : nearestPoint(snapPoints(), wanted, SNAP_PX * view.msPerPx)
      now.ms = Math.round(point ?? wanted)
      setShown(now.ms)
      setGuide(point)
      player?.seek(now.ms)
    },
    onPointerUp: () => {
      const last = end()
      if (last?.ms != null) move(marker, last.ms)
    },
    onPointerCancel: () => void end(),
  }
}

interface TitleFieldProps {
  marker: Marker
  placeholder: string
  style: { left: number; height: number }
}

// TitleField takes the new text of a marker in the place of its flag; Escape keeps the old one. A chapter without a title is
// proposed one, which Enter takes.
function TitleField({ marker, placeholder, style }: TitleFieldProps) {
  const { rename } = useMarkers()
  const { store } = useEditorAccess()
  const [proposed] = useState(() => {
    const model = marker.kind === 'chapter' ? store.getState() : null
    return marker.name || (model ? titleAt(model.words, activeSpans(model.edits), marker.time_ms) : '')
  })

  const ended = useRef(false)
  const end = (name: string) => {
    if (ended.current) return
    ended.current = true
    useEditorStore.getState().set({ renamingChapter: null })
    rename(marker, name)
  }

  return (
    <input
      autoFocus
      dir="auto"
      aria-label={marker.kind === 'note' ? text.noteText : text.chapterTitle}
      placeholder={placeholder}
      defaultValue={proposed}
      maxLength={200}
      autoComplete="off"
      onFocus={(event) => event.currentTarget.select()}
      onContextMenu={(event) => event.stopPropagation()}
      onBlur={({ currentTarget: { value } }) => end(value === proposed ? marker.name : value)}
      onKeyDown={(event) => {
        event.stopPropagation()
        if (event.key === 'Enter') end(event.currentTarget.value)
        else if (event.key === 'Escape') end(marker.name)
      }}
      className={twMerge(inputClass, 'absolute top-0 z-2 rounded-none px-1 text-xs')}
      style={{ ...style, width: FIELD }}
    />
  )
}
