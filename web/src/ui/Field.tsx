import { useId, type ComponentProps, type ReactNode } from 'react'

interface FieldProps extends ComponentProps<'input'> {
  label: string
  hint?: ReactNode
  error?: string | undefined
}

export const inputClass =
  'w-full rounded-md border border-line bg-raised px-3 text-sm text-ink placeholder:text-faint transition-colors hover:border-strong focus:border-accent focus:outline-2 focus:outline-offset-0 focus:outline-accent-soft'

/** A labelled input with a hint or an error message. */
export function Field({ label, hint, error, className = '', ...rest }: FieldProps) {
  const id = useId()
  const note = error ?? hint
  return (
    <div className={className}>
      <label htmlFor={id} className="mb-1 block text-sm font-medium">
        {label}
      </label>
      <input
        id={id}
        dir="auto"
        aria-invalid={error !== undefined}
        data-autofocus={rest.autoFocus || undefined}
        aria-describedby={note ? `${id}-note` : undefined}
        className={`${inputClass} h-10 ${error ? 'border-danger' : ''}`}
        {...rest}
      />
      {note && (
        <p id={`${id}-note`} className={`mt-1 text-xs ${error ? 'text-danger' : 'text-faint'}`}>
          {note}
        </p>
      )}
    </div>
  )
}
