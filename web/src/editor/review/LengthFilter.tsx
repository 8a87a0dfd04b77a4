import { reviewText as text } from '../../text/editor/review'
import { useEditorStore } from '../state/store'

/** The lengths that a person can choose, in milliseconds. */
const LIMITS = [250, 500, 1000, 2000] as const

/** Limits the list to short cuts. */
export function LengthFilter() {
  const shorterMs = useEditorStore((s) => s.review.shorterMs)
  const filter = useEditorStore((s) => s.filter)
  return (
    <select
      aria-label={text.length}
      value={shorterMs ?? ''}
      onChange={(e) => filter({ shorterMs: e.target.value === '' ? null : Number(e.target.value) })}
      className="h-6.5 shrink-0 rounded-md border border-line bg-raised px-1 text-xs text-muted hover:text-ink"
    >
      <option value="">{text.anyLength}</option>
      {LIMITS.map((ms) => (
        <option key={ms} value={ms}>
          {text.shorter(ms)}
        </option>
      ))}
    </select>
  )
}
