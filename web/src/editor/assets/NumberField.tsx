import { useId } from 'react'
import { inputClass } from '../../ui/Field'
import { useFieldText } from '../../ui/useFieldText'

interface NumberFieldProps {
  label: string
  unit: string
  value: number
  min: number
  max: number
  /** Value of one unit: 1000 for a value in milliseconds and a unit of seconds. */
  scale?: number
  onChange: (value: number) => void
}

/** A number field that applies its value, limited to its bounds, on blur and on Enter. */
export function NumberField({ label, unit, value, min, max, scale = 1, onChange }: NumberFieldProps) {
  const id = useId()
  const whole = scale === 1 || scale === 1000
  const shown = scale === 1000 ? (value / 1000).toFixed(3).replace(/0$/, '') : String(Math.round(value / scale))
  const { field, typed, reset } = useFieldText<HTMLInputElement>(shown)
  const commitText = () => {
    // The text is rounded. An unchanged field must not round the value.
    const text = typed()?.trim()
    const wanted = Number(text?.replace(',', '.')) * scale
    const next = Math.min(Math.max(whole ? Math.round(wanted) : wanted, min), max)
    reset()
    if (text && Number.isFinite(next) && next !== value) onChange(next)
  }

  const step = (by: number) => {
    const next = Math.min(Math.max(value + by * (scale === 1000 ? 100 : scale), min), max)
    reset()
    if (next !== value) onChange(whole ? Math.round(next) : Number(next.toFixed(4)))
  }

  return (
    <div>
      <label htmlFor={id} className="mb-1 block text-xs text-muted">
        {label}
      </label>
      <div className="relative">
        <input
          id={id}
          ref={field}
          inputMode="decimal"
          autoComplete="off"
          defaultValue={shown}
          onBlur={commitText}
          onKeyDown={(e) => {
            if (e.key === 'Enter') commitText()
            else if (e.key === 'Escape') reset()
            else if (e.key === 'ArrowUp') step(1)
            else if (e.key === 'ArrowDown') step(-1)
            else return
            e.preventDefault()
          }}
          className={`${inputClass} h-8 pr-7`}
        />
        <span className="pointer-events-none absolute top-1.5 right-2.5 text-xs leading-5 text-faint" aria-hidden>
          {unit}
        </span>
      </div>
    </div>
  )
}
