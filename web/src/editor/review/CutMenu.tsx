import { Check, Play, Scissors, Trash2, VolumeX, X, type LucideIcon } from 'lucide-react'
import { ContextMenu } from 'radix-ui'
import type { MouseEvent, PointerEvent, ReactNode } from 'react'
import type { Edit } from '../../api/edits'
import { reviewText as text } from '../../text/editor/review'
import { menuClass, menuItemClass } from '../../ui/menu'
import { Kbd } from '../../ui/Tip'
import type { CommandName } from '../commands/commands'
import { useActions, useCommand } from '../commands/useCommand'
import { mutes } from '../edits/cuts'
import { useEdits } from '../state/contexts'
import { useEditorStore } from '../state/store'

interface CutMenuProps {
  /** The cut under the pointer; by default, the one of the row under the pointer. */
  find?: (event: MouseEvent<HTMLElement>) => Edit | undefined
  children: ReactNode
}

/** The context menu of cuts around a list or the timeline. It opens on a cut and selects it. */
export function CutMenu({ find, children }: CutMenuProps) {
  const { edits } = useEdits()
  const { goTo } = useActions()
  const selected = useEditorStore((s) => s.selected)
  const edit = edits.find((e) => e.uuid === selected)
  const rowOf = (event: MouseEvent<HTMLElement>) => {
    const row = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-cut]') : null
    return edits.find((e) => e.uuid === row?.dataset['cut'])
  }
  const onContextMenu = (event: MouseEvent<HTMLElement>) => {
    const cut = (find ?? rowOf)(event)
    if (!cut) event.preventDefault()
    else if (cut.uuid !== selected) goTo(cut)
  }
  // A finger opens the menu with the browser's own long press, which names the cut under it.
  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    if (event.pointerType === 'touch') event.preventDefault()
  }
  return (
    <ContextMenu.Root modal={false}>
      <ContextMenu.Trigger asChild>
        <div className="contents" onContextMenu={onContextMenu} onPointerDown={onPointerDown}>
          {children}
        </div>
      </ContextMenu.Trigger>
      <ContextMenu.Portal>
        <ContextMenu.Content className={menuClass} aria-label={text.menu}>
          {edit && <Items edit={edit} />}
        </ContextMenu.Content>
      </ContextMenu.Portal>
    </ContextMenu.Root>
  )
}

function Items({ edit }: { edit: Edit }) {
  const muted = edit.active && mutes(edit)
  return (
    <>
      <Item name="toggle" icon={edit.active ? X : Check} label={edit.active ? text.reject : text.accept} />
      <Item name="mute" icon={muted ? Scissors : VolumeX} label={muted ? text.cutInstead : text.muteInstead} />
      <ContextMenu.Separator className="my-1 h-px bg-line" />
      <Item name="before" icon={Play} label={text.beforeHint} />
      <Item name="after" icon={Play} label={muted ? text.mutedHint : text.afterHint} />
      {edit.type === 'manual' && <Item name="delete" icon={Trash2} label={text.remove} />}
    </>
  )
}

function Item({ name, icon: Icon, label }: { name: CommandName; icon: LucideIcon; label: string }) {
  const { keys, enabled, run } = useCommand(name)
  return (
    <ContextMenu.Item disabled={!enabled} onSelect={run} className={`${menuItemClass} min-w-56`}>
      <Icon size={14} className="text-muted" aria-hidden />
      <span className="flex-1">{label}</span>
      {keys && <Kbd>{keys}</Kbd>}
    </ContextMenu.Item>
  )
}
