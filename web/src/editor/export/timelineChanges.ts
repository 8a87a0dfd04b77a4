// The changes of a timeline that was edited elsewhere, as an action of the edit history.

import type { ClipSegment } from '../../api/clips'
import type { TimelineChange } from '../../api/timelines'
import { newCut } from '../edits/cuts'
import type { EditAction } from '../edits/editAction'

/** The uuids of all clips after an order of those that are ready. Others keep their place. */
export function orderOf(all: readonly string[], ready: readonly string[]): string[] {
  const next = [...ready]
  return all.map((uuid) => (ready.includes(uuid) ? next.shift()! : uuid))
}

/** How many duplicates of clips segments need: all parts of a clip but one that do not follow each other in time. */
export function duplicatesIn(segments: readonly ClipSegment[]): number {
  const parts = segments.filter((s, i) => {
    const before = segments[i - 1]
    return before?.clip_uuid !== s.clip_uuid || s.start_ms < before.end_ms
  })

  return parts.length - new Set(parts.map((s) => s.clip_uuid)).size
}

/** The action that takes over changes. localID maps the UUID of an edit on the server to the one on this page. */
export function actionOf(
  changes: readonly TimelineChange[],
  reason: string,
  localID: (uuid: string) => string,
): EditAction {
  return {
    create: changes.filter((c) => c.kind === 'add').map((c) => newCut(c.start_ms, c.end_ms, reason)),
    change: changes
      .filter((c) => c.edit_uuid !== null)
      .map((c) => ({
        uuid: localID(c.edit_uuid!),
        to: c.kind === 'restore' ? { active: false } : { active: true, start_ms: c.start_ms, end_ms: c.end_ms },
      })),
  }
}
