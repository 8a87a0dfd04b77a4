import { Switch as Radix } from 'radix-ui'
import { useId, type ReactNode } from 'react'

interface SwitchProps {
  label: string
  hint?: ReactNode
  checked: boolean
  disabled?: boolean
  onChange: (checked: boolean) => void
}

/** An on/off switch with its label to the left. */
export function Switch({ label, hint, checked, disabled = false, onChange }: SwitchProps) {
  const id = useId()
  return (
    <div className="flex items-start gap-4 pointer-coarse:min-h-6">
      <div className="min-w-0 flex-1">
        <label htmlFor={id} className="text-sm font-medium">
          {label}
        </label>
        {hint && (
          <p id={`${id}-hint`} className="text-xs text-muted">
            {hint}
          </p>
        )}
      </div>
      <Radix.Root
        id={id}
        aria-describedby={hint ? `${id}-hint` : undefined}
        checked={checked}
        disabled={disabled}
        onCheckedChange={onChange}
        className="relative h-5 w-9 shrink-0 rounded-full border border-strong bg-raised transition-colors forced-color-adjust-none data-[disabled]:opacity-40 data-[state=checked]:border-accent data-[state=checked]:bg-accent forced-colors:border-[ButtonText] forced-colors:bg-[Canvas] forced-colors:data-[state=checked]:bg-[Highlight]"
      >
        <Radix.Thumb className="block size-3.5 translate-x-0.5 rounded-full bg-faint transition-transform data-[state=checked]:translate-x-[18px] data-[state=checked]:bg-accent-ink forced-colors:bg-[ButtonText] forced-colors:data-[state=checked]:bg-[HighlightText]" />
      </Radix.Root>
    </div>
  )
}
