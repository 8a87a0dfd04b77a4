import { X } from 'lucide-react'
import { useEffect, useRef, type ReactNode } from 'react'
import { IconButton } from './Button'
import { inputClass } from './Field'

interface SearchBarProps {
  /** The id of the input. */
  id: string
  label: string
  closeLabel: string
  value: string
  onChange: (text: string) => void
  onClose: () => void
  /** Receives Enter: 1, and with Shift -1. */
  onStep?: (direction: 1 | -1) => void
  /** Counts the matches; not shown while the input is empty. */
  status: string
  /** Buttons before the close button. */
  children?: ReactNode
}

/** A search field over a list or a text, with the number of matches. It takes the focus and closes with Escape. */
export function SearchBar({
  id,
  label,
  closeLabel,
  value,
  onChange,
  onClose,
  onStep,
  status,
  children,
}: SearchBarProps) {
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => input.current?.focus(), [])
  return (
    <div className="flex items-center gap-1">
      <input
        id={id}
        ref={input}
        aria-label={label}
        placeholder={label}
        value={value}
        maxLength={200}
        onChange={(e) => onChange(e.target.value)}
        onKeyDown={(e) => {
          if (e.key === 'Enter' && onStep) onStep(e.shiftKey ? -1 : 1)
          else if (e.key === 'Escape') onClose()
          else return
          e.preventDefault()
        }}
        className={`${inputClass} h-8 min-w-0 flex-1`}
      />
      <span className="min-w-16 shrink-0 text-center text-xs text-muted" role="status">
        {value.trim() === '' ? '' : status}
      </span>
      {children}
      <IconButton label={closeLabel} keys="Esc" onClick={onClose} className="size-7">
        <X size={16} />
      </IconButton>
    </div>
  )
}
