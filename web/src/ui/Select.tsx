import { ChevronDown } from 'lucide-react'
import { useId, type ComponentProps, type ReactNode } from 'react'
import { inputClass } from './Field'

interface SelectProps extends ComponentProps<'select'> {
  label: string
  /** Hides the label visually, for example in a table whose column header names it. */
  bare?: boolean
  options: readonly { value: string; label: string }[]
  hint?: ReactNode
}

/** A labelled drop-down list. */
export function Select({ label, bare, options, hint, className = '', ...rest }: SelectProps) {
  const id = useId()
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
          className={`${inputClass} appearance-none pr-8 ${bare ? 'h-8' : 'h-10'}`}
          {...rest}
        >
          {options.map((o) => (
            <option key={o.value} value={o.value}>
              {o.label}
            </option>
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
