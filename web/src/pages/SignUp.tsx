import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link, useRouter } from '@tanstack/react-router'
import { MailCheck } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { messageOf } from '../api/client'
import { invitationQuery, login, sessionQuery, signInOptionsQuery, signUp } from '../api/session'
import { Button } from '../ui/Button'
import { Field } from '../ui/Field'
import { Notice } from '../ui/Notice'
import { Providers } from './Providers'
import { useSubmit } from './useSubmit'

const route = getRouteApi('/account/sign-up')

/** Makes an account, where this server takes new people: everybody, or whoever was invited. */
export function SignUp() {
  const { invitation } = route.useSearch()
  const options = useQuery(signInOptionsQuery)
  const invited = useQuery(invitationQuery(invitation))
  const mode = options.data?.signup ?? 'open'
  if (options.isPending || (invitation && invited.isPending))
    return <div className="skeleton h-64" role="status" aria-label="Loading" />
  if (mode === 'closed')
    return <Closed title="Nobody can make an account here">Ask the operator of this server for one.</Closed>
  if (invited.isError) {
    return (
      <Closed title="This invitation does not work">
        {messageOf(invited.error)}
        {mode === 'open' && (
          <Link to="/sign-up" search={{ invitation: undefined }} className="mt-2 block text-ink underline">
            Create an account without it
          </Link>
        )}
      </Closed>
    )
  }
  if (mode === 'invite' && !invitation)
    return (
      <Closed title="By invitation only">
        Ask the operator of this server for an invitation, and open the link in it.
      </Closed>
    )
  return <SignUpForm invitation={invitation} email={invited.data?.email ?? null} first={options.data?.first ?? false} />
}

function Closed({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="flex flex-col gap-4">
      <Notice title={title}>{children}</Notice>
      <ToSignIn />
    </div>
  )
}

function ToSignIn() {
  return (
    <p className="text-center text-sm text-muted">
      Already have an account?{' '}
      <Link
        to="/sign-in"
        search={{ next: undefined, notice: undefined, error: undefined }}
        className="text-ink underline"
      >
        Sign in
      </Link>
    </p>
  )
}

/** email is the only one that the invitation allows, or null. The first account of a server is its admin's. */
function SignUpForm({
  invitation,
  email,
  first,
}: {
  invitation: string | undefined
  email: string | null
  first: boolean
}) {
  const [sentTo, setSentTo] = useState<string | null>(null)
  const queryClient = useQueryClient()
  const router = useRouter()
  const form = useSubmit(async (v) => {
    const account = {
      name: v['name'] ?? '',
      username: v['username'] ?? '',
      email: v['email'] ?? '',
      password: v['password'] ?? '',
    }
    const made = await signUp(invitation ? { ...account, invitation } : account)
    if (!made.email_verified) {
      setSentTo(account.email)
      return
    }
    await login(account.email, account.password)
    await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 })
    await router.navigate({ to: '/' })
  })
  if (sentTo) return <CheckYourMail email={sentTo} first={first} />
  const taken = form.problem?.code
  return (
    <>
      <div className="mb-4">
        <h1 className="text-lg font-semibold tracking-tight">
          {first ? 'Welcome. Make the first account' : invitation ? 'You are invited' : 'Create an account'}
        </h1>
        {first && (
          <p className="mt-1 text-sm text-muted">
            It looks after this server: who may come in, plans, speech models. Your recordings are your own all the
            same.
          </p>
        )}
      </div>
      <form onSubmit={form.onSubmit} className="flex flex-col gap-4">
        {form.message && taken !== 'email_taken' && taken !== 'username_taken' && (
          <Notice tone="danger" title="No account was made">
            {form.message}
          </Notice>
        )}
        <Field
          label="Name"
          name="name"
          autoComplete="name"
          required
          maxLength={100}
          autoFocus
          error={form.fields['name']}
        />
        <Field
          label="Username"
          name="username"
          autoComplete="nickname"
          required
          minLength={3}
          maxLength={40}
          pattern="[A-Za-z0-9_.\-]+"
          title="Letters, digits, dot, dash and underscore"
          error={form.fields['username'] ?? (taken === 'username_taken' ? (form.message ?? undefined) : undefined)}
        />
        <Field
          label="Email"
          name="email"
          type="email"
          autoComplete="email"
          required
          {...(email === null ? {} : { value: email, readOnly: true, hint: 'The invitation is for this address.' })}
          error={form.fields['email'] ?? (taken === 'email_taken' ? (form.message ?? undefined) : undefined)}
        />
        <Field
          label="Password"
          name="password"
          type="password"
          autoComplete="new-password"
          required
          minLength={10}
          maxLength={200}
          hint="At least 10 characters. A short sentence is easy to keep in mind."
          error={form.fields['password']}
        />
        <Button variant="primary" size="lg" type="submit" disabled={form.busy}>
          {form.busy ? 'Creating your account…' : 'Create account'}
        </Button>
        {!first && <ToSignIn />}
      </form>
      <Providers next="/" invitation={invitation} />
    </>
  )
}

/** Where the next step is a link in a mail. */
export function CheckYourMail({
  email,
  what = 'confirms your address',
  first = false,
}: {
  email: string
  what?: string
  first?: boolean
}) {
  return (
    <div className="flex flex-col items-center gap-3 py-4 text-center">
      <MailCheck size={32} className="text-accent" aria-hidden />
      <h1 className="text-lg font-semibold tracking-tight">Check your mail</h1>
      <p className="text-sm text-muted">
        We sent a link to <strong className="text-ink">{email}</strong>. Opening it {what}.
      </p>
      <p className="text-xs text-faint">
        {first
          ? 'Has this server no mail yet (SMTP_URL)? Then the mail lies in the folder outbox of its data directory: open the link in the .eml file.'
          : 'Nothing there after a few minutes? Look in the spam folder. On a server without mail, its admin finds every mail in the settings, under Mail.'}
      </p>
    </div>
  )
}
