import { Link } from '@tanstack/react-router'
import { MailCheck } from 'lucide-react'
import { useState } from 'react'
import { signUp } from '../api/session'
import { Button } from '../ui/Button'
import { Field } from '../ui/Field'
import { Notice } from '../ui/Notice'
import { useSubmit } from './useSubmit'

export function SignUp() {
  const [sentTo, setSentTo] = useState<string | null>(null)
  const form = useSubmit(async (v) => {
    const email = v['email'] ?? ''
    await signUp({ name: v['name'] ?? '', username: v['username'] ?? '', email, password: v['password'] ?? '' })
    setSentTo(email)
  })
  if (sentTo) return <CheckYourMail email={sentTo} />
  const taken = form.problem?.code
  return (
    <>
      <h1 className="mb-4 text-lg font-semibold tracking-tight">Create an account</h1>
      <form onSubmit={form.onSubmit} className="flex flex-col gap-4">
        {form.message && taken !== 'email_taken' && taken !== 'username_taken' && (
          <Notice tone="danger" title="No account was made">
            {form.message}
          </Notice>
        )}
        <Field label="Name" name="name" autoComplete="name" required maxLength={100} autoFocus error={form.fields['name']} />
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
        <Field label="Email" name="email" type="email" autoComplete="email" required error={form.fields['email'] ?? (taken === 'email_taken' ? (form.message ?? undefined) : undefined)} />
        <Field label="Password" name="password" type="password" autoComplete="new-password" required minLength={10} maxLength={200} hint="At least 10 characters. A short sentence is easy to keep in mind." error={form.fields['password']} />
        <Button look="primary" size="lg" type="submit" disabled={form.busy}>
          {form.busy ? 'Creating your account…' : 'Create account'}
        </Button>
        <p className="text-center text-sm text-muted">
          Already have one?{' '}
          <Link to="/sign-in" search={{ next: undefined, notice: undefined, error: undefined }} className="text-ink hover:underline">
            Sign in
          </Link>
        </p>
      </form>
    </>
  )
}

/** Where the next step is a link in a mail. */
export function CheckYourMail({ email, what = 'confirms your address' }: { email: string; what?: string }) {
  return (
    <div className="flex flex-col items-center gap-3 py-4 text-center">
      <MailCheck size={32} className="text-accent" aria-hidden />
      <h1 className="text-lg font-semibold tracking-tight">Check your mail</h1>
      <p className="text-sm text-muted">
        We sent a link to <strong className="text-ink">{email}</strong>. Opening it {what}.
      </p>
      <p className="text-xs text-faint">Nothing there after a few minutes? Look in the spam folder. On a server without mail, its admin finds every mail in the outbox folder.</p>
    </div>
  )
}
