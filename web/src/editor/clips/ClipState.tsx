import type { Clip } from '../../api/clips'
import { clipsText as text } from '../../text/editor/clips'
import { bytes } from '../../text/format'
import { Progress } from '../../ui/Progress'
import { useLive } from '../state/store'
import { timecode } from '../plan/timecode'

/** What a clip is, or the progress or the error of its processing. */
export function ClipState({ clip }: { clip: Clip }) {
  const live = useLive((s) => s.clips[clip.uuid])
  if (clip.status === 'failed')
    return <span className="block text-xs text-danger first-letter:uppercase">{clip.error ?? text.unreadable}</span>
  if (clip.status === 'pending_upload') return <span className="block text-xs text-faint">{text.notUploaded}</span>
  if (clip.status === 'processing') {
    const downloading = live?.step === 'download'
    return (
      <span className="mt-1 block">
        <span className="mb-1 block text-xs text-accent">{downloading ? text.downloading : text.processing}</span>
        <Progress
          value={live?.progress || null}
          label={downloading ? text.downloadingLabel(clip.name) : text.processingLabel(clip.name)}
        />
      </span>
    )
  }

  const size = clip.width && clip.height ? `${clip.width}×${clip.height}` : text.audioOnly
  const rate = clip.frame_rate ? `, ${text.frameRate(clip.frame_rate)}` : ''
  return (
    <span className="block text-xs text-faint">
      {timecode(clip.duration_ms ?? 0)} · {size}
      {rate} ·{' '}
      {clip.copy_of ? (
        <span className="whitespace-nowrap" title={text.duplicateHint}>
          {text.isDuplicate}
        </span>
      ) : (
        <span className="whitespace-nowrap">{bytes(clip.size_bytes)}</span>
      )}
      {clip.has_audio === false && <span className="whitespace-nowrap"> · {text.noAudio}</span>}
      {clip.warning && <span className="block text-danger">{clip.warning}</span>}
      {clip.imported_transcript && (
        <span className="block truncate">{text.transcriptName(clip.imported_transcript.name)}</span>
      )}
    </span>
  )
}
