import { reviewText as text } from '../../text/editor/review'
import { useEditorStore } from '../state/store'

/** The lengths that a person can choose, in milliseconds. */
const LIMITS = [250, 500, 1000, 2000] as const

/** Limits the list to short cuts. */
export function LengthFilter() {
  const review = useEditorStore((s) => s.review)
  const set = useEditorStore((s) => s.set)
  return (
    <select
      aria-label={text.length}
      value={review.shorterMs ?? ''}
      onChange={(e) => set({ review: { ...review, shorterMs: e.target.value === '' ? null : Number(e.target.value) } })}
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
