import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { sendVerification, verifyEmail } from '../api/session'
import { Button } from '../ui/Button'
import { Field } from '../ui/Field'
import { Notice } from '../ui/Notice'
import { CheckYourMail } from './SignUp'
import { MailedToken } from './MailedToken'
import { useSubmit } from './useSubmit'

const route = getRouteApi('/account/verify-email')

/** Where the link in the mail to a new account leads. */
export function VerifyEmail() {
  const { token } = route.useSearch()
  return (
    <MailedToken
      name="verify-email"
      token={token}
      send={verifyEmail}
      done="Your address is confirmed"
      refused={(message) => <SendAgain message={message} />}
    />
  )
}

function SendAgain({ message }: { message: string }) {
  const [sentTo, setSentTo] = useState<string | null>(null)
  const form = useSubmit(async (v) => {
    await sendVerification(v['email'] ?? '')
    setSentTo(v['email'] ?? '')
  })
  if (sentTo) return <CheckYourMail email={sentTo} />
  return (
    <form onSubmit={form.onSubmit} className="flex flex-col gap-4">
      <Notice tone="danger" title="This link does not work">
        {message}
      </Notice>
      {form.message && (
        <Notice tone="danger" title="No mail was sent">
          {form.message}
        </Notice>
      )}
      <Field label="Email" name="email" type="email" autoComplete="email" required error={form.fields['email']} />
      <Button variant="primary" size="lg" type="submit" disabled={form.busy}>
        Send a new link
      </Button>
    </form>
  )
}
