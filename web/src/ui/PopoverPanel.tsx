import { Popover } from 'radix-ui'
import type { ComponentProps } from 'react'
import { menuClass } from './menu'

/** The panel of a popover, below the end of its button. `aria-label` names it. */
export function PopoverPanel({ className = '', ...rest }: ComponentProps<typeof Popover.Content>) {
  return (
    <Popover.Portal>
      <Popover.Content
        align="end"
        sideOffset={6}
        collisionPadding={8}
        className={`${menuClass} ${className}`}
        {...rest}
      />
    </Popover.Portal>
  )
}
