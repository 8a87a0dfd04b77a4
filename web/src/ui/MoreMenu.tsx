import { Check, Ellipsis, type LucideIcon } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import type { ReactNode } from 'react'
import { IconButton } from './Button'
import { menuClass, menuItemClass } from './menu'
import { Kbd } from './Tip'
import { returnFocus } from './home'

interface MenuProps {
  /** The button that opens the menu. */
  button: ReactNode
  disabled?: boolean
  children: ReactNode
}

/** A menu of items below its button. */
export function Menu({ button, disabled = false, children }: MenuProps) {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild disabled={disabled}>
        {button}
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content align="end" sideOffset={6} className={menuClass} onCloseAutoFocus={returnFocus}>
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

interface MoreMenuProps {
  label: string
  className?: string
  children: ReactNode
}

/** A menu with three dots for what a bar offers further. */
export const MoreMenu = ({ label, className = '', children }: MoreMenuProps) => (
  <Menu
    button={
      <IconButton label={label} className={className}>
        <Ellipsis size={16} aria-hidden />
      </IconButton>
    }
  >
    {children}
  </Menu>
)

interface ItemProps {
  icon: LucideIcon
  /** The shortcut of the item. */
  keys?: string | null | undefined
  disabled?: boolean
  onSelect: () => void
  children: ReactNode
}

export const MenuItem = ({ icon: Icon, keys, disabled = false, onSelect, children }: ItemProps) => (
  <DropdownMenu.Item className={menuItemClass} disabled={disabled} onSelect={onSelect}>
    <Icon size={14} aria-hidden />
    <span className="flex-1">{children}</span>
    {keys && <Kbd>{keys}</Kbd>}
  </DropdownMenu.Item>
)

/** A line between groups of items. */
export const MenuLine = () => <DropdownMenu.Separator className="my-1 h-px bg-line" />

/** Marks a chosen item. */
export const MenuCheck = () => (
  <span className="w-3.5">
    <DropdownMenu.ItemIndicator>
      <Check size={14} className="text-accent" aria-hidden />
    </DropdownMenu.ItemIndicator>
  </span>
)
