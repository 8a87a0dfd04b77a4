interface MeterProps {
  label: string
  used: number
  /** The limit; null if only the disk space is a limit. */
  total: number | null
  /** The amounts as text, such as "1.2 GB of 25 GB". */
  words: string
  hint?: string | undefined
}

/** A bar that shows how much of a limit is used. */
export function Meter({ label, used, total, words, hint }: MeterProps) {
  const part = total ? Math.min(100, (100 * used) / total) : 0
  return (
    <div>
      <div className="flex items-baseline justify-between gap-4 text-sm">
        <span className="font-medium">{label}</span>
        <span className="text-muted">{words}</span>
      </div>
      {total !== null && (
        <div
          role="meter"
          aria-label={label}
          aria-valuemin={0}
          aria-valuemax={total}
          aria-valuenow={Math.min(used, total)}
          aria-valuetext={words}
          className="mt-1.5 h-1.5 overflow-hidden rounded-full bg-hover"
        >
          <div
            className={`h-full rounded-full ${part > 90 ? 'bg-danger' : 'bg-accent'}`}
            style={{ width: `${part}%` }}
          />
        </div>
      )}
      {hint && <p className="mt-1 text-xs text-faint">{hint}</p>}
    </div>
  )
}
