import { Search, X } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { uiText } from '../text/ui'
import { inputClass } from './Field'

interface SearchBoxProps {
  /** What the box searches; also the placeholder. */
  label: string
  value: string
  onChange: (value: string) => void
  onKeyDown?: (event: React.KeyboardEvent<HTMLInputElement>) => void
}

/** A search field. The / key focuses it, and Escape clears it. */
export function SearchBox({ label, value, onChange, onKeyDown }: SearchBoxProps) {
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    const enter = (event: KeyboardEvent) => {
      const elsewhere =
        event.target instanceof Element &&
        event.target.closest('input, textarea, select, [contenteditable], [role=dialog], [role=alertdialog]')

      if (event.key !== '/' || elsewhere) return
      event.preventDefault()
      input.current?.focus()
    }

    window.addEventListener('keydown', enter)
    return () => window.removeEventListener('keydown', enter)
  }, [])

  const keyDown = (event: React.KeyboardEvent<HTMLInputElement>) => {
    if (event.key === 'Escape') onChange('')
    else onKeyDown?.(event)
  }

  return (
    <div className="relative w-full max-w-md" role="search">
      <Search size={16} className="pointer-events-none absolute inset-y-0 left-2.5 my-auto text-faint" aria-hidden />
      <input
        ref={input}
        aria-label={label}
        placeholder={label}
        value={value}
        onChange={(e) => onChange(e.target.value)}
        onKeyDown={keyDown}
        className={`${inputClass} h-8 pr-8 pl-8`}
      />
      {value && (
        <button
          type="button"
          aria-label={uiText.clearSearch}
          onClick={() => onChange('')}
          className="absolute inset-y-0 right-1 my-auto inline-flex size-6 items-center justify-center rounded-sm text-muted hover:bg-hover hover:text-ink"
        >
          <X size={14} />
        </button>
      )}
    </div>
  )
}
