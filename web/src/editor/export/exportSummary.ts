// What is said of a finished export.

import type { Export } from '../../api/exports'
import { count, percent } from '../format'

type Rendering = NonNullable<Export['rendering']>

/** How a video came about, a sentence for each thing that is worth saying. */
export function renderNotes(r: Rendering): string[] {
  const all = r.copied_frames + r.encoded_frames + r.kept_frames
  const lines: string[] = []
  if (r.copied_frames > 0)
    lines.push(`${percent(r.copied_frames, all)} % of the picture is copied from your recording without loss.`)
  if (r.kept_frames > 0) lines.push(`${percent(r.kept_frames, all)} % was there from an earlier export.`)
  if (r.copied_frames === 0 && r.encoded_because && r.encoded_because !== r.h264_because)
    lines.push(`All of it was encoded: ${r.encoded_because}`)
  if (r.video_codec === 'hevc') lines.push('The picture is HEVC, as it was recorded.')
  if (r.h264_because) lines.push(`It could not stay HEVC and became H.264: ${r.h264_because}`)
  if (r.verified_parts > 0)
    lines.push(
      `${count(r.verified_parts, 'part')} of the finished file ${r.verified_parts === 1 ? 'was' : 'were'} compared with your recording.`,
    )
  if (r.repeated_because) lines.push(`A first try was thrown away and made anew: ${r.repeated_because}`)
  return lines
}

const DAY_MS = 86_400_000

/** How long the file of an export is still kept. */
export function retentionNote(expires: string, now = Date.now()): string {
  const days = Math.ceil((Date.parse(expires) - now) / DAY_MS)
  return days <= 1
    ? 'The file is kept until tomorrow at the latest: download it now.'
    : `The file is kept for ${days} more days.`
}
