import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { messageOf } from '../api/client'
import { Button } from './Button'
import { Dialog } from './Dialog'
import { Field } from './Field'

interface LinkDialogProps {
  /** Open while this is a link to begin with, which may be empty. */
  link: string | null
  onOpenChange: (open: boolean) => void
  title: string
  description: string
  /** What the button says. */
  action: string
  placeholder: string
  /** Has the link fetched; what it throws is shown at the field. */
  start: (link: string) => Promise<void>
}

/** Asks for the address of something to fetch. */
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
        label="Link"
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
          {fetching.isPending ? 'Looking at it…' : action}
        </Button>
      </div>
    </form>
  )
}
