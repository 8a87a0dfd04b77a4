import { Popover } from 'radix-ui'
import type { ComponentProps } from 'react'
import { returnFocus } from './home'
import { menuClass } from './menu'

/** The panel of a popover, below the end of its button. `aria-label` names it. */
export function PopoverPanel({ className = '', onCloseAutoFocus, ...rest }: ComponentProps<typeof Popover.Content>) {
  const onClose = (event: Event) => {
    returnFocus(event)
    onCloseAutoFocus?.(event)
  }

  return (
    <Popover.Portal>
      <Popover.Content
        align="end"
        sideOffset={6}
        collisionPadding={8}
        className={`${menuClass} ${className}`}
        onCloseAutoFocus={onClose}
        {...rest}
      />
    </Popover.Portal>
  )
}
