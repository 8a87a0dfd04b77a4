import { useEffect, useId, useRef } from 'react'
import { inputClass } from '../../ui/Field'

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
  const input = useRef<HTMLInputElement>(null)
  const whole = scale === 1 || scale === 1000
  const shown = scale === 1000 ? (value / 1000).toFixed(3).replace(/0$/, '') : String(Math.round(value / scale))
  useEffect(() => {
    if (input.current) input.current.value = shown
  }, [shown])
  const take = (input: HTMLInputElement) => {
    const typed = Number(input.value.replace(',', '.')) * scale
    const next = Math.min(Math.max(whole ? Math.round(typed) : typed, min), max)
    // The text is rounded. An unchanged field must not round the value.
    if (input.value.trim() === '' || !Number.isFinite(next) || input.value === shown || next === value)
      input.value = shown
    else onChange(next)
  }
  const step = (input: HTMLInputElement, by: number) => {
    const next = Math.min(Math.max(value + by * (scale === 1000 ? 100 : scale), min), max)
    if (next !== value) onChange(whole ? Math.round(next) : Number(next.toFixed(4)))
    else input.value = shown
  }
  return (
    <div>
      <label htmlFor={id} className="mb-1 block text-xs text-muted">
        {label}
      </label>
      <div className="relative">
        <input
          id={id}
          ref={input}
          inputMode="decimal"
          autoComplete="off"
          defaultValue={shown}
          onBlur={(e) => take(e.currentTarget)}
          onKeyDown={(e) => {
            if (e.key === 'Enter') take(e.currentTarget)
            else if (e.key === 'Escape') e.currentTarget.value = shown
            else if (e.key === 'ArrowUp') step(e.currentTarget, 1)
            else if (e.key === 'ArrowDown') step(e.currentTarget, -1)
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
