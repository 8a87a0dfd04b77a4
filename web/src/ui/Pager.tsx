import { ChevronLeft, ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { uiText } from '../text/ui'
import { IconButton } from './Button'

interface PagerProps {
  page: number
  /** The page that is shown. */
  list: { page_size: number; total: number }
  /** What the list contains, in the plural, for screen readers. */
  what: string
  onChange: (page: number) => void
}

/** Buttons to page through a long list; renders nothing if the list fits on one page. */
export function Pager({ page, list: { page_size: size, total }, what, onChange }: PagerProps) {
  const last = Math.max(1, Math.ceil(total / size))
  if (last === 1) return null
  return (
    <nav aria-label={uiText.pagesOf(what)} className="mt-3 flex items-center justify-end gap-1 text-xs text-muted">
      <span className="mr-2" aria-live="polite">
        {uiText.itemRange((page - 1) * size + 1, Math.min(page * size, total), total)}
      </span>
      <IconButton label={uiText.previousPage} disabled={page <= 1} onClick={() => onChange(page - 1)}>
        <ChevronLeft size={16} />
      </IconButton>
      <IconButton label={uiText.nextPage} disabled={page >= last} onClick={() => onChange(page + 1)}>
        <ChevronRight size={16} />
      </IconButton>
    </nav>
  )
}

interface PagedProps extends PagerProps {
  /** What an empty list shows. */
  empty: string
  children: ReactNode
}

/** A page of a list, with its pager. */
export function Paged({ empty, children, ...pager }: PagedProps) {
  if (pager.list.total === 0) return <p className="text-sm text-muted">{empty}</p>
  return (
    <>
      {children}
      <Pager {...pager} />
    </>
  )
}
