import { ChevronLeft, ChevronRight } from 'lucide-react'
import { IconButton } from './Button'

interface PagerProps {
  page: number
  size: number
  total: number
  /** What there is, for the buttons: "older movements". */
  what: string
  onChange: (page: number) => void
}

/** Leafs through a long list. Nothing where it fits on one page. */
export function Pager({ page, size, total, what, onChange }: PagerProps) {
  const last = Math.max(1, Math.ceil(total / size))
  if (last === 1) return null
  return (
    <nav aria-label={`Pages of ${what}`} className="mt-3 flex items-center justify-end gap-1 text-xs text-muted">
      <span className="mr-2" aria-live="polite">
        {(page - 1) * size + 1}–{Math.min(page * size, total)} of {total.toLocaleString('en')}
      </span>
      <IconButton label="Previous page" disabled={page <= 1} onClick={() => onChange(page - 1)}>
        <ChevronLeft size={16} />
      </IconButton>
      <IconButton label="Next page" disabled={page >= last} onClick={() => onChange(page + 1)}>
        <ChevronRight size={16} />
      </IconButton>
    </nav>
  )
}
