import { useState, type SubmitEvent } from 'react'
import { messageOf, Problem } from '../api/client'

interface Submit {
  busy: boolean
  /** What went wrong as a whole; null where the fields say it. */
  problem: Problem | null
  message: string | null
  /** What is wrong with each field. */
  fields: Record<string, string>
  onSubmit: (event: SubmitEvent<HTMLFormElement>) => void
}

/** Sends a form: its values by name go to send; a refusal is kept, to be shown beside what caused it. */
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
