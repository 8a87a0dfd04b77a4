import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import { messageOf } from '../api/client'
import { queryKeys } from '../api/keys'

/** What a page shows that was opened by a link with a token: it sends the token once and tells how it went. */
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
  // A token works once: the query holds its answer, so that nothing sends it a second time.
  const answer = useQuery({
    queryKey: queryKeys.mailedToken(name, token),
    queryFn: () => send(token ?? ''),
    enabled: token !== undefined,
    retry: false,
    staleTime: Infinity,
    gcTime: Infinity,
  })
  if (token === undefined)
    return refused('The link in the mail is longer than what was opened. Copy all of it, or have a new one sent.')
  if (answer.isPending) return <div className="skeleton h-24" role="status" aria-label="Confirming your address" />
  if (answer.isError) return refused(messageOf(answer.error))
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
        Sign in
      </Link>
    </div>
  )
}
