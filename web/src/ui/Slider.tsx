import { Slider as Radix } from 'radix-ui'

interface KnobProps {
  label: string
  value: number
  disabled?: boolean
  /** The meaning of the value as text. */
  meaning: string
  onChange: (value: number) => void
  onCommit?: (value: number) => void
}

type SliderProps = KnobProps & ({ compact: true } | { compact?: false; low: string; high: string })

/** A slider from 0 to 100 with the meaning of its value as text. `compact` shows only the bar. */
export function Slider(props: SliderProps) {
  if (props.compact) return <Bar {...props} />
  const { label, value, meaning, low, high } = props
  return (
    <div>
      <div className="flex items-baseline justify-between">
        <span className="text-sm font-medium">{label}</span>
        <span className="text-sm font-semibold text-ink">{value}</span>
      </div>
      <Bar {...props} />
      <div className="flex justify-between text-xs text-faint" aria-hidden>
        <span>{low}</span>
        <span>{high}</span>
      </div>
      <p className="mt-1 min-h-4 text-xs text-muted">{meaning}</p>
    </div>
  )
}

function Bar({ label, value, disabled, meaning, onChange, onCommit }: KnobProps) {
  return (
    <Radix.Root
      value={[value]}
      min={0}
      max={100}
      step={1}
      disabled={disabled ?? false}
      onValueChange={([v]) => v !== undefined && onChange(v)}
      onValueCommit={([v]) => v !== undefined && onCommit?.(v)}
      className="relative flex h-6 flex-1 touch-none items-center select-none data-[disabled]:opacity-40"
    >
      <Radix.Track className="relative h-1 grow rounded-full bg-strong">
        <Radix.Range className="absolute h-full rounded-full bg-accent" />
      </Radix.Track>
      <Radix.Thumb
        aria-label={label}
        aria-valuetext={`${value}: ${meaning}`}
        className="block size-3.5 rounded-full bg-accent shadow-[0_0_0_2px_var(--surface)] transition-transform hover:scale-115"
      />
    </Radix.Root>
  )
}
