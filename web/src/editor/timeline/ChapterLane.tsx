import { Flag, Trash2 } from 'lucide-react'
import { Popover } from 'radix-ui'
import { useRef, useState } from 'react'
import type { Marker } from '../../api/markers'
import { timelineText as text } from '../../text/editor/timeline'
import { IconButton } from '../../ui/Button'
import { inputClass } from '../../ui/Field'
import { useMarkers, usePlayer } from '../state/contexts'
import { timecode } from './timecode'
import { toX, type Viewport } from './viewport'

/** Width of a flag with its title, in pixels, at most. */
const FLAG = 120

/** The chapters as flags on the ruler. A flag goes to its time and opens a field for the title. */
export function ChapterLane({ view, height }: { view: Viewport; height: number }) {
  const { markers } = useMarkers()
  const chapters = markers.filter((m) => m.kind === 'chapter')
  return chapters.map((marker, i) => {
    const x = toX(view, marker.time_ms)
    if (x < -FLAG || x > view.widthPx) return null
    const room = chapters[i + 1] ? toX(view, chapters[i + 1]!.time_ms) - x - 2 : FLAG
    return (
      <Chapter
        key={marker.uuid}
        marker={marker}
        number={i + 1}
        style={{ left: x, height, maxWidth: Math.max(Math.min(room, FLAG), 18) }}
      />
    )
  })
}

interface ChapterProps {
  marker: Marker
  /** The number of the chapter, from 1. */
  number: number
  style: { left: number; height: number; maxWidth: number }
}

function Chapter({ marker, number, style }: ChapterProps) {
  const player = usePlayer()
  const { rename, remove } = useMarkers()
  const [open, setOpen] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const title = marker.name || text.chapter(number)
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger asChild>
        <button
          type="button"
          data-marker={marker.uuid}
          aria-label={text.chapterAt(title, timecode(marker.time_ms))}
          onClick={() => player?.seek(marker.time_ms)}
          className="absolute top-0 z-1 flex items-center gap-1 overflow-hidden border-l-2 border-accent bg-surface pr-1 pl-0.5 text-xs text-ink hover:bg-hover"
          style={style}
        >
          <Flag size={12} className="shrink-0 text-accent" aria-hidden />
          <span dir="auto" className="truncate">
            {title}
          </span>
        </button>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          sideOffset={4}
          collisionPadding={8}
          role="dialog"
          aria-label={text.editChapter}
          className="pop z-50 rounded-lg border border-line bg-raised p-2 shadow-pop outline-none"
        >
          <form
            className="flex items-center gap-1"
            onSubmit={(event) => {
              event.preventDefault()
              rename(marker, field.current!.value)
              setOpen(false)
            }}
          >
            <input
              ref={field}
              dir="auto"
              aria-label={text.chapterTitle}
              placeholder={text.chapter(number)}
              defaultValue={marker.name}
              maxLength={200}
              autoComplete="off"
              className={`${inputClass} h-8 w-56`}
              onBlur={(event) => rename(marker, event.currentTarget.value)}
            />
            <IconButton
              label={text.removeChapter}
              onClick={() => {
                remove(marker)
                setOpen(false)
              }}
            >
              <Trash2 size={14} />
            </IconButton>
          </form>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}
