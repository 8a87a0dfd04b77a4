// Edits that an analysis would propose, before the server keeps them.

import type { PlannedEdit } from '../../api/analysis'
import type { AnyEdit, Edit } from '../../api/edits'
import { isCut } from './cuts'

const PLANNED = 'planned-'

/** Whether an edit is not kept by the server, so that nothing can be done to it. */
export const isPlanned = (edit: AnyEdit) => edit.uuid.startsWith(PLANNED)

/** Proposed edits together with the cuts that were made by hand, which no knob touches. */
export function mergePlanned(planned: readonly PlannedEdit[], current: readonly Edit[]): Edit[] {
  const proposed = planned
    .filter(isCut)
    .filter((e) => e.type !== 'manual')
    .map((e): Edit => ({
      ...e,
      uuid: e.uuid ?? `${PLANNED}${e.type}-${e.start_ms}`,
      created_at: e.created_at ?? '',
      updated_at: e.updated_at ?? '',
    }))
  return [...proposed, ...current.filter((e) => e.type === 'manual')]
}
