import { useId, type ComponentProps, type ReactNode } from 'react'
import { inputClass } from './Field'

interface TextAreaProps extends ComponentProps<'textarea'> {
  label: string
  hint?: ReactNode
  error?: string | undefined
}

/** A labelled multi-line input with a hint or an error message. */
export function TextArea({ label, hint, error, className = '', ...rest }: TextAreaProps) {
  const id = useId()
  const note = error ?? hint
  return (
    <div className={className}>
      <label htmlFor={id} className="mb-1 block text-sm font-medium">
        {label}
      </label>
      <textarea
        id={id}
        aria-invalid={error !== undefined}
        aria-describedby={note ? `${id}-note` : undefined}
        className={`${inputClass} block min-h-20 py-2 ${error ? 'border-danger' : ''}`}
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
