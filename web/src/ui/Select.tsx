import { ChevronDown } from 'lucide-react'
import { useId, type ComponentProps, type ReactNode } from 'react'
import { inputClass } from './Field'

interface SelectOption {
  value: string
  label: string
  /** The title of the group of the option; grouped options come last. */
  group?: string
}

interface SelectProps extends ComponentProps<'select'> {
  label: string
  /** Hides the label visually, for example in a table whose column header names it. */
  bare?: boolean
  options: readonly SelectOption[]
  hint?: ReactNode
}

/** A labelled drop-down list. */
export function Select({ label, bare, options, hint, className = '', ...rest }: SelectProps) {
  const id = useId()
  const groups = [...new Set(options.flatMap((o) => o.group ?? []))]
  return (
    <div className={className}>
      {!bare && (
        <label htmlFor={id} className="mb-1 block text-sm font-medium">
          {label}
        </label>
      )}
      <div className="relative">
        <select
          id={id}
          aria-label={bare ? label : undefined}
          aria-describedby={hint ? `${id}-hint` : undefined}
          className={`${inputClass} appearance-none pr-8 text-ellipsis ${bare ? 'h-8' : 'h-10'}`}
          {...rest}
        >
          {choices(options.filter((o) => o.group === undefined))}
          {groups.map((group) => (
            <optgroup key={group} label={group}>
              {choices(options.filter((o) => o.group === group))}
            </optgroup>
          ))}
        </select>
        <ChevronDown
          size={14}
          className="pointer-events-none absolute top-1/2 right-2.5 -translate-y-1/2 text-faint"
          aria-hidden
        />
      </div>
      {hint && (
        <p id={`${id}-hint`} className="mt-1 text-xs text-faint">
          {hint}
        </p>
      )}
    </div>
  )
}

const choices = (options: readonly SelectOption[]) =>
  options.map((o) => (
    <option key={o.value} value={o.value}>
      {o.label}
    </option>
  ))
