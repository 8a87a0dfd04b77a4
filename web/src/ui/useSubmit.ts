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

// withoutField removes the message of a field from an error, and a message that is about no certain field; null if nothing
// is left.
function withoutField(error: unknown, name: string): unknown {
  if (!(error instanceof Problem) || Object.keys(error.fields).length === 0) return null
  const fields = Object.fromEntries(Object.entries(error.fields).filter(([field]) => field !== name))
  return Object.keys(fields).length > 0 ? new Problem(error.status, error.code, error.message, fields) : null
}

/**
 * Submits a form: `send` receives its values by name. The hook keeps errors for display. The message of a field goes when
 * the person changes the field.
 */
export function useSubmit(send: (values: Record<string, string>) => Promise<void>): Submit {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const onSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const values = Object.fromEntries(
      [...new FormData(event.currentTarget)].map(([k, v]) => [k, typeof v === 'string' ? v : '']),
    )

    event.currentTarget.oninput = ({ target }) => {
      if (target instanceof Element) setError((e: unknown) => withoutField(e, target.getAttribute('name') ?? ''))
    }

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
