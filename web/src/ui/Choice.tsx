import { ToggleGroup } from 'radix-ui'
import type { ReactNode } from 'react'

interface ChoiceProps<T extends string> {
  label: string
  value: T
  options: readonly { value: T; label: ReactNode; hint?: string }[]
  onChange: (value: T) => void
}

/** A segmented control: a choice of a few visible options. */
export function Choice<T extends string>({ label, value, options, onChange }: ChoiceProps<T>) {
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1 text-sm font-medium">{label}</legend>
      <ToggleGroup.Root
        type="single"
        aria-label={label}
        value={value}
        onValueChange={(v) => v && onChange(v as T)}
        className="flex flex-wrap gap-1 rounded-lg border border-line bg-raised p-1"
      >
        {options.map((o) => (
          <ToggleGroup.Item
            key={o.value}
            value={o.value}
            title={o.hint}
            className="flex min-h-8 flex-1 items-center justify-center gap-2 rounded-md px-3 text-sm whitespace-nowrap phone:gap-1 phone:px-1.5 text-muted transition-colors hover:text-ink data-[state=on]:bg-hover data-[state=on]:font-semibold data-[state=on]:text-ink data-[state=on]:shadow-[inset_0_0_0_1px_var(--line-strong)]"
          >
            {o.label}
          </ToggleGroup.Item>
        ))}
      </ToggleGroup.Root>
    </fieldset>
  )
}
