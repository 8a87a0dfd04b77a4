import { X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { commonText } from '../text/common'
import { useReturnFocus } from './useReturnFocus'

interface DialogProps {
  open: boolean
  onOpenChange: (open: boolean) => void
  title: string
  description?: ReactNode
  wide?: boolean
  /** Wider still, for a form next to its preview. */
  broad?: boolean
  children: ReactNode
}

// focusField puts the focus into the field that asks for it. A menu that opened the dialog keeps the focus while it closes, so
// the field cannot take it on its own.
function focusField(event: Event): void {
  const field = event.target instanceof Element ? event.target.querySelector<HTMLElement>('[data-autofocus]') : null

  if (!field) return
  event.preventDefault()
  field.focus()
  if (field instanceof HTMLInputElement) field.select()
}

export function Dialog({ open, onOpenChange, title, description, wide, broad, children }: DialogProps) {
  const onCloseAutoFocus = useReturnFocus(open)
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className="scrim" />
        <Radix.Content
          {...(description ? {} : { 'aria-describedby': undefined })}
          onOpenAutoFocus={focusField}
          onCloseAutoFocus={onCloseAutoFocus}
          className={`pop fixed top-1/2 left-1/2 z-50 max-h-[calc(100%-48px)] w-[calc(100%-48px)] -translate-x-1/2 -translate-y-1/2 overflow-y-auto rounded-xl border border-line bg-surface p-6 shadow-pop outline-none ${broad ? 'max-w-4xl' : wide ? 'max-w-3xl' : 'max-w-lg'}`}
        >
          <Radix.Title className="pr-8 text-lg font-semibold tracking-tight">{title}</Radix.Title>
          {description && <Radix.Description className="mt-1 text-sm text-muted">{description}</Radix.Description>}
          <Radix.Close
            aria-label={commonText.close}
            className="absolute top-5 right-5 inline-flex size-8 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-ink"
          >
            <X size={16} />
          </Radix.Close>
          <div className="mt-6">{children}</div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
