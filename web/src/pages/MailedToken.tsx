import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { messageOf } from '../api/client'
import { accountText as text } from '../text/account'
import { Button } from '../ui/Button'
import { AccountChanged } from './SignInLink'

interface MailedTokenProps {
  token: string | undefined
  send: (token: string) => Promise<unknown>
  /** What the button does, and what the page says before and after. */
  action: string
  question: string
  done: string
  hint?: string
  refused: (message: string) => ReactNode
}

/** Sends the token of an emailed link to the server when the person asks for it, because mail scanners open links, too. */
export function MailedToken({ token, send, action, question, done, hint, refused }: MailedTokenProps) {
  const sent = useMutation({ mutationFn: send })
  if (token === undefined) return refused(text.linkIncomplete)
  if (sent.isError) return refused(messageOf(sent.error))
  if (sent.isSuccess) return <AccountChanged title={done} hint={hint} />
  return (
    <div className="flex flex-col items-center gap-4 py-4 text-center">
      <h1 className="text-lg font-semibold tracking-tight">{question}</h1>
      <Button variant="primary" size="lg" disabled={sent.isPending} onClick={() => sent.mutate(token)}>
        {action}
      </Button>
    </div>
  )
}
