import { ToggleGroup } from 'radix-ui'
import { useMemo } from 'react'
import { reviewText as text } from '../../text/editor/review'
import { isDoubtful } from '../edits/cuts'
import { useEdits } from '../state/contexts'
import { useEditorStore } from '../state/store'

/** The confidence limits that a person can choose, from 0 to 1. */
const LIMITS = [0.9, 0.75, 0.5] as const

/** The value of the choice without a limit. */
const ALL = 'all'

/** Whether there are cuts that the analysis is not sure of, or the list is limited to them. */
export function useHasDoubtful(): boolean {
  const { edits } = useEdits()
  const below = useEditorStore((s) => s.review.below)
  return below !== null || edits.some((e) => isDoubtful(e, LIMITS[0]))
}

/** Limits the list to cuts that the analysis is not sure of. */
export function ConfidenceFilter() {
  const { rows } = useEdits()
  const below = useEditorStore((s) => s.review.below)
  const filter = useEditorStore((s) => s.filter)
  const counts = useMemo(() => LIMITS.map((limit) => rows.filter((row) => isDoubtful(row, limit)).length), [rows])
  return (
    <div className="min-w-0 flex-1 text-xs">
      <ToggleGroup.Root
        type="single"
        aria-label={text.reviewLabel}
        value={below === null ? ALL : String(below)}
        onValueChange={(value) => value && filter({ below: value === ALL ? null : Number(value) })}
        className="flex min-w-0 gap-0.5 rounded-md border border-line bg-raised p-0.5"
      >
        <Item value={ALL} label={text.reviewAll} />
        {LIMITS.map((limit, i) => (
          <Item key={limit} value={String(limit)} label={text.below(limit)} name={text.belowCount(limit, counts[i]!)} />
        ))}
      </ToggleGroup.Root>
    </div>
  )
}

interface ItemProps {
  value: string
  label: string
  /** Name for screen readers, instead of the label. */
  name?: string
}

function Item({ value, label, name }: ItemProps) {
  return (
    <ToggleGroup.Item
      value={value}
      aria-label={name}
      title={name}
      className="flex h-5.5 min-w-0 flex-1 items-center justify-center gap-1 rounded-sm px-1 whitespace-nowrap text-muted transition-colors hover:text-ink data-[state=on]:bg-hover data-[state=on]:font-semibold data-[state=on]:text-ink data-[state=on]:shadow-[inset_0_0_0_1px_var(--line-strong)]"
    >
      {label}
    </ToggleGroup.Item>
  )
}
