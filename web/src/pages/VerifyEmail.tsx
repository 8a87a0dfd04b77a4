import { useQuery } from '@tanstack/react-query'
import { Link, getRouteApi } from '@tanstack/react-router'
import { CircleCheck } from 'lucide-react'
import { messageOf } from '../api/client'
import { sendVerification, verifyEmail } from '../api/session'
import { Button } from '../ui/Button'
import { Field } from '../ui/Field'
import { Notice } from '../ui/Notice'
import { useState } from 'react'
import { CheckYourMail } from './SignUp'
import { useSubmit } from './useSubmit'

const route = getRouteApi('/account/verify-email')

export function VerifyEmail() {
  const { token } = route.useSearch()
  // A token works once: the query holds its answer, so that nothing sends it a second time.
  const verified = useQuery({ queryKey: ['verify', token], queryFn: () => verifyEmail(token ?? ''), enabled: token !== undefined, retry: false, staleTime: Infinity, gcTime: Infinity })
  if (token === undefined) return <SendAgain message="The link in the mail is longer than what was opened. Copy all of it, or have a new one sent." />
  if (verified.isPending) return <div className="skeleton h-24" role="status" aria-label="Confirming your address" />
  if (verified.isError) return <SendAgain message={messageOf(verified.error)} />
  return (
    <div className="flex flex-col items-center gap-3 py-4 text-center">
      <CircleCheck size={32} className="text-accent" aria-hidden />
      <h1 className="text-lg font-semibold tracking-tight">Your address is confirmed</h1>
      <Link to="/sign-in" search={{ next: undefined, notice: undefined, error: undefined }} className="mt-2 rounded-md bg-accent px-4 py-2 font-semibold text-accent-ink hover:bg-accent-hover">
        Sign in
      </Link>
    </div>
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
      {form.message && <Notice tone="danger" title="No mail was sent">{form.message}</Notice>}
      <Field label="Email" name="email" type="email" autoComplete="email" required error={form.fields['email']} />
      <Button look="primary" size="lg" type="submit" disabled={form.busy}>
        Send a new link
      </Button>
    </form>
  )
}
