// Drafts: which edits are active, whether they cut or mute, and where each starts and ends.

import type { Overrides } from '../../api/drafts'
import type { AnyEdit } from '../../api/edits'

/** The state of all edits by their server UUIDs. */
export function overridesOf(edits: readonly AnyEdit[], serverName: (uuid: string) => string): Overrides {
  return Object.fromEntries(
    edits.map(({ uuid, active, start_ms, end_ms, ...e }) => [
      serverName(uuid),
      { active, start_ms, end_ms, ...(e.type !== 'asset' && e.action && { action: e.action }) },
    ]),
  )
}
