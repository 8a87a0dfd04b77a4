import { Slider as Radix } from 'radix-ui'
import { useEffect, useEffectEvent, useRef, type KeyboardEvent } from 'react'

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

/** How long after the last key a turn of the slider by keyboard ends, in milliseconds. */
const TURN_MS = 500

const SLIDER_KEYS = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'PageUp', 'PageDown', 'Home', 'End']

// useTurns commits a turn by keyboard as one change: when no further key follows, on any other key, and when the focus leaves.
function useTurns(onCommit: ((value: number) => void) | undefined) {
  const turn = useRef<{ value: number; timer: number } | null>(null)
  const byKey = useRef(false)
  const end = useEffectEvent(() => {
    if (!turn.current) return
    window.clearTimeout(turn.current.timer)
    const { value } = turn.current
    turn.current = null
    onCommit?.(value)
  })

  const ending = useRef(() => undefined as void)
  useEffect(() => {
    ending.current = end
    return () => end()
  }, [])

  const commit = (value: number) => {
    if (!byKey.current) return onCommit?.(value)
    if (turn.current) window.clearTimeout(turn.current.timer)
    turn.current = { value, timer: window.setTimeout(() => ending.current(), TURN_MS) }
  }

  const onKeyDown = (event: KeyboardEvent) => {
    byKey.current = SLIDER_KEYS.includes(event.key)
    if (!byKey.current) ending.current()
  }

  const onPointerDown = () => {
    byKey.current = false
    ending.current()
  }

  return { commit, handlers: { onKeyDown, onPointerDown, onBlur: () => ending.current() } }
}

function Bar({ label, value, disabled, meaning, onChange, onCommit }: KnobProps) {
  const { commit, handlers } = useTurns(onCommit)
  return (
    <Radix.Root
      value={[value]}
      min={0}
      max={100}
      step={1}
      disabled={disabled ?? false}
      onValueChange={([v]) => v !== undefined && onChange(v)}
      onValueCommit={([v]) => v !== undefined && commit(v)}
      {...handlers}
      className="relative flex h-6 flex-1 touch-none items-center select-none data-[disabled]:opacity-40"
    >
      <Radix.Track className="relative h-1 grow rounded-full bg-strong forced-color-adjust-none forced-colors:bg-[ButtonText]">
        <Radix.Range className="absolute h-full rounded-full bg-accent forced-colors:bg-[Highlight]" />
      </Radix.Track>
      <Radix.Thumb
        aria-label={label}
        aria-valuetext={`${value}: ${meaning}`}
        className="relative block size-3.5 pointer-coarse:after:absolute pointer-coarse:after:-inset-[13px] rounded-full bg-accent shadow-[0_0_0_2px_var(--surface)] transition-transform forced-color-adjust-none hover:scale-115 forced-colors:bg-[Highlight]"
      />
    </Radix.Root>
  )
}
