import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { messageOf } from '../api/client'
import { uiText } from '../text/ui'
import { Button } from './Button'
import { Dialog } from './Dialog'
import { Field } from './Field'

interface LinkDialogProps {
  /** The initial link, which may be empty; null while the dialog is closed. */
  link: string | null
  onOpenChange: (open: boolean) => void
  title: string
  description: string
  /** The label of the submit button. */
  action: string
  placeholder: string
  /** Starts the import. Errors appear below the field. */
  start: (link: string) => Promise<void>
}

/** Asks for the URL of a file to import. */
export function LinkDialog({ link, onOpenChange, title, description, ...rest }: LinkDialogProps) {
  return (
    <Dialog open={link !== null} onOpenChange={onOpenChange} title={title} description={description}>
      <Form key={link} link={link ?? ''} {...rest} />
    </Dialog>
  )
}

function Form({
  link,
  action,
  placeholder,
  start,
}: { link: string } & Pick<LinkDialogProps, 'action' | 'placeholder' | 'start'>) {
  const [url, setURL] = useState(link)
  const fetching = useMutation({ mutationFn: () => start(url.trim()) })
  return (
    <form
      className="flex flex-col gap-5"
      onSubmit={(e) => {
        e.preventDefault()
        fetching.mutate()
      }}
    >
      <Field
        label={uiText.link}
        type="url"
        inputMode="url"
        value={url}
        onChange={(e) => {
          setURL(e.target.value)
          fetching.reset()
        }}
        placeholder={placeholder}
        maxLength={4096}
        required
        autoFocus
        autoComplete="off"
        spellCheck={false}
        readOnly={fetching.isPending}
        error={fetching.isError ? messageOf(fetching.error) : undefined}
      />
      <div className="flex justify-end">
        <Button type="submit" variant="primary" size="lg" disabled={fetching.isPending}>
          {fetching.isPending ? uiText.checkingLink : action}
        </Button>
      </div>
    </form>
  )
}
