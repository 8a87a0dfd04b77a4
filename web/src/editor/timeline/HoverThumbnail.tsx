import { createPortal } from 'react-dom'
import { sheetColumns } from '../../api/clips'
import { useLayout, useMedia } from '../state/contexts'
import { clipAt } from '../plan/renderPlan'
import { timecode } from '../plan/timecode'
import { toX, type Viewport } from './viewport'

const WIDTH = 160
/** Height of the time below the picture, in pixels. */
const CAPTION = 26
/** Distance to the play button, in pixels. */
const AIR = 8

interface HoverThumbnailProps {
  view: Viewport
  ms: number
  /** The place of the timeline in the window. */
  box: DOMRect
  sheets: readonly (HTMLImageElement | null)[]
}

/**
 * A thumbnail above the timeline at the pointer. It appears at once, before the player has sought there. It covers the
 * panes above, which would clip it.
 */
export function HoverThumbnail({ view, ms, box, sheets }: HoverThumbnailProps) {
  const { layout } = useLayout()
  const { proxies } = useMedia()
  const at = clipAt(layout, ms)
  const sprite = at && proxies[at.index]?.sprite
  if (!at || !sprite || !sheets[at.index]) return null
  const tile = Math.min(Math.floor(at.ms / 1000 / sprite.seconds_per_tile), sprite.total_tiles - 1)
  const scale = WIDTH / sprite.tile_width_px
  const height = Math.round(sprite.tile_height_px * scale)
  const left = Math.min(Math.max(toX(view, ms) - WIDTH / 2, 0), Math.max(view.widthPx - WIDTH, 0))
  const top = box.top - height - CAPTION
  return createPortal(
    <div
      data-hover-thumbnail
      className="pointer-events-none fixed z-20 mb-1 overflow-hidden rounded-md border border-strong bg-black shadow-pop"
      style={{ left: besidePlay(box.left + left, top), bottom: window.innerHeight - box.top, width: WIDTH + 2 }}
      aria-hidden
    >
      <div
        style={{
          width: WIDTH,
          height,
          backgroundImage: `url("${sprite.url}")`,
          backgroundSize: `${sheetColumns(sprite) * WIDTH}px auto`,
          backgroundPosition: `${-(tile % sprite.tiles_per_row) * WIDTH}px ${-Math.floor(tile / sprite.tiles_per_row) * sprite.tile_height_px * scale}px`,
        }}
      />
      <p className="bg-raised py-0.5 text-center text-xs font-medium text-ink">{timecode(ms)}</p>
    </div>,
    document.body,
  )
}

// besidePlay moves the thumbnail aside where it would cover the play button.
function besidePlay(left: number, top: number): number {
  const play = document.querySelector('[data-play]')?.getBoundingClientRect()
  if (!play || play.bottom < top || play.right + AIR < left || play.left - AIR > left + WIDTH) return left
  const middle = (play.left + play.right) / 2
  return left + WIDTH / 2 < middle ? play.left - AIR - WIDTH : play.right + AIR
}
