import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import { messageOf } from '../api/client'
import { accountText } from '../text/account'

/** Sends the token of an emailed link to the server once and shows the result. */
export function MailedToken({
  name,
  token,
  send,
  done,
  hint,
  refused,
}: {
  name: 'confirm-email' | 'verify-email'
  token: string | undefined
  send: (token: string) => Promise<unknown>
  done: string
  hint?: string
  refused: (message: string) => ReactNode
}) {
  // A token works only once. The query caches the response forever so that the page never sends the token again.
  const verification = useQuery({
    queryKey: [name, token],
    queryFn: () => send(token ?? ''),
    enabled: token !== undefined,
    retry: false,
    staleTime: Infinity,
    gcTime: Infinity,
  })

  if (token === undefined) return refused(accountText.linkIncomplete)
  if (verification.isPending) return <div className="skeleton h-24" role="status" aria-label={accountText.verifying} />
  if (verification.isError) return refused(messageOf(verification.error))
  return (
    <div className="flex flex-col items-center gap-3 py-4 text-center">
      <CircleCheck size={32} className="text-accent" aria-hidden />
      <h1 className="text-lg font-semibold tracking-tight">{done}</h1>
      {hint && <p className="text-sm text-muted">{hint}</p>}
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
