import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { messageOf } from '../api/client'
import { signInOptionsQuery, startOAuth } from '../api/session'
import { accountText } from '../text/account'
import { Button } from '../ui/Button'
import { Notice } from '../ui/Notice'

interface ProvidersProps {
  /** The page of the app to open after signing in. */
  next: string
  invitation?: string | undefined
}

/** Buttons to sign in or sign up through the providers of this server, if it has any. */
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
        {accountText.or}
        <span className="h-px flex-1 bg-line" />
      </div>
      {problem && (
        <Notice tone="danger" title={accountText.signInFailed}>
          {problem}
        </Notice>
      )}
      {providers.map(({ name }) => (
        <Button key={name} size="lg" disabled={leaving !== null} onClick={() => go(name)}>
          <span className="truncate">
            {leaving === name ? accountText.opening(name) : accountText.continueWith(name)}
          </span>
        </Button>
      ))}
    </div>
  )
}

/** The message for an error code that a provider's sign-in returned. */
export const providerProblem = (code: string) => accountText.providerErrors[code] ?? accountText.providerError
