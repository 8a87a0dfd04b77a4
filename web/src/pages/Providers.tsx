import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { messageOf } from '../api/client'
import { signInOptionsQuery, startOAuth } from '../api/session'
import { Button } from '../ui/Button'
import { Notice } from '../ui/Notice'

interface ProvidersProps {
  /** Page of the app to go on with. */
  next: string
  invitation?: string | undefined
}

/** Buttons that sign in, or up, at the providers of this server. Nothing where there are none. */
export function Providers({ next, invitation }: ProvidersProps) {
  const options = useQuery(signInOptionsQuery)
  const [leaving, setLeaving] = useState<string | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const providers = options.data?.providers ?? []
  if (providers.length === 0) return null
  const go = (name: string) => {
    setLeaving(name)
    setProblem(null)
    startOAuth(name, next, invitation)
      .then((url) => window.location.assign(url))
      .catch((error: unknown) => {
        setProblem(messageOf(error))
        setLeaving(null)
      })
  }
  return (
    <div className="mt-6 flex flex-col gap-3">
      <div className="flex items-center gap-3 text-xs text-faint" aria-hidden>
        <span className="h-px flex-1 bg-line" />
        or
        <span className="h-px flex-1 bg-line" />
      </div>
      {problem && (
        <Notice tone="danger" title="That did not work">
          {problem}
        </Notice>
      )}
      {providers.map(({ name }) => (
        <Button key={name} size="lg" disabled={leaving !== null} onClick={() => go(name)}>
          <span className="truncate">{leaving === name ? `Going to ${name}…` : `Continue with ${name}`}</span>
        </Button>
      ))}
    </div>
  )
}

const PROBLEMS: Record<string, string> = {
  oauth_denied: 'You, or the other service, said no. Nothing has changed here.',
  oauth_expired: 'It took too long, or it began in another window. Start again from here.',
  oauth_failed:
    'The other service did not answer as it should. Try again in a moment; if it stays, tell the operator of this server.',
  oauth_email_unverified:
    'The other service does not say that your email address is verified. Verify it there, then try again.',
  email_taken:
    'The account with your email address belongs to another person at the other service. Sign in with its password instead.',
  signup_closed:
    'You have no account here yet, and this server does not take new people without an invitation. Ask its operator for one.',
  invitation_invalid:
    'The invitation was used before, was revoked, has expired, or is for another email address. Ask for a new one.',
  username_taken: 'No username could be found for you that is free. Ask the operator of this server for an account.',
  not_found: 'This server no longer offers that service.',
  storage_full: 'The disk of this server is full. Ask its operator to make room.',
}

/** The sentence for a code with which a provider's sign-in came back. */
export const providerProblem = (code: string) =>
  PROBLEMS[code] ?? 'Something went wrong on the server. Try again; if it stays, tell its operator.'
