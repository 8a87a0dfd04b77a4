import { AudioLines } from 'lucide-react'
import { Popover } from 'radix-ui'
import { useId } from 'react'
import type { Clip, ClipTrack } from '../../api/clips'
import { clipsText as text } from '../../text/editor/clips'
import { Button } from '../../ui/Button'
import { PopoverPanel } from '../../ui/PopoverPanel'
import { useClipChanges } from './useClipChanges'

/** The audio tracks of a clip with several: a button that says which are heard and opens a choice. Nothing for other clips. */
export function TracksLine({ clip }: { clip: Clip }) {
  const tracks = clip.tracks ?? []
  const heard = tracks.filter((t) => t.heard).map((t) => t.index)
  const unread = tracks.filter((t) => !t.decodable).map((t) => t.index)
  if (clip.status !== 'ready' || (tracks.length < 2 && unread.length === 0)) return null
  return (
    <span data-tracks={heard.join()} className="flex flex-col items-start gap-1 text-xs text-faint">
      {tracks.length > 1 && (
        <Popover.Root>
          <Popover.Trigger asChild>
            <Button size="sm" variant="quiet" className="-ml-1.5 h-6 gap-1 px-1.5">
              <AudioLines size={12} aria-hidden />
              {text.tracksHeard(heard, tracks.length)}
            </Button>
          </Popover.Trigger>
          <PopoverPanel aria-label={text.tracks} align="start" className="w-80 max-w-[calc(100vw-16px)] p-4">
            <TrackChoice clip={clip} tracks={tracks} heard={heard} />
          </PopoverPanel>
        </Popover.Root>
      )}
      {unread.length > 0 && <span className="text-danger">{text.tracksUnread(unread)}</span>}
      {clip.tracks_pending && <span role="status">{text.tracksPending}</span>}
      {clip.tracks_error && <span className="text-danger">{text.tracksFailed(clip.tracks_error)}</span>}
    </span>
  )
}

// TrackChoice has a checkbox for each track. One track stays chosen.
function TrackChoice({ clip, tracks, heard }: { clip: Clip; tracks: ClipTrack[]; heard: number[] }) {
  const { hear } = useClipChanges()
  const hint = useId()
  const change = (track: ClipTrack) =>
    hear(
      clip,
      tracks.map((t) => t.index).filter((i) => (i === track.index ? !track.heard : heard.includes(i))),
    )

  return (
    <fieldset aria-describedby={hint} className="flex min-w-0 flex-col gap-2 text-sm">
      <legend className="mb-2 font-medium">{text.tracks}</legend>
      {tracks.map((track) => (
        <label key={track.index} className="flex items-start gap-2">
          <input
            type="checkbox"
            className="mt-1 accent-accent"
            checked={track.heard}
            disabled={!track.decodable || (track.heard && heard.length === 1)}
            onChange={() => change(track)}
          />
          <span className="min-w-0">
            <span className="block">{text.trackName(track.index, track.title)}</span>
            <span className="block text-xs text-muted">{text.trackFacts(track)}</span>
          </span>
        </label>
      ))}
      <p id={hint} className="text-xs text-muted">
        {text.tracksHint}
      </p>
    </fieldset>
  )
}
