import { useEffect } from 'react'
import { focusHome, isFocusLost } from './home'

/** Moves the focus to the timeline or the content of the page when the element that has it is removed. */
export function useFocusGuard(): void {
  useEffect(() => {
    let focused: Element | null = document.activeElement
    let timer = 0
    const onFocus = (event: FocusEvent) => {
      focused = event.target instanceof Element ? event.target : null
    }

    const observer = new MutationObserver(() => {
      if (focused === null || focused.isConnected || !isFocusLost()) return
      focused = null
      // A closing menu or dialog returns the focus itself, in the next task.
      window.clearTimeout(timer)
      timer = window.setTimeout(() => requestAnimationFrame(focusHome))
    })

    document.addEventListener('focusin', onFocus)
    observer.observe(document.body, { childList: true, subtree: true })
    return () => {
      document.removeEventListener('focusin', onFocus)
      observer.disconnect()
      window.clearTimeout(timer)
    }
  }, [])
}
