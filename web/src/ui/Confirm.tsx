import { AlertDialog } from 'radix-ui'
import { useId, useState, type ReactNode, type SubmitEvent } from 'react'
import { commonText } from '../text/common'
import { Rich } from '../text/Rich'
import { uiText } from '../text/ui'
import { Button } from './Button'
import { inputClass } from './Field'
import { useReturnFocus } from './useReturnFocus'

interface ConfirmProps {
  open: boolean
  onOpenChange: (open: boolean) => void
  title: string
  /** What happens on confirmation. */
  children: ReactNode
  /** The labels of the buttons that confirm and cancel. */
  yes: string
  no?: string
  /** A word to type before confirming, for actions that must not happen by accident. */
  typed?: string
  busy?: boolean
  /** Whether the action can be undone, so that its button does not warn. */
  harmless?: boolean
  onConfirm: () => void
}

/** Asks for confirmation before an action. */
export function Confirm({
  open,
  onOpenChange,
  title,
  children,
  yes,
  no = commonText.cancel,
  typed,
  busy = false,
  harmless = false,
  onConfirm,
}: ConfirmProps) {
  const onCloseAutoFocus = useReturnFocus(open)
  return (
    <AlertDialog.Root open={open} onOpenChange={onOpenChange}>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className="scrim" />
        <AlertDialog.Content
          onCloseAutoFocus={onCloseAutoFocus}
          className="pop fixed top-1/2 left-1/2 z-50 max-h-[calc(100%-48px)] w-[calc(100%-48px)] max-w-md -translate-x-1/2 -translate-y-1/2 overflow-y-auto rounded-xl border border-line bg-surface p-6 shadow-pop"
        >
          <AlertDialog.Title className="text-lg font-semibold tracking-tight">{title}</AlertDialog.Title>
          <AlertDialog.Description asChild>
            <div className="mt-2 text-sm text-muted">{children}</div>
          </AlertDialog.Description>
          <Answer yes={yes} no={no} typed={typed} busy={busy} harmless={harmless} onConfirm={onConfirm} />
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}

function Answer({
  yes,
  no,
  typed,
  busy,
  harmless,
  onConfirm,
}: {
  yes: string
  no: string
  typed: string | undefined
  busy: boolean
  harmless: boolean
  onConfirm: () => void
}) {
  const [text, setText] = useState('')
  const id = useId()
  const ready = typed === undefined || text.trim().toLowerCase() === typed.toLowerCase()
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (ready) onConfirm()
  }

  return (
    <form onSubmit={submit}>
      {typed !== undefined && (
        <div className="mt-4">
          <label htmlFor={id} className="mb-1 block text-sm">
            <Rich text={uiText.typeToConfirm} parts={{ word: <strong className="font-semibold">{typed}</strong> }} />
          </label>
          <input
            id={id}
            value={text}
            autoComplete="off"
            onChange={(e) => setText(e.target.value)}
            className={`${inputClass} h-10`}
          />
        </div>
      )}
      <div className="mt-6 flex justify-end gap-2">
        <AlertDialog.Cancel asChild>
          <Button>{no}</Button>
        </AlertDialog.Cancel>
        <Button variant={harmless ? 'primary' : 'danger'} type="submit" disabled={!ready || busy}>
          {yes}
        </Button>
      </div>
    </form>
  )
}
