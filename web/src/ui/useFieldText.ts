import { useEffect, useRef, type RefObject } from 'react'

interface FieldText<Field> {
  field: RefObject<Field | null>
  /** Returns what a person has typed since the field showed a value; null if nothing. */
  typed: () => string | null
  /** Shows the value again. */
  reset: () => void
}

/** Keeps the text of an uncontrolled field equal to a value, except while a person types in the field. */
export function useFieldText<Field extends HTMLInputElement | HTMLTextAreaElement>(value: string): FieldText<Field> {
  const field = useRef<Field>(null)
  const shown = useRef(value)
  const typed = () => (field.current && field.current.value !== shown.current ? field.current.value : null)
  const reset = () => {
    if (field.current) field.current.value = value
    shown.current = value
  }

  useEffect(() => {
    const { current } = field
    if (!current) return
    const typing = current === document.activeElement && current.value !== shown.current
    if (typing && current.value.trim() !== value) return
    if (!typing) current.value = value
    shown.current = value
  }, [value])

  return { field, typed, reset }
}
