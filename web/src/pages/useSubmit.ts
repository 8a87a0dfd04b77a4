import { useState, type SubmitEvent } from 'react'
import { messageOf, Problem } from '../api/client'

interface Submit {
  busy: boolean
  /** The error response of the server, or null. */
  problem: Problem | null
  /** The error message, or null if the fields have messages of their own. */
  message: string | null
  /** Error messages by field name. */
  fields: Record<string, string>
  onSubmit: (event: SubmitEvent<HTMLFormElement>) => void
}

/** Submits a form: `send` receives its values by name. The hook keeps errors for display. */
export function useSubmit(send: (values: Record<string, string>) => Promise<void>): Submit {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const onSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const values = Object.fromEntries(
      [...new FormData(event.currentTarget)].map(([k, v]) => [k, typeof v === 'string' ? v : '']),
    )
    setBusy(true)
    setError(null)
    send(values)
      .catch(setError)
      .finally(() => setBusy(false))
  }
  const problem = error instanceof Problem ? error : null
  const fields = problem?.fields ?? {}
  const named = Object.keys(fields).length > 0
  return { busy, problem, message: error && !named ? messageOf(error) : null, fields, onSubmit }
}
