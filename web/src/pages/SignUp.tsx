import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link, useRouter } from '@tanstack/react-router'
import { MailCheck, UserCheck } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { messageOf } from '../api/client'
import { invitationQuery, login, sessionQuery, signInOptionsQuery, signUp } from '../api/session'
import { accountText } from '../text/account'
import { commonText } from '../text/common'
import { Rich } from '../text/Rich'
import { Button } from '../ui/Button'
import { Field } from '../ui/Field'
import { Notice } from '../ui/Notice'
import { Providers } from './Providers'
import { SignInLink } from './SignInLink'
import { useSubmit } from '../ui/useSubmit'

const route = getRouteApi('/account/sign-up')

/** Creates an account, if the server allows sign-up or the link contains a valid invitation. */
export function SignUp() {
  const { invitation } = route.useSearch()
  const options = useQuery(signInOptionsQuery)
  const invited = useQuery(invitationQuery(invitation))
  const mode = options.data?.signup ?? 'open'
  const first = options.data?.first ?? false
  if (options.isPending || (invitation && invited.isPending))
    return <div className="skeleton h-64" role="status" aria-label={commonText.loading} />
  if (first && mode !== 'open' && !invitation)
    return <Notice title={accountText.firstByLink}>{accountText.firstByLinkHelp}</Notice>
  if (mode === 'closed' && !first)
    return <Closed title={accountText.signupClosed}>{accountText.signupClosedHelp}</Closed>
  if (invited.isError) {
    return (
      <Closed title={accountText.invitationInvalid}>
        {messageOf(invited.error)}
        {mode === 'open' && (
          <Link to="/sign-up" search={{ invitation: undefined }} className="mt-2 block text-ink underline">
            {accountText.createWithout}
          </Link>
        )}
      </Closed>
    )
  }

  if (mode === 'invite' && !invitation)
    return <Closed title={accountText.inviteOnly}>{accountText.inviteOnlyHelp}</Closed>
  return <SignUpForm invitation={invitation} email={invited.data?.email ?? null} first={first} />
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
      <Rich
        text={accountText.haveAccount}
        parts={{
          signIn: <SignInLink className="text-ink underline" />,
        }}
      />
    </p>
  )
}

/** The sign-up form. email is the address that the invitation requires, or null. The first account becomes the admin. */
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

    const created = await signUp(invitation ? { ...account, invitation } : account)
    if (!created.email_verified) {
      setSentTo(account.email)
      return
    }

    await login(account.email, account.password)
    await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 })
    await router.navigate({ to: '/' })
  })

  if (sentTo) return <CheckYourMail email={sentTo} purpose="verify" first={first} />
  const taken = form.problem?.code
  return (
    <>
      <div className="mb-4">
        <h1 className="text-lg font-semibold tracking-tight">
          {first ? accountText.firstAccount : invitation ? accountText.invited : accountText.createTitle}
        </h1>
        {first && <p className="mt-1 text-sm text-muted">{accountText.firstAccountHelp}</p>}
      </div>
      <form onSubmit={form.onSubmit} className="flex flex-col gap-4">
        {form.message && taken !== 'email_taken' && taken !== 'username_taken' && (
          <Notice tone="danger" title={accountText.notCreated}>
            {form.message}
          </Notice>
        )}
        <Field
          label={commonText.name}
          name="name"
          autoComplete="name"
          required
          maxLength={100}
          autoFocus
          error={form.fields['name']}
        />
        <Field
          label={accountText.username}
          name="username"
          autoComplete="nickname"
          required
          minLength={3}
          maxLength={40}
          pattern="[A-Za-z0-9_.\-]+"
          title={accountText.usernameHelp}
          error={form.fields['username'] ?? (taken === 'username_taken' ? (form.message ?? undefined) : undefined)}
        />
        <Field
          label={commonText.email}
          name="email"
          type="email"
          autoComplete="email"
          required
          {...(email === null ? {} : { value: email, readOnly: true, hint: accountText.invitedEmail })}
          error={form.fields['email'] ?? (taken === 'email_taken' ? (form.message ?? undefined) : undefined)}
        />
        <Field
          label={commonText.password}
          name="password"
          type="password"
          autoComplete="new-password"
          required
          minLength={10}
          maxLength={200}
          hint={accountText.passphraseHelp}
          error={form.fields['password']}
        />
        <Button variant="primary" size="lg" type="submit" disabled={form.busy}>
          {form.busy ? accountText.creating : accountText.createAccount}
        </Button>
        {!first && <ToSignIn />}
      </form>
      <Providers next="/" invitation={invitation} />
    </>
  )
}

/** Tells the user to open the link in an email, or to ask an admin if the server sends no email. */
export function CheckYourMail({
  email,
  purpose,
  first = false,
}: {
  email: string
  purpose: 'verify' | 'reset'
  first?: boolean
}) {
  const sends = useQuery(signInOptionsQuery).data?.mail ?? true
  const { title, text, help } =
    accountText.nextStep[sends ? purpose : first ? 'verifyFirst' : (`${purpose}WithoutMail` as const)]

  const Icon = sends || first ? MailCheck : UserCheck
  return (
    <div className="flex flex-col items-center gap-3 py-4 text-center">
      <Icon size={32} className="text-accent" aria-hidden />
      <h1 className="text-lg font-semibold tracking-tight">{title}</h1>
      <p className="text-sm text-muted">
        <Rich text={text} parts={{ email: <strong className="text-ink">{email}</strong> }} />
      </p>
      <p className="text-xs text-faint">{help}</p>
    </div>
  )
}
