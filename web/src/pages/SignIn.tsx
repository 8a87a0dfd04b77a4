import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, Navigate, getRouteApi, useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { login, sendVerification, sessionQuery, signInOptionsQuery } from '../api/session'
import { Button } from '../ui/Button'
import { Field } from '../ui/Field'
import { Notice } from '../ui/Notice'
import { providerProblem, Providers } from './Providers'
import { useSubmit } from './useSubmit'

const route = getRouteApi('/account/sign-in')

/** Only addresses within the app are followed after signing in. */
const inside = (next: string | undefined) => (next?.startsWith('/') && !next.startsWith('//') ? next : '/')

export function SignIn() {
  const { next, notice, error } = route.useSearch()
  const router = useRouter()
  const queryClient = useQueryClient()
  const [email, setEmail] = useState('')
  const options = useQuery(signInOptionsQuery)
  const form = useSubmit(async (values) => {
    await login(values['email'] ?? '', values['password'] ?? '')
    await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 })
    router.history.push(router.basepath.replace(/\/$/, '') + inside(next))
  })
  if (options.data?.first && options.data.providers.length === 0 && !notice)
    return <Navigate to="/sign-up" search={{ invitation: undefined }} replace />
  return (
    <>
      <h1 className="mb-4 text-lg font-semibold tracking-tight">Sign in</h1>
      <form onSubmit={form.onSubmit} className="flex flex-col gap-4">
        {notice && <Notice title="This launch address no longer works">{notice}</Notice>}
        {error && (
          <Notice tone="danger" title="Signing in did not work">
            {providerProblem(error)}
          </Notice>
        )}
        {form.message && (
          <Refusal
            message={form.message}
            unverified={form.problem?.code === 'email_not_verified' ? email : null}
            wait={form.problem?.retryAfter ?? null}
          />
        )}
        <Field
          label="Email"
          name="email"
          type="email"
          autoComplete="username"
          required
          autoFocus
          value={email}
          onChange={(e) => setEmail(e.target.value)}
          error={form.fields['username']}
        />
        <Field
          label="Password"
          name="password"
          type="password"
          autoComplete="current-password"
          required
          error={form.fields['password']}
        />
        <Button variant="primary" size="lg" type="submit" disabled={form.busy}>
          {form.busy ? 'Signing in…' : 'Sign in'}
        </Button>
        <div className="flex justify-between text-sm text-muted">
          <Link to="/forgot-password" className="hover:text-ink hover:underline">
            Forgot your password?
          </Link>
          {options.data?.signup !== 'closed' && (
            <Link to="/sign-up" search={{ invitation: undefined }} className="hover:text-ink hover:underline">
              Create an account
            </Link>
          )}
        </div>
      </form>
      <Providers next={inside(next)} />
      <p className="mt-6 border-t border-line pt-4 text-xs text-faint">
        Running Roughcut for yourself? Open the address that it printed when it started: it signs you in without a
        password.
      </p>
    </>
  )
}

function Refusal({ message, unverified, wait }: { message: string; unverified: string | null; wait: number | null }) {
  const [sent, setSent] = useState<string | null>(null)
  if (unverified === null) {
    return (
      <Notice tone="danger" title={wait ? 'Too many tries' : 'That did not work'}>
        {message}
      </Notice>
    )
  }
  const resend = () => {
    sendVerification(unverified)
      .then((answer) => setSent(answer.message))
      .catch((e: unknown) => setSent(e instanceof Error ? e.message : String(e)))
  }
  return (
    <Notice
      title="Confirm your address first"
      action={
        sent ? null : (
          <Button size="sm" onClick={resend}>
            Send the mail again
          </Button>
        )
      }
    >
      {sent ?? message}
    </Notice>
  )
}
