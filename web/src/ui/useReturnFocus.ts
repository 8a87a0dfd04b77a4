import { useState } from 'react'
import { focusHome, isFocusLost } from './home'

/**
 * Returns the handler of onCloseAutoFocus of a dialog that other elements open. It returns the focus to the element that had
 * it before. After a choice in a menu, that is the button of the menu. If the element is gone, the content of the page gets
 * the focus.
 */
export function useReturnFocus(open: boolean): (event: Event) => void {
  const [seen, setSeen] = useState<{ open: boolean; before: HTMLElement | null }>({ open: false, before: null })
  if (open !== seen.open) setSeen({ open, before: open ? opener() : seen.before })
  return (event) => {
    event.preventDefault()
    // What closed the dialog may have put the focus into a field.
    if (isFocusLost()) seen.before?.focus()
    focusHome()
  }
}

function opener(): HTMLElement | null {
  const focused = document.activeElement
  const menu = focused?.closest('[role=menu]')
  const button = menu ? document.getElementById(menu.getAttribute('aria-labelledby') ?? '') : focused
  return button instanceof HTMLElement && button !== document.body ? button : null
}
