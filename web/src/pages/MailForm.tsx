import { useState, type ReactNode } from 'react'
import { accountText as text } from '../text/account'
import { commonText } from '../text/common'
import { Button } from '../ui/Button'
import { Field } from '../ui/Field'
import { Notice } from '../ui/Notice'
import { SignInLink } from './SignInLink'
import { CheckYourMail } from './SignUp'
import { useSubmit } from '../ui/useSubmit'

interface MailFormProps {
  /** Has the server send a mail with a link to an address. */
  send: (email: string) => Promise<unknown>
  purpose: 'verify' | 'reset'
  /** What the button does, and where the link below it leads. */
  action: string
  back: string
  autoFocus?: boolean
  /** What stands above the form. */
  children: ReactNode
}

/** A form that asks for a mail with a link. */
export function MailForm({ send, purpose, action, back, autoFocus = false, children }: MailFormProps) {
  const [sentTo, setSentTo] = useState<string | null>(null)
  const form = useSubmit(async (v) => {
    await send(v['email'] ?? '')
    setSentTo(v['email'] ?? '')
  })

  if (sentTo) return <CheckYourMail email={sentTo} purpose={purpose} />
  return (
    <form onSubmit={form.onSubmit} className="flex flex-col gap-4">
      {children}
      {form.message && (
        <Notice tone="danger" title={text.mailNotSent}>
          {form.message}
        </Notice>
      )}
      <Field
        label={commonText.email}
        name="email"
        type="email"
        autoComplete="email"
        required
        autoFocus={autoFocus}
        error={form.fields['email']}
      />
      <Button variant="primary" size="lg" type="submit" disabled={form.busy}>
        {form.busy ? text.sending : action}
      </Button>
      <SignInLink className="text-center text-sm text-muted hover:text-ink hover:underline">{back}</SignInLink>
    </form>
  )
}
