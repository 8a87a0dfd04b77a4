// Actions on take groups: compare the takes and choose the one that stays.

import type { TakeGroup } from '../../api/takes'
import { commandsText } from '../../text/editor/commands'
import { groupOfRow, keepOnly } from '../edits/takes'
import { segmentsWithin, wholeSegments } from '../plan/playback'
import type { EditorModel } from '../state/contexts'
import { selectedRow } from './reviewActions'

/** The take group of the selected cut. */
export function selectedGroup(m: EditorModel): TakeGroup | undefined {
  return groupOfRow(m.takeGroups, selectedRow(m))
}

/** Keeps a take of a group and cuts the others. */
export function chooseTake({ history, previewing }: EditorModel, group: TakeGroup, number: number): void {
  if (!previewing)
    history.chooseTake(commandsText.changes.chooseTake(number), group.id, number, keepOnly(group, number))
}

/** Plays a take as recorded. */
export function playTake({ player, layout }: EditorModel, group: TakeGroup, number: number): void {
  const take = group.takes.find((t) => t.number === number)
  if (take) player?.audition(segmentsWithin(wholeSegments(layout), { startMs: take.start_ms, endMs: take.end_ms }))
}

const withNthTake = (act: typeof chooseTake) => (m: EditorModel, nth: number) => {
  const group = selectedGroup(m)
  const take = group?.takes[nth]
  if (group && take) act(m, group, take.number)
}

/** Keeps the nth take, from 0, of the selected group. */
export const keepNthTake = withNthTake(chooseTake)

/** Plays the nth take, from 0, of the selected group. */
export const playNthTake = withNthTake(playTake)
