import { Check, Play, Scissors, Trash2, VolumeX, X } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Edit } from '../../api/edits'
import { reviewText as text } from '../../text/editor/review'
import { CommandItem, ContextArea, MenuLine, type MenuPlace } from '../commands/ContextArea'
import { useActions } from '../commands/useCommand'
import { mutes } from '../edits/cuts'
import { useEdits } from '../state/contexts'
import { useEditorStore } from '../state/store'
import { JoinItems } from './JoinItems'

/** The context menu of the cuts in a list. It selects the cut under the pointer; keys open it on the selected cut. */
export function CutMenu({ children }: { children: ReactNode }) {
  const { edits } = useEdits()
  const { goTo } = useActions()
  const selected = useEditorStore((s) => s.selected)
  const edit = edits.find((e) => e.uuid === selected)
  const choose = ({ target }: MenuPlace) => {
    const row = target.closest<HTMLElement>('[data-cut]')
    const cut = edits.find((e) => e.uuid === row?.dataset['cut'])
    if (cut && cut.uuid !== selected) goTo(cut)
    return cut !== undefined
  }

  return (
    <ContextArea
      label={text.menu}
      choose={choose}
      keyTarget={() => document.querySelector(`[data-cut="${selected}"]`)}
      items={edit && <CutItems edit={edit} />}
    >
      {children}
    </ContextArea>
  )
}

/** The items of the menu of a selected cut. */
export function CutItems({ edit }: { edit: Edit }) {
  const muted = edit.active && mutes(edit)
  return (
    <>
      <CommandItem name="toggle" icon={edit.active ? X : Check} label={edit.active ? text.reject : text.accept} />
      <CommandItem name="mute" icon={muted ? Scissors : VolumeX} label={muted ? text.cutInstead : text.muteInstead} />
      <MenuLine />
      <CommandItem name="before" icon={Play} label={text.beforeHint} />
      <CommandItem name="after" icon={Play} label={muted ? text.mutedHint : text.afterHint} />
      <JoinItems edit={edit} />
      {edit.type === 'manual' && <CommandItem name="delete" icon={Trash2} label={text.remove} />}
    </>
  )
}
