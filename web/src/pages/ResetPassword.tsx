import { Link, getRouteApi } from '@tanstack/react-router'
import { CircleCheck } from 'lucide-react'
import { useState } from 'react'
import { resetPassword } from '../api/session'
import { accountText } from '../text/account'
import { commonText } from '../text/common'
import { Button } from '../ui/Button'
import { Field } from '../ui/Field'
import { Notice } from '../ui/Notice'
import { useSubmit } from './useSubmit'

const route = getRouteApi('/account/reset-password')

export function ResetPassword() {
  const { token } = route.useSearch()
  const [done, setDone] = useState(false)
  const form = useSubmit(async (v) => {
    await resetPassword(token ?? '', v['password'] ?? '')
    setDone(true)
  })

  if (done) {
    return (
      <div className="flex flex-col items-center gap-3 py-4 text-center">
        <CircleCheck size={32} className="text-accent" aria-hidden />
        <h1 className="text-lg font-semibold tracking-tight">{accountText.passwordChanged}</h1>
        <p className="text-sm text-muted">{accountText.passwordChangedHelp}</p>
        <Link
          to="/sign-in"
          search={{ next: undefined, notice: undefined, error: undefined }}
          className="mt-2 rounded-md bg-accent px-4 py-2 font-semibold text-accent-ink hover:bg-accent-hover"
        >
          {accountText.signIn}
        </Link>
      </div>
    )
  }

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
