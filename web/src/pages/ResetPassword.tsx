import { Link, getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { resetPassword } from '../api/session'
import { accountText } from '../text/account'
import { commonText } from '../text/common'
import { Button } from '../ui/Button'
import { Field } from '../ui/Field'
import { Notice } from '../ui/Notice'
import { AccountChanged } from './SignInLink'
import { useSubmit } from '../ui/useSubmit'

const route = getRouteApi('/account/reset-password')

export function ResetPassword() {
  const { token } = route.useSearch()
  const [done, setDone] = useState(false)
  const form = useSubmit(async (v) => {
    await resetPassword(token ?? '', v['password'] ?? '')
    setDone(true)
  })

  if (done) return <AccountChanged title={accountText.passwordChanged} hint={accountText.passwordChangedHelp} />
  const unusable = token === undefined || form.problem?.code === 'invalid_token'
  return (
    <form onSubmit={form.onSubmit} className="flex flex-col gap-4">
      <h1 className="text-lg font-semibold tracking-tight">{accountText.chooseTitle}</h1>
      {unusable && (
        <Notice tone="danger" title={accountText.linkInvalid}>
          {form.message ?? accountText.linkIncomplete}{' '}
          <Link to="/forgot-password" className="text-ink underline">
            {accountText.requestNewLink}
          </Link>
        </Notice>
      )}
      {form.message && !unusable && (
        <Notice tone="danger" title={accountText.passwordNotChanged}>
          {form.message}
        </Notice>
      )}
      <Field
        label={accountText.newPassword}
        name="password"
        type="password"
        autoComplete="new-password"
        required
        autoFocus
        minLength={10}
        maxLength={200}
        hint={accountText.passwordHelp}
        error={form.fields['new_password']}
      />
      <Button variant="primary" size="lg" type="submit" disabled={form.busy || token === undefined}>
        {form.busy ? commonText.saving : accountText.savePassword}
      </Button>
    </form>
  )
}
