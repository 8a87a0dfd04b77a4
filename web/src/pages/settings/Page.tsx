import { useEffect, type ReactNode } from 'react'
import { messageOf } from '../../api/client'
import { Button } from '../../ui/Button'
import { Notice } from '../../ui/Notice'

/** A page of the settings: its title, and its parts one below the other. */
export function Page({ title, children }: { title: string; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Roughcut`
    return () => {
      document.title = 'Roughcut'
    }
  }, [title])
  return (
    <div className="flex flex-col gap-6">
      <h1 className="text-lg font-semibold tracking-tight">{title}</h1>
      {children}
    </div>
  )
}

interface Asked<T> {
  data: T | undefined
  error: unknown
  refetch: () => unknown
}

/** What was asked for, in the shape of it until it is there, or why it is not. */
export function Loaded<T>({
  query,
  what,
  height = 'h-24',
  children,
}: {
  query: Asked<T>
  what: string
  height?: string
  children: (data: T) => ReactNode
}) {
  if (query.data !== undefined) return children(query.data)
  if (query.error) {
    return (
      <Notice
        tone="danger"
        title={`${what} could not be read`}
        action={
          <Button size="sm" onClick={() => void query.refetch()}>
            Try again
          </Button>
        }
      >
        {messageOf(query.error)}
      </Notice>
    )
  }
  return <div className={`skeleton ${height}`} role="status" aria-label={`Reading: ${what}`} />
}
