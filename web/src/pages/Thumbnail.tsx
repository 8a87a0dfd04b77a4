import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState, type PointerEvent } from 'react'
import { awaitsThumbnail, listedClipsQuery, proxyQuery, refreshSprite, sheetColumns, type ProxyURL } from '../api/clips'

/** The thumbnail of a project's first clip. Moving the pointer over it scrubs through the clip. */
export function Thumbnail({ project }: { project: string }) {
  const box = useRef<HTMLDivElement>(null)
  const visible = useSeen(box)
  const [at, setAt] = useState(0.2)
  const clips = useQuery({ ...listedClipsQuery(project), enabled: visible })
  const first = clips.data?.find((c) => c.status === 'ready' && c.sprite_key !== null)
  const proxy = useQuery({ ...proxyQuery(first?.uuid ?? ''), enabled: first !== undefined })
  const sprite = proxy.data?.sprite
  const queryClient = useQueryClient()
  const late = first !== undefined && proxy.data !== undefined && !sprite
  useEffect(() => {
    if (late) void refreshSprite(queryClient, first.uuid)
  }, [late, first?.uuid, queryClient])

  const scrub = (event: PointerEvent<HTMLDivElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect()
    setAt(Math.min(Math.max((event.clientX - left) / width, 0), 0.999))
  }

  return (
    <div
      ref={box}
      className="absolute inset-0 flex items-center justify-center overflow-hidden"
      onPointerMove={scrub}
      onPointerLeave={() => setAt(0.2)}
      aria-hidden
    >
      {sprite ? (
        <Tile sprite={sprite} index={Math.floor(at * sprite.total_tiles)} />
      ) : clips.isPending || (first ? proxy.isPending : clips.data?.some(awaitsThumbnail)) ? (
        <div className="skeleton size-full rounded-none" />
      ) : null}
    </div>
  )
}

// Tile shows one tile of a sprite sheet, scaled to fill the card.
function Tile({ sprite, index }: { sprite: NonNullable<ProxyURL['sprite']>; index: number }) {
  const rows = Math.ceil(sprite.total_tiles / sprite.tiles_per_row)
  const columns = sheetColumns(sprite)
  const column = index % sprite.tiles_per_row
  const row = Math.floor(index / sprite.tiles_per_row)
  const portrait = sprite.tile_height_px > sprite.tile_width_px
  return (
    <div
      className={`shrink-0 overflow-hidden ${portrait ? 'h-full' : 'w-full'}`}
      style={{ aspectRatio: `${sprite.tile_width_px} / ${sprite.tile_height_px}` }}
    >
      <img
        src={sprite.url}
        alt=""
        draggable={false}
        className="block max-w-none"
        style={{
          width: `${columns * 100}%`,
          height: `${rows * 100}%`,
          transform: `translate(${(-100 * column) / columns}%, ${(-100 * row) / rows}%)`,
        }}
      />
    </div>
  )
}

// useSeen returns true once the element has become visible, so that long lists fetch only visible thumbnails.
function useSeen(element: React.RefObject<HTMLElement | null>): boolean {
  const [seen, setSeen] = useState(false)
  useEffect(() => {
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && setSeen(true), {
      rootMargin: '200px',
    })

    if (element.current) observer.observe(element.current)
    return () => observer.disconnect()
  }, [element])

  return seen
}
