// Sentences about a finished export.

import type { Export } from '../../api/exports'
import { exportText } from '../../text/editor/export'

const text = exportText.notes

type Rendering = NonNullable<Export['rendering']>

/** How a video was rendered: a sentence for each fact. */
export function renderNotes(r: Rendering): string[] {
  const all = r.copied_frames + r.encoded_frames + r.kept_frames
  const lines: string[] = []
  const checked = r.verified_parts > 0 ? ` ${text.checked}` : ''
  if (2 * r.copied_frames >= all && all > 0) lines.push(text.original + checked)
  else if (r.copied_frames > 0) lines.push(text.partly(r.copied_frames, all) + checked)
  else if (r.encoded_because && r.encoded_because !== r.h264_because) lines.push(text.encoded(r.encoded_because))
  if (r.video_codec === 'hevc') lines.push(text.hevc)
  if (r.h264_because) lines.push(text.h264(r.h264_because))
  if (r.video_encoder && !r.video_encoder.startsWith('x')) lines.push(text.encoder(r.video_encoder))
  if (r.software_because) lines.push(text.software(r.software_because))
  if (r.audio_over_db) lines.push(text.lowered(r.audio_over_db))
  if (r.repeated_because) lines.push(text.repeated(r.repeated_because))
  return lines
}

const DAY_MS = 86_400_000

/** How long the file of an export is kept. */
export function retentionNote(expires: string, now = Date.now()): string {
  const days = Math.ceil((Date.parse(expires) - now) / DAY_MS)
  return days <= 1 ? text.lastDay : text.days(days)
}
