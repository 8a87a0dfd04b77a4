import { ListFilter } from 'lucide-react'
import { Popover, ToggleGroup } from 'radix-ui'
import { useMemo } from 'react'
import { reviewText as text } from '../../text/editor/review'
import { Button, IconButton } from '../../ui/Button'
import { PopoverPanel } from '../../ui/PopoverPanel'
import { isDoubtful } from '../edits/cuts'
import { kindOf, kindsOf } from '../edits/kinds'
import { useEdits } from '../state/contexts'
import { UNFILTERED, useEditorStore } from '../state/store'
import { KindSwatch } from './KindSwatch'

/** The lengths that a person can choose, in milliseconds. */
const LENGTHS = [250, 500, 1000, 2000] as const
/** The confidence limits that a person can choose, from 0 to 1. */
const LIMITS = [0.9, 0.75, 0.5] as const
/** The value of the choice without a limit. */
const ALL = 'all'

/** Limits the list to short cuts, to cuts that the analysis is not sure of, and to some kinds. */
export function FilterMenu() {
  const { edits, rows } = useEdits()
  const { below, shorterMs, hidden } = useEditorStore((s) => s.review)
  const { filter } = useEditorStore.getState()
  const counts = useMemo(() => LIMITS.map((limit) => rows.filter((row) => isDoubtful(row, limit)).length), [rows])
  const filtered = below !== null || shorterMs !== null || hidden.length > 0
  return (
    <Popover.Root>
      <Popover.Trigger asChild>
        <IconButton label={text.filter} pressed={filtered} className="phone:size-10">
          <ListFilter size={16} aria-hidden />
        </IconButton>
      </Popover.Trigger>
      <PopoverPanel aria-label={text.filter} className="flex w-80 flex-col gap-3 p-4">
        <Limits
          label={text.length}
          value={shorterMs === null ? ALL : String(shorterMs)}
          options={[
            { value: ALL, label: text.any },
            ...LENGTHS.map((ms) => ({ value: String(ms), label: text.shorter(ms) })),
          ]}
          onChange={(value) => filter({ shorterMs: value === ALL ? null : Number(value) })}
        />
        <Limits
          label={text.confidence}
          value={below === null ? ALL : String(below)}
          options={[
            { value: ALL, label: text.any },
            ...LIMITS.map((limit, i) => ({
              value: String(limit),
              label: text.below(limit),
              name: text.belowCount(limit, counts[i]!),
            })),
          ]}
          onChange={(value) => filter({ below: value === ALL ? null : Number(value) })}
        />
        <div>
          <p className="mb-1 text-xs font-medium">{text.shownKinds}</p>
          <div className="flex flex-wrap gap-1.5">
            {kindsOf(edits).map((kind) => (
              <Button
                key={kind}
                size="sm"
                aria-pressed={!hidden.includes(kind)}
                className="aria-[pressed=false]:opacity-50 phone:h-10"
                onClick={() =>
                  filter({ hidden: hidden.includes(kind) ? hidden.filter((k) => k !== kind) : [...hidden, kind] })
                }
              >
                <KindSwatch kind={kind} off={hidden.includes(kind)} /> {kindOf(kind).labelPlural}
              </Button>
            ))}
          </div>
        </div>
        <Button size="sm" className="self-start phone:h-10" disabled={!filtered} onClick={() => filter(UNFILTERED)}>
          {text.showAll}
        </Button>
      </PopoverPanel>
    </Popover.Root>
  )
}

interface LimitsProps {
  label: string
  value: string
  /** `name` replaces the label for screen readers. */
  options: readonly { value: string; label: string; name?: string }[]
  onChange: (value: string) => void
}

function Limits({ label, value, options, onChange }: LimitsProps) {
  return (
    <div>
      <p className="mb-1 text-xs font-medium" aria-hidden>
        {label}
      </p>
      <ToggleGroup.Root
        type="single"
        aria-label={label}
        value={value}
        onValueChange={(to) => to && onChange(to)}
        className="flex min-w-0 gap-0.5 rounded-md border border-line bg-raised p-0.5 text-xs"
      >
        {options.map((o) => (
          <ToggleGroup.Item
            key={o.value}
            value={o.value}
            aria-label={o.name}
            title={o.name}
            className="flex h-7 min-w-0 flex-1 items-center justify-center rounded-sm px-1 whitespace-nowrap text-muted transition-colors hover:text-ink data-[state=on]:bg-hover data-[state=on]:font-semibold data-[state=on]:text-ink data-[state=on]:shadow-[inset_0_0_0_1px_var(--line-strong)] phone:h-10"
          >
            {o.label}
          </ToggleGroup.Item>
        ))}
      </ToggleGroup.Root>
    </div>
  )
}
