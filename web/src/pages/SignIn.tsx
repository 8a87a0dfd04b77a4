import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, Navigate, getRouteApi, useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { login, sendVerification, sessionQuery, signInOptionsQuery } from '../api/session'
import { accountText } from '../text/account'
import { commonText } from '../text/common'
import { Button } from '../ui/Button'
import { Field } from '../ui/Field'
import { Notice } from '../ui/Notice'
import { providerProblem, Providers } from './Providers'
import { useSubmit } from '../ui/useSubmit'

const route = getRouteApi('/account/sign-in')

/** Returns the path to open after signing in. Paths outside of the app are ignored. */
const localPath = (next: string | undefined) => (next?.startsWith('/') && !next.startsWith('//') ? next : '/')

export function SignIn() {
  const { next, notice, error } = route.useSearch()
  const router = useRouter()
  const queryClient = useQueryClient()
  const [email, setEmail] = useState('')
  const [typing, setTyping] = useState(false)
  const options = useQuery(signInOptionsQuery)
  const form = useSubmit(async (values) => {
    await login(values['email'] ?? '', values['password'] ?? '')
    await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 })
    router.history.push(router.basepath.replace(/\/$/, '') + localPath(next))
  })

  const first = options.data?.first && (options.data.providers.length === 0 || options.data.signup !== 'open')
  if (first && !notice) return <Navigate to="/sign-up" search={{ invitation: undefined }} replace />
  const singleUser = options.data?.single_user === true
  if (singleUser && !typing && !error) {
    return (
      <SingleUser
        notice={notice}
        {...(options.data?.passwords || options.data?.providers.length ? { onPassword: () => setTyping(true) } : {})}
      />
    )
  }

  return (
    <>
      <h1 className="mb-4 text-lg font-semibold tracking-tight">{accountText.signIn}</h1>
      <form onSubmit={form.onSubmit} className="flex flex-col gap-4">
        {notice && <Notice title={accountText.launchLinkInvalid}>{notice}</Notice>}
        {error && (
          <Notice tone="danger" title={accountText.signInFailed}>
            {providerProblem(error)}
          </Notice>
        )}
        {form.message && (
          <Refusal
            message={form.message}
            unverified={form.problem?.code === 'email_not_verified' ? email : null}
            mail={options.data?.mail ?? true}
            wait={form.problem?.retryAfter ?? null}
          />
        )}
        <Field
          label={commonText.email}
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
          label={commonText.password}
          name="password"
          type="password"
          autoComplete="current-password"
          required
          error={form.fields['password']}
        />
        <Button variant="primary" size="lg" type="submit" disabled={form.busy}>
          {form.busy ? accountText.signingIn : accountText.signIn}
        </Button>
        <div className="flex justify-between text-sm text-muted">
          <Link to="/forgot-password" className="hover:text-ink hover:underline">
            {accountText.forgotPassword}
          </Link>
          {options.data?.signup !== 'closed' && (
            <Link to="/sign-up" search={{ invitation: undefined }} className="hover:text-ink hover:underline">
              {accountText.createAccount}
            </Link>
          )}
        </div>
      </form>
      <Providers next={localPath(next)} />
      <p className="mt-6 border-t border-line pt-4 text-xs text-faint">{accountText.ownServer}</p>
    </>
  )
}

// SingleUser tells how to open single-user mode, which needs no password.
function SingleUser({ notice, onPassword }: { notice: string | undefined; onPassword?: () => void }) {
  return (
    <>
      <h1 className="mb-4 text-lg font-semibold tracking-tight">{accountText.singleUser}</h1>
      {notice && <Notice title={accountText.launchLinkInvalid}>{notice}</Notice>}
      <p className="mt-4 text-sm text-muted">{accountText.singleUserHelp}</p>
      <pre className="my-3 rounded-md border border-line bg-raised px-3 py-2 text-sm select-all">
        {accountText.openCommand}
      </pre>
      <p className="text-sm text-muted">{accountText.singleUserLink}</p>
      {onPassword && (
        <Button variant="quiet" className="mt-4 -ml-3" onClick={onPassword}>
          {accountText.withPassword}
        </Button>
      )}
    </>
  )
}

interface RefusalProps {
  message: string
  /** The address of an account that is not verified. */
  unverified: string | null
  /** Whether the server can mail the link again. */
  mail: boolean
  wait: number | null
}

function Refusal({ message, unverified, mail, wait }: RefusalProps) {
  const [sent, setSent] = useState<string | null>(null)
  if (unverified === null) {
    return (
      <Notice tone="danger" title={wait ? accountText.tooManyAttempts : accountText.signInFailed}>
        {message}
      </Notice>
    )
  }

  if (!mail) return <Notice title={accountText.notYet}>{message}</Notice>
  const resend = () => {
    sendVerification(unverified)
      .then((response) => setSent(response.message))
      .catch((e: unknown) => setSent(e instanceof Error ? e.message : String(e)))
  }

  return (
    <Notice
      title={accountText.verifyFirst}
      action={
        sent ? null : (
          <Button size="sm" onClick={resend}>
            {accountText.resendMail}
          </Button>
        )
      }
    >
      {sent ?? message}
    </Notice>
  )
}
