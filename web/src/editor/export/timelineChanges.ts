// The changes of a timeline that was edited elsewhere, as an action of the edit history.

import type { TimelineChange } from '../../api/timelines'
import { newCut } from '../edits/cuts'
import type { EditAction } from '../edits/editAction'

/** The uuids of all clips after an order of those that are ready. Others keep their place. */
export function orderOf(all: readonly string[], ready: readonly string[]): string[] {
  const next = [...ready]
  return all.map((uuid) => (ready.includes(uuid) ? next.shift()! : uuid))
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
