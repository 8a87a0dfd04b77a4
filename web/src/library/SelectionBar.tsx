import { useQuery } from '@tanstack/react-query'
import { FolderMinus, FolderPlus, Tag, Trash2, X } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import type { ReactNode } from 'react'
import { groupsQuery, type Group } from '../api/groups'
import { commonText } from '../text/common'
import { libraryText } from '../text/library'
import { Button, IconButton } from '../ui/Button'
import { menuItemClass, menuClass } from '../ui/menu'
import { returnFocus } from '../ui/home'

interface SelectionBarProps {
  selected: number
  total: number
  /** The open group, or null. */
  group: Group | null
  onAll: () => void
  onNone: () => void
  onTag: () => void
  onAddTo: (group: Group) => void
  onRemoveFrom: (group: Group) => void
  onNewGroup: () => void
  onDelete: () => void
}

/** The actions for the selected assets. */
export function SelectionBar({
  selected,
  total,
  group,
  onAll,
  onNone,
  onTag,
  onAddTo,
  onRemoveFrom,
  onNewGroup,
  onDelete,
}: SelectionBarProps) {
  return (
    <div
      role="toolbar"
      aria-label={libraryText.selection}
      className="mx-4 mb-3 flex flex-wrap items-center gap-1 rounded-lg border border-accent bg-surface py-1 pr-2 pl-1"
    >
      <IconButton label={libraryText.clearSelection} keys="Esc" onClick={onNone}>
        <X size={16} />
      </IconButton>
      <span className="mr-2 text-sm font-medium" role="status">
        {libraryText.selected(selected)}
      </span>
      {selected < total && (
        <Button size="sm" variant="quiet" onClick={onAll}>
          {libraryText.selectAll(total)}
        </Button>
      )}
      <span className="ml-auto flex flex-wrap items-center gap-1">
        <Button size="sm" variant="quiet" onClick={onTag}>
          <Tag size={14} aria-hidden /> {libraryText.tag}
        </Button>
        <GroupMenu onPick={onAddTo} onNew={onNewGroup}>
          <Button size="sm" variant="quiet">
            <FolderPlus size={14} aria-hidden /> {libraryText.addToGroup}
          </Button>
        </GroupMenu>
        {group && (
          <Button size="sm" variant="quiet" onClick={() => onRemoveFrom(group)}>
            <FolderMinus size={14} aria-hidden /> {libraryText.removeFromGroup(group.name)}
          </Button>
        )}
        <Button size="sm" variant="quiet" className="text-danger hover:text-danger" onClick={onDelete}>
          <Trash2 size={14} aria-hidden /> {commonText.delete}
        </Button>
      </span>
    </div>
  )
}

/** A menu of the groups, except those in `without`. */
export function GroupMenu({
  onPick,
  onNew,
  without = [],
  children,
}: {
  onPick: (group: Group) => void
  onNew: () => void
  without?: readonly string[]
  children: ReactNode
}) {
  const groups = (useQuery(groupsQuery).data ?? []).filter((g) => !without.includes(g.uuid))
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>{children}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="end"
          sideOffset={4}
          className={`${menuClass} max-h-80 max-w-64 overflow-y-auto`}
          onCloseAutoFocus={returnFocus}
        >
          {groups.map((g) => (
            <DropdownMenu.Item key={g.uuid} className={menuItemClass} onSelect={() => onPick(g)}>
              <span dir="auto" className="truncate">
                {g.name}
              </span>
            </DropdownMenu.Item>
          ))}
          {groups.length > 0 && <DropdownMenu.Separator className="my-1 h-px bg-line" />}
          <DropdownMenu.Item className={menuItemClass} onSelect={onNew}>
            <FolderPlus size={14} /> {libraryText.newGroupItem}
          </DropdownMenu.Item>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}
