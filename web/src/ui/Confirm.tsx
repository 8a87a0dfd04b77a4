import { AlertDialog } from 'radix-ui'
import { useId, useState, type ReactNode, type SubmitEvent } from 'react'
import { Button } from './Button'
import { inputClass } from './Field'

interface ConfirmProps {
  open: boolean
  onOpenChange: (open: boolean) => void
  title: string
  /** What it means. */
  children: ReactNode
  /** The button that does it, and the one that does not. */
  yes: string
  no?: string
  /** What has to be typed first, where it is not to be done by accident. */
  typed?: string
  busy?: boolean
  onConfirm: () => void
}

/** Asks before something is done that cannot be undone. */
export function Confirm({
  open,
  onOpenChange,
  title,
  children,
  yes,
  no = 'Keep it',
  typed,
  busy = false,
  onConfirm,
}: ConfirmProps) {
  return (
    <AlertDialog.Root open={open} onOpenChange={onOpenChange}>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className="fixed inset-0 z-40 bg-scrim" />
        <AlertDialog.Content className="pop fixed top-1/2 left-1/2 z-50 max-h-[calc(100%-48px)] w-[calc(100%-48px)] max-w-md -translate-x-1/2 -translate-y-1/2 overflow-y-auto rounded-xl border border-line bg-surface p-6 shadow-pop">
          <AlertDialog.Title className="text-lg font-semibold tracking-tight">{title}</AlertDialog.Title>
          <AlertDialog.Description asChild>
            <div className="mt-2 text-sm text-muted">{children}</div>
          </AlertDialog.Description>
          <Answer yes={yes} no={no} typed={typed} busy={busy} onConfirm={onConfirm} />
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
  onConfirm,
}: {
  yes: string
  no: string
  typed: string | undefined
  busy: boolean
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
            Type <strong className="font-semibold">{typed}</strong> to go on
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
        <Button variant="danger" type="submit" disabled={!ready || busy}>
          {yes}
        </Button>
      </div>
    </form>
  )
}
