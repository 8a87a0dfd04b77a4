import { Check, Play, Scissors, Trash2, VolumeX, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { reviewText as text } from '../../text/editor/review'
import { CommandItem, ContextArea, MenuLine, type MenuPlace } from '../commands/ContextArea'
import { useActions } from '../commands/useCommand'
import { mutes } from '../edits/cuts'
import { selectedRow, type ReviewRow } from '../edits/stretches'
import { useEdits } from '../state/contexts'
import { useSelectedRow } from '../state/useSelectedRow'
import { idOf } from './CutRow'
import { JoinItems } from './JoinItems'

/** The context menu of the rows of the list of cuts. It selects the row under the pointer; keys open it on the selected one. */
export function CutMenu({ children }: { children: ReactNode }) {
  const { edits, rowOf } = useEdits()
  const { goTo } = useActions()
  const selected = useSelectedRow()
  const choose = ({ target }: MenuPlace) => {
    const { cut, part } = target.closest<HTMLElement>('[data-cut], [data-part]')?.dataset ?? {}
    const row = selectedRow({ edits, rowOf }, { selected: cut ?? part ?? null, part: part !== undefined })
    if (row && !(selected && idOf(row) === idOf(selected))) goTo(row)
    return row !== undefined
  }

  return (
    <ContextArea
      label={text.menu}
      choose={choose}
      keyTarget={() => selected && document.getElementById(idOf(selected))}
      items={selected && <CutItems row={selected} />}
    >
      {children}
    </ContextArea>
  )
}

/** The items of the menu of a selected cut. */
export function CutItems({ row }: { row: ReviewRow }) {
  const muted = row.active && mutes(row)
  return (
    <>
      <CommandItem name="toggle" icon={row.active ? X : Check} label={row.active ? text.reject : text.accept} />
      <CommandItem name="mute" icon={muted ? Scissors : VolumeX} label={muted ? text.cutInstead : text.muteInstead} />
      <MenuLine />
      <CommandItem name="before" icon={Play} label={text.beforeHint} />
      <CommandItem name="after" icon={Play} label={muted ? text.mutedHint : text.afterHint} />
      <JoinItems row={row} />
      {row.cuts.every((e) => e.type === 'manual') && <CommandItem name="delete" icon={Trash2} label={text.remove} />}
    </>
  )
}
