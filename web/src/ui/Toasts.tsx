import { useEffect, type CSSProperties, type RefObject } from 'react'
import { Toaster } from 'sonner'
import { uiText } from '../text/ui'
import { useTheme } from './theme'

// The width of the settings navigation behind the toasts.
const WIDTH = { '--width': '304px' } as CSSProperties

/** Toasts in the bottom left corner of the page, or in the corner of the element that useToastsIn names. */
export function Toasts() {
  return (
    // Without this, closing a toast above a dialog would also close the dialog.
    <div onPointerDown={(e) => e.stopPropagation()}>
      <Toaster
        theme={useTheme()}
        position="bottom-left"
        offset={{ left: 'var(--toast-left, 16px)', bottom: 'var(--toast-bottom, 16px)' }}
        mobileOffset={{ left: 'var(--toast-left, 16px)', bottom: 'var(--toast-bottom, 16px)' }}
        closeButton
        style={WIDTH}
        toastOptions={{
          closeButtonAriaLabel: uiText.closeMessage,
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

/** Moves the toasts to the bottom left corner of an element while it is mounted and no dialog is open. */
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
