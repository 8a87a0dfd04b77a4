import { useEffect, type ReactNode } from 'react'
import { messageOf } from '../../api/client'
import { commonText } from '../../text/common'
import { settingsText } from '../../text/settings'
import { Button } from '../../ui/Button'
import { Notice } from '../../ui/Notice'

/** A settings page: its title and its sections. */
export function Page({ title, children }: { title: string; children: ReactNode }) {
  useEffect(() => {
    document.title = commonText.documentTitle(title)
    return () => {
      document.title = commonText.appName
    }
  }, [title])

  return (
    <div className="flex flex-col gap-6">
      <h1 className="text-lg font-semibold tracking-tight">{title}</h1>
      {children}
    </div>
  )
}

interface QueryState<T> {
  data: T | undefined
  error: unknown
  refetch: () => unknown
}

/** Shows the data of a query, a placeholder while it loads, or its error. `what` names the data in messages. */
export function Loaded<T>({
  query,
  what,
  height = 'h-24',
  children,
}: {
  query: QueryState<T>
  what: string
  height?: string
  children: (data: T) => ReactNode
}) {
  if (query.data !== undefined) return children(query.data)
  if (query.error) {
    return (
      <Notice
        tone="danger"
        title={settingsText.loadFailed(what)}
        action={
          <Button size="sm" onClick={() => void query.refetch()}>
            {commonText.tryAgain}
          </Button>
        }
      >
        {messageOf(query.error)}
      </Notice>
    )
  }

  return <div className={`skeleton ${height}`} role="status" aria-label={settingsText.loading(what)} />
}
