// Drafts as saved choices: which cuts are taken, and where each begins and ends.

import type { Overrides } from '../../api/drafts'
import type { AnyEdit } from '../../api/edits'
import type { EditAction } from '../edits/editAction'

/** The choices that are made now, by the server's names of edits. */
export function choicesOf(edits: readonly AnyEdit[], serverName: (uuid: string) => string): Overrides {
  return Object.fromEntries(
    edits.map((e) => [serverName(e.uuid), { active: e.active, start_ms: e.start_ms, end_ms: e.end_ms }]),
  )
}

/** What brings saved choices back. Edits that were made since are switched off; those that are gone by now cannot be brought back. */
export function applying(
  choices: Overrides,
  edits: readonly AnyEdit[],
  serverName: (uuid: string) => string,
): { act: EditAction; newer: number; gone: number } {
  const change: { uuid: string; to: { active?: boolean; start_ms?: number; end_ms?: number } }[] = []
  let newer = 0
  let known = 0
  for (const edit of edits) {
    const saved = choices[serverName(edit.uuid)]
    if (saved) {
      known++
      change.push({ uuid: edit.uuid, to: saved })
    } else if (edit.active) {
      newer++
      change.push({ uuid: edit.uuid, to: { active: false } })
    }
  }
  return { act: { change }, newer, gone: Object.keys(choices).length - known }
}
