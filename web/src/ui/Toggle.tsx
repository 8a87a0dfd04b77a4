import { Switch } from 'radix-ui'

interface ToggleProps {
  label: string
  checked: boolean
  /** Whether only some of the items are on. */
  mixed?: boolean
  /** Whether Tab reaches it. Lists with their own shortcuts leave this off. */
  focusable?: boolean
  onChange: () => void
  className?: string
}

/** A small switch. */
export function Toggle({ label, checked, mixed, focusable, onChange, className = '' }: ToggleProps) {
  return (
    <Switch.Root
      aria-label={label}
      checked={checked}
      onCheckedChange={onChange}
      tabIndex={focusable ? 0 : -1}
      className={`relative inline-flex h-4 w-7 shrink-0 items-center rounded-full transition-colors after:absolute after:-inset-2 forced-color-adjust-none forced-colors:border forced-colors:border-[ButtonText] forced-colors:bg-[Canvas] ${mixed ? 'bg-accent/50' : 'bg-strong data-[state=checked]:bg-accent forced-colors:data-[state=checked]:bg-[Highlight]'} ${className}`}
    >
      <Switch.Thumb
        className={`block size-3 rounded-full bg-surface transition-transform forced-colors:bg-[ButtonText] forced-colors:data-[state=checked]:bg-[HighlightText] ${mixed ? 'translate-x-2' : 'translate-x-0.5 data-[state=checked]:translate-x-3.5'}`}
      />
    </Switch.Root>
  )
}
