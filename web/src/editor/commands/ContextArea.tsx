import { Check, ChevronRight, type LucideIcon } from 'lucide-react'
import { ContextMenu } from 'radix-ui'
import type { KeyboardEvent, MouseEvent, PointerEvent, ReactNode } from 'react'
import { returnFocus } from '../../ui/home'
import { menuClass, menuItemClass } from '../../ui/menu'
import { Kbd } from '../../ui/Tip'
import type { CommandName } from './commands'
import { useCommand } from './useCommand'

/** Where a context menu opens. */
export interface MenuPlace {
  target: Element
  clientX: number
  clientY: number
  /** Whether a finger opens it. */
  touch: boolean
}

interface ContextAreaProps {
  /** The name of the menu for screen readers. */
  label: string
  /** Selects what the menu is about, from the element and the position of the pointer. Returns false without a menu. */
  choose: (at: MenuPlace) => boolean
  /** The element where Shift+F10 and the menu key open the menu; by default, the focused one. */
  keyTarget?: () => Element | null | undefined
  items: ReactNode
  children: ReactNode
}

/** A context menu around a list or a lane. A right click, a long press, Shift+F10 and the menu key open it. */
export function ContextArea({ label, choose, keyTarget, items, children }: ContextAreaProps) {
  const onContextMenu = (event: MouseEvent<HTMLElement>) => {
    const { target, clientX, clientY, nativeEvent } = event
    const touch = nativeEvent instanceof window.PointerEvent && nativeEvent.pointerType === 'touch'
    if (!(target instanceof Element) || !choose({ target, clientX, clientY, touch })) event.preventDefault()
  }

  // A finger opens the menu with the browser's own long press, which names the item under it.
  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    if (event.pointerType === 'touch') event.preventDefault()
  }

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.key !== 'ContextMenu' && !(event.key === 'F10' && event.shiftKey)) return
    const focused = event.target instanceof Element ? event.target : null
    const target = keyTarget?.() ?? focused
    if (!target || focused?.closest('input, textarea')) return
    event.preventDefault()
    const box = target.getBoundingClientRect()
    const [clientX, clientY] = [box.left + Math.min(box.width / 2, 24), box.top + Math.min(box.height, 24)]
    target.dispatchEvent(new window.MouseEvent('contextmenu', { bubbles: true, cancelable: true, clientX, clientY }))
  }

  return (
    <ContextMenu.Root modal={false}>
      <ContextMenu.Trigger asChild>
        <div className="contents" onContextMenu={onContextMenu} onPointerDown={onPointerDown} onKeyDown={onKeyDown}>
          {children}
        </div>
      </ContextMenu.Trigger>
      <ContextMenu.Portal>
        <ContextMenu.Content className={menuClass} aria-label={label} onCloseAutoFocus={returnFocus}>
          {items}
        </ContextMenu.Content>
      </ContextMenu.Portal>
    </ContextMenu.Root>
  )
}

interface MenuItemProps {
  label: string
  icon: LucideIcon
  keys?: string | undefined
  disabled?: boolean
  onSelect: () => void
}

/** An item of a context menu. */
export function MenuItem({ label, icon: Icon, keys, disabled = false, onSelect }: MenuItemProps) {
  return (
    <ContextMenu.Item disabled={disabled} onSelect={onSelect} className={`${menuItemClass} min-w-56`}>
      <Icon size={14} className="text-muted" aria-hidden />
      <span className="flex-1">{label}</span>
      {keys && <Kbd>{keys}</Kbd>}
    </ContextMenu.Item>
  )
}

interface CommandItemProps {
  name: CommandName
  /** Replaces the label of the command. */
  label?: string
  /** Replaces the icon of the command. */
  icon?: LucideIcon
  /** Whether the command does not apply to what the menu is about. */
  disabled?: boolean
}

/** An item that runs a command and shows its shortcut. */
export function CommandItem({ name, label, icon, disabled = false }: CommandItemProps) {
  const { keys, enabled, run, ...command } = useCommand(name)
  return (
    <MenuItem
      label={label ?? command.label}
      icon={icon ?? command.icon}
      keys={keys}
      disabled={!enabled || disabled}
      onSelect={run}
    />
  )
}

interface MenuChoiceProps<T extends string> {
  label: string
  value: T
  options: readonly { value: T; label: string }[]
  onChange: (value: T) => void
}

/** A group of items with one choice. */
export function MenuChoice<T extends string>({ label, value, options, onChange }: MenuChoiceProps<T>) {
  return (
    <ContextMenu.RadioGroup
      aria-label={label}
      value={value}
      onValueChange={(to) => onChange(options.find((o) => o.value === to)!.value)}
    >
      <ContextMenu.Label className="px-2 pt-1 text-xs text-faint">{label}</ContextMenu.Label>
      {options.map((o) => (
        <ContextMenu.RadioItem key={o.value} value={o.value} className={`${menuItemClass} min-w-44`}>
          <span className="w-3.5">
            <ContextMenu.ItemIndicator>
              <Check size={14} className="text-accent" aria-hidden />
            </ContextMenu.ItemIndicator>
          </span>
          {o.label}
        </ContextMenu.RadioItem>
      ))}
    </ContextMenu.RadioGroup>
  )
}

interface SubMenuProps {
  label: string
  icon: LucideIcon
  children: ReactNode
}

/** An item that opens a menu next to it. */
export function SubMenu({ label, icon: Icon, children }: SubMenuProps) {
  return (
    <ContextMenu.Sub>
      <ContextMenu.SubTrigger className={`${menuItemClass} min-w-56 data-[state=open]:bg-hover`}>
        <Icon size={14} className="text-muted" aria-hidden />
        <span className="flex-1">{label}</span>
        <ChevronRight size={14} className="text-muted" aria-hidden />
      </ContextMenu.SubTrigger>
      <ContextMenu.Portal>
        <ContextMenu.SubContent className={menuClass} collisionPadding={8}>
          {children}
        </ContextMenu.SubContent>
      </ContextMenu.Portal>
    </ContextMenu.Sub>
  )
}

/** A line between groups of items. */
export const MenuLine = () => <ContextMenu.Separator className="my-1 h-px bg-line" />
