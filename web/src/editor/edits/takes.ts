// Take groups: several attempts at one sentence. The edited video keeps one of them.

import type { Edit } from '../../api/edits'
import type { Take, TakeGroup } from '../../api/takes'
import { newCut } from './cuts'
import type { Shown } from './editAction'
import type { ReviewRow } from './stretches'

/** The first cut of a row that removes a take. */
export const takeCutOf = ({ cuts }: ReviewRow): Edit | undefined => cuts.find((e) => e.take_group !== null)

/** The group of the take that a row removes. */
export function groupOfRow(groups: readonly TakeGroup[], row: ReviewRow | undefined): TakeGroup | undefined {
  const cut = row && takeCutOf(row)
  return cut && groups.find((g) => g.id === cut.take_group)
}

/** The edits that remove takes, by the key of the take. */
export const editsByTake = (edits: readonly Edit[]): ReadonlyMap<string, Edit> =>
  new Map(edits.filter((e) => e.take_group !== null).map((e) => [takeKey(e.take_group, e.take_number), e]))

const takeKey = (group: string | null, number: number | null) => `${group} ${number}`

/** Whether the edited video keeps the words of a take. The edits are newer than the group, which the server returns later. */
export function isKept(group: TakeGroup, take: Take, edits: ReadonlyMap<string, Edit>): boolean {
  const edit = edits.get(takeKey(group.id, take.number))
  return edit ? !edit.active : take.kept
}

/** The UUID of an edit that belongs to the take at project time ms, or to its group; undefined outside of groups. */
export function takeEditAt(groups: readonly TakeGroup[], ms: number): string | undefined {
  const group = groups.find(({ takes }) => takes[0]!.start_ms <= ms && ms < takes.at(-1)!.end_ms)
  const at = group?.takes.find((t) => t.edit_uuid !== null && t.start_ms <= ms && ms < t.end_ms)
  return (at ?? group?.takes.find((t) => t.edit_uuid !== null))?.edit_uuid ?? undefined
}

/** What keeps one take of a group and cuts the others. A take without an edit gets one, which the server may extend. */
export const keepOnly = (group: TakeGroup, number: number): Shown => ({
  change: group.takes.flatMap((take) =>
    take.edit_uuid === null ? [] : [{ uuid: take.edit_uuid, to: { active: take.number !== number } }],
  ),
  create: group.takes
    .filter((take) => take.edit_uuid === null && take.number !== number)
    .map((take) => ({
      ...newCut(take.start_ms, take.end_ms, take.reason),
      type: 'false_start',
      take_group: group.id,
      take_number: take.number,
    })),
})

/** The take that completes the sentence that a partial take aborts; undefined for other takes. */
export const completionOf = (group: TakeGroup, take: Take): Take | undefined =>
  take.partial ? group.takes.find((t) => t.number > take.number && !t.partial) : undefined
