// Drafts: which edits are active, whether they cut or mute, and where each starts and ends.

import type { Overrides } from '../../api/drafts'
import type { AnyEdit, EditChange } from '../../api/edits'
import type { EditAction } from '../edits/editAction'

/** The state of all edits by their server UUIDs. */
export function overridesOf(edits: readonly AnyEdit[], serverName: (uuid: string) => string): Overrides {
  return Object.fromEntries(
    edits.map(({ uuid, active, start_ms, end_ms, ...e }) => [
      serverName(uuid),
      { active, start_ms, end_ms, ...(e.type !== 'asset' && e.action && { action: e.action }) },
    ]),
  )
}

/**
 * The action that applies a draft. It switches newer edits off. `newer` is their number, and `gone` is the number of edits
 * of the draft that no longer exist.
 */
export function applyDraft(
  overrides: Overrides,
  edits: readonly AnyEdit[],
  serverName: (uuid: string) => string,
): { action: EditAction; newer: number; missing: number } {
  const change: { uuid: string; to: EditChange }[] = []
  let newer = 0
  let known = 0
  for (const edit of edits) {
    const saved = overrides[serverName(edit.uuid)]
    if (saved) {
      known++
      change.push({ uuid: edit.uuid, to: saved })
    } else if (edit.active) {
      newer++
      change.push({ uuid: edit.uuid, to: { active: false } })
    }
  }

  return { action: { change }, newer, missing: Object.keys(overrides).length - known }
}
