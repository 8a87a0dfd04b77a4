import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { sendVerification, verifyEmail } from '../api/session'
import { accountText } from '../text/account'
import { commonText } from '../text/common'
import { Button } from '../ui/Button'
import { Field } from '../ui/Field'
import { Notice } from '../ui/Notice'
import { CheckYourMail } from './SignUp'
import { MailedToken } from './MailedToken'
import { useSubmit } from './useSubmit'

const route = getRouteApi('/account/verify-email')

/** The target of the link in the email that verifies the address of a new account. */
export function VerifyEmail() {
  const { token } = route.useSearch()
  return (
    <MailedToken
      token={token}
      send={verifyEmail}
      question={accountText.verifyQuestion}
      action={accountText.verifyAddress}
      done={accountText.addressVerified}
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

  if (sentTo) return <CheckYourMail email={sentTo} purpose="verify" />
  return (
    <form onSubmit={form.onSubmit} className="flex flex-col gap-4">
      <Notice tone="danger" title={accountText.linkInvalid}>
        {message}
      </Notice>
      {form.message && (
        <Notice tone="danger" title={accountText.mailNotSent}>
          {form.message}
        </Notice>
      )}
      <Field
        label={commonText.email}
        name="email"
        type="email"
        autoComplete="email"
        required
        error={form.fields['email']}
      />
      <Button variant="primary" size="lg" type="submit" disabled={form.busy}>
        {accountText.sendNewLink}
      </Button>
      <Link
        to="/sign-in"
        search={{ next: undefined, notice: undefined, error: undefined }}
        className="text-center text-sm text-muted hover:text-ink hover:underline"
      >
        {accountText.signIn}
      </Link>
    </form>
  )
}
