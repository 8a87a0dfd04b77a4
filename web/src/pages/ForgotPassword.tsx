import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { requestPasswordReset } from '../api/session'
import { accountText } from '../text/account'
import { commonText } from '../text/common'
import { Button } from '../ui/Button'
import { Field } from '../ui/Field'
import { Notice } from '../ui/Notice'
import { CheckYourMail } from './SignUp'
import { useSubmit } from './useSubmit'

export function ForgotPassword() {
  const [sentTo, setSentTo] = useState<string | null>(null)
  const form = useSubmit(async (v) => {
    await requestPasswordReset(v['email'] ?? '')
    setSentTo(v['email'] ?? '')
  })

  if (sentTo) return <CheckYourMail email={sentTo} purpose="reset" />
  return (
    <form onSubmit={form.onSubmit} className="flex flex-col gap-4">
      <div>
        <h1 className="text-lg font-semibold tracking-tight">{accountText.resetTitle}</h1>
        <p className="mt-1 text-sm text-muted">{accountText.resetHelp}</p>
      </div>
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
        autoFocus
        error={form.fields['email']}
      />
      <Button variant="primary" size="lg" type="submit" disabled={form.busy}>
        {form.busy ? accountText.sending : accountText.sendLink}
      </Button>
      <Link
        to="/sign-in"
        search={{ next: undefined, notice: undefined, error: undefined }}
        className="text-center text-sm text-muted hover:text-ink hover:underline"
      >
        {accountText.backToSignIn}
      </Link>
    </form>
  )
}
