import { CircleAlert, CircleCheck, X } from 'lucide-react'
import { useEffect, useRef, useState, type RefObject } from 'react'
import { dismiss, useToasts, type Toast } from './toast'

/** How long one stays, in milliseconds; while one is pointed at or has the focus, or nobody sees the page, they all stay. */
const SHOWN_MS = { plain: 5000, success: 5000, danger: 9000 }

/** What there is to tell in passing, where nothing lies that has to be read or clicked. */
export function Toasts() {
  const list = useToasts((s) => s.list)
  const [pointed, setPointed] = useState(false)
  const [focused, setFocused] = useState(false)
  const hidden = useHidden()
  const before = useRef<Element | null>(null)
  // One that is closed takes the pointer along without a word.
  if (list.length === 0 && (pointed || focused)) {
    setPointed(false)
    setFocused(false)
  }
  const close = (id: number) => {
    if (focused && before.current instanceof HTMLElement) before.current.focus()
    dismiss(id)
  }
  return (
    <div
      role="status"
      aria-live="polite" // also read beside an open dialog, which hides what is not live
      aria-label="Messages"
      className="pointer-events-none fixed z-[60] flex w-80 max-w-[calc(100%-32px)] flex-col gap-2"
      style={{ left: 'var(--toast-left, 16px)', bottom: 'var(--toast-bottom, 16px)' }}
      onPointerEnter={() => setPointed(true)}
      onPointerLeave={() => setPointed(false)}
      onFocus={(e) => {
        if (!focused) before.current = e.relatedTarget
        setFocused(true)
      }}
      onBlur={() => setFocused(false)}
      // A dialog is not left by closing what lies above it.
      onPointerDown={(e) => e.stopPropagation()}
    >
      {list.map((t) => (
        <Row key={t.id} toast={t} waits={pointed || focused || hidden} onClose={() => close(t.id)} />
      ))}
    </div>
  )
}

const ICONS = { plain: null, success: <CircleCheck size={16} className="mt-0.5 shrink-0 text-accent" aria-hidden />, danger: <CircleAlert size={16} className="mt-0.5 shrink-0 text-danger" aria-hidden /> }

function Row({ toast, waits, onClose }: { toast: Toast; waits: boolean; onClose: () => void }) {
  useEffect(() => {
    if (waits) return
    const timer = window.setTimeout(() => dismiss(toast.id), SHOWN_MS[toast.tone])
    return () => window.clearTimeout(timer)
  }, [toast, waits])
  return (
    <div className="pop pointer-events-auto flex items-start gap-2 rounded-lg border border-line bg-raised py-2 pr-1 pl-3 text-sm shadow-pop" data-state="open" data-toast>
      {ICONS[toast.tone]}
      <div className="min-w-0 flex-1 py-0.5 wrap-anywhere">
        <p className="font-medium">{toast.title}</p>
        {toast.description && <p className="text-muted">{toast.description}</p>}
      </div>
      <button type="button" aria-label="Close this message" onClick={onClose} className="inline-flex size-6 shrink-0 items-center justify-center rounded-md text-muted transition-colors hover:bg-hover hover:text-ink">
        <X size={14} aria-hidden />
      </button>
    </div>
  )
}

function useHidden(): boolean {
  const [hidden, setHidden] = useState(document.hidden)
  useEffect(() => {
    const look = () => setHidden(document.hidden)
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [])
  return hidden
}

/** Has the messages shown in a corner of an element while it is there, in place of that of the page. */
export function useToastsIn(place: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = place.current
    if (!element) return
    const style = document.documentElement.style
    const move = () => {
      const { left, bottom, width } = element.getBoundingClientRect()
      if (width === 0) return
      style.setProperty('--toast-left', `${left + 12}px`)
      style.setProperty('--toast-bottom', `${window.innerHeight - bottom + 12}px`)
    }
    const observer = new ResizeObserver(move)
    observer.observe(element)
    window.addEventListener('resize', move)
    return () => {
      observer.disconnect()
      window.removeEventListener('resize', move)
      style.removeProperty('--toast-left')
      style.removeProperty('--toast-bottom')
    }
  }, [place])
}
