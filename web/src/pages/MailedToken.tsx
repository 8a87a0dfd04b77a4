import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import { messageOf } from '../api/client'
import { accountText as text } from '../text/account'
import { Button } from '../ui/Button'

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
  if (sent.isSuccess)
    return (
      <div className="flex flex-col items-center gap-3 py-4 text-center" role="status">
        <CircleCheck size={32} className="text-accent" aria-hidden />
        <h1 className="text-lg font-semibold tracking-tight">{done}</h1>
        {hint && <p className="text-sm text-muted">{hint}</p>}
        <Link
          to="/sign-in"
          search={{ next: undefined, notice: undefined, error: undefined }}
          className="mt-2 rounded-md bg-accent px-4 py-2 font-semibold text-accent-ink hover:bg-accent-hover"
        >
          {text.signIn}
        </Link>
      </div>
    )

  return (
    <div className="flex flex-col items-center gap-4 py-4 text-center">
      <h1 className="text-lg font-semibold tracking-tight">{question}</h1>
      <Button variant="primary" size="lg" disabled={sent.isPending} onClick={() => sent.mutate(token)}>
        {action}
      </Button>
    </div>
  )
}
