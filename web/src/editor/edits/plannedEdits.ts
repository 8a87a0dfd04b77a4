// Edits that an analysis proposes and the server has not stored yet.

import type { PlannedEdit } from '../../api/analysis'
import type { AnyEdit, Edit } from '../../api/edits'
import { isCut } from './cuts'

const PLANNED = 'planned-'

/** Whether the server has not stored an edit, which then cannot be changed. */
export const isPlanned = (edit: AnyEdit) => edit.uuid.startsWith(PLANNED)

/** Proposed cuts together with the manual cuts, which analysis settings do not affect. */
export function mergePlanned(planned: readonly PlannedEdit[], current: readonly Edit[]): Edit[] {
  const proposed = planned
    .filter(isCut)
    .filter((e) => e.type !== 'manual')
    .map((e): Edit => ({
      ...e,
      action: e.action ?? 'cut',
      uuid: e.uuid ?? `${PLANNED}${e.type}-${e.start_ms}`,
      created_at: e.created_at ?? '',
      updated_at: e.updated_at ?? '',
    }))

  return [...proposed, ...current.filter((e) => e.type === 'manual')]
}
