import { Tooltip } from 'radix-ui'
import type { ReactNode } from 'react'

/** A tooltip on hover and focus, with the keyboard shortcut. */
export function Tip({ text, keys, children }: { text: ReactNode; keys?: string | undefined; children: ReactNode }) {
  return (
    <Tooltip.Root>
      <Tooltip.Trigger asChild>{children}</Tooltip.Trigger>
      <Tooltip.Portal>
        <Tooltip.Content
          sideOffset={6}
          collisionPadding={8}
          className="pop z-50 flex max-w-72 items-center gap-2 rounded-md border border-line bg-raised px-2 py-1 text-xs text-ink shadow-pop"
        >
          {text}
          {keys && <Kbd>{keys}</Kbd>}
        </Tooltip.Content>
      </Tooltip.Portal>
    </Tooltip.Root>
  )
}

export function Kbd({ children }: { children: ReactNode }) {
  return (
    <kbd className="inline-flex h-5 min-w-5 items-center justify-center rounded-sm border border-strong bg-surface px-1 font-sans text-xs text-muted">
      {children}
    </kbd>
  )
}
