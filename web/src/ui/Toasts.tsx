import { useEffect, type CSSProperties, type RefObject } from 'react'
import { Toaster } from 'sonner'
import { useTheme } from './theme'

// As wide as the column of the settings is that lies behind it.
const WIDTH = { '--width': '304px' } as CSSProperties

/** What there is to tell in passing, where nothing lies that has to be read or clicked: a corner of the page, or where useToastsIn says. */
export function Toasts() {
  return (
    // A dialog is not left by closing what lies above it.
    <div onPointerDown={(e) => e.stopPropagation()}>
      <Toaster
        theme={useTheme()}
        position="bottom-left"
        offset={{ left: 'var(--toast-left, 16px)', bottom: 'var(--toast-bottom, 16px)' }}
        mobileOffset={{ left: 'var(--toast-left, 16px)', bottom: 'var(--toast-bottom, 16px)' }}
        closeButton
        style={WIDTH}
        toastOptions={{
          closeButtonAriaLabel: 'Close this message',
          className:
            '!pointer-events-auto !font-sans !text-sm !bg-raised !text-ink !border-line !rounded-lg !shadow-pop',
          classNames: {
            description: '!text-muted',
            closeButton: '!bg-raised !text-muted !border-line hover:!text-ink',
          },
        }}
      />
    </div>
  )
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
