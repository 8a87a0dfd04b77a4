import { useQuery } from '@tanstack/react-query'
import { Clapperboard, Play } from 'lucide-react'
import { useEffect, useState } from 'react'
import { exportFileQuery, type Export } from '../../api/exports'
import { exportText as text } from '../../text/editor/export'
import { Dialog } from '../../ui/Dialog'
import { Notice } from '../../ui/Notice'
import { stopLoading } from '../../ui/stopLoading'
import { usePlayer } from '../state/contexts'

/** The time that a thumbnail shows, in seconds; the first frame is often black. */
const THUMBNAIL_S = 3

/**
 * A frame of a finished export, which plays the export when it is clicked. Once deletion has begun, it shows no frame
 * and loads nothing, because the file may be gone.
 */
export function ExportThumbnail({ item, deleted, onPlay }: { item: Export; deleted: boolean; onPlay: () => void }) {
  return (
    <button
      type="button"
      aria-label={text.play(item.name)}
      onClick={onPlay}
      className="group relative flex h-14 w-24 shrink-0 items-center justify-center overflow-hidden rounded-md bg-raised text-muted"
    >
      {deleted ? <Clapperboard size={18} aria-hidden /> : <Frame item={item} />}
      <span className="absolute inline-flex size-7 items-center justify-center rounded-full bg-black/60 text-[#fff] transition-transform group-hover:scale-110">
        <Play size={12} fill="currentColor" className="ml-0.5" aria-hidden />
      </span>
    </button>
  )
}

// Frame shows a frame of an export. Its requests end when it is removed.
function Frame({ item }: { item: Export }) {
  const url = useQuery(exportFileQuery(item.uuid)).data?.url
  const [failed, setFailed] = useState(false)
  if (!url || failed) return <Clapperboard size={18} aria-hidden />
  return (
    <video
      ref={stopLoading}
      src={`${url}#t=${Math.min(THUMBNAIL_S, (item.duration_ms ?? 0) / 10_000)}`}
      preload="metadata"
      muted
      playsInline
      tabIndex={-1}
      aria-hidden
      onError={() => setFailed(true)}
      className="size-full object-contain"
    />
  )
}

/** Plays a finished export. The preview behind it pauses. */
export function ExportPlayer({ item, onClose }: { item: Export; onClose: () => void }) {
  const player = usePlayer()
  const url = useQuery(exportFileQuery(item.uuid)).data?.url
  const [failed, setFailed] = useState(false)
  useEffect(() => player?.pause(), [player])
  return (
    <Dialog broad open onOpenChange={(open) => !open && onClose()} title={item.name}>
      {failed ? (
        <Notice tone="danger" title={text.cannotPlay}>
          {text.cannotPlayDetail}
        </Notice>
      ) : (
        <video
          ref={stopLoading}
          src={url}
          controls
          autoPlay
          playsInline
          aria-label={item.name}
          onError={() => setFailed(true)}
          className="mx-auto max-h-[70vh] max-w-full rounded-md"
          style={{ aspectRatio: `${item.width ?? 16} / ${item.height ?? 9}` }}
        />
      )}
    </Dialog>
  )
}
