import { AudioLines, CircleAlert, Film } from 'lucide-react'
import { sheetColumns, type Clip } from '../../api/clips'
import { useLayout, useMedia } from '../state/contexts'

/** Size of the thumbnail in pixels. */
const WIDTH = 64
const HEIGHT = 36

/** A frame from the middle of a clip; an icon for audio and until the frame is loaded. */
export function ClipThumbnail({ clip }: { clip: Clip }) {
  const { ready } = useLayout()
  const { proxies } = useMedia()
  const sprite = proxies[ready.findIndex((c) => c.uuid === clip.uuid)]?.sprite
  if (!sprite) {
    const audio = clip.status === 'ready' && !clip.width
    const Icon = clip.status === 'failed' ? CircleAlert : audio ? AudioLines : Film
    return (
      <span
        className={`inline-flex shrink-0 items-center justify-center rounded-md bg-raised ${clip.status === 'failed' ? 'text-danger' : 'text-muted'}`}
        style={{ width: WIDTH, height: HEIGHT }}
      >
        <Icon size={16} aria-hidden />
      </span>
    )
  }

  const tile = Math.floor(sprite.total_tiles / 2)
  const scale = Math.min(WIDTH / sprite.tile_width_px, HEIGHT / sprite.tile_height_px)
  const [width, height] = [sprite.tile_width_px * scale, sprite.tile_height_px * scale]
  return (
    <span
      aria-hidden
      className="inline-flex shrink-0 items-center justify-center overflow-hidden rounded-md bg-black"
      style={{ width: WIDTH, height: HEIGHT }}
    >
      <span
        data-thumbnail
        style={{
          width,
          height,
          backgroundImage: `url("${sprite.url}")`,
          backgroundSize: `${sheetColumns(sprite) * width}px auto`,
          backgroundPosition: `${-(tile % sprite.tiles_per_row) * width}px ${-Math.floor(tile / sprite.tiles_per_row) * height}px`,
        }}
      />
    </span>
  )
}
