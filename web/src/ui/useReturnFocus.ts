import { useState } from 'react'

/**
 * Returns the handler of onCloseAutoFocus of a dialog that other elements open. It returns the focus to the element that had
 * it before. After a choice in a menu, that is the button of the menu.
 */
export function useReturnFocus(open: boolean): (event: Event) => void {
  const [seen, setSeen] = useState<{ open: boolean; before: HTMLElement | null }>({ open: false, before: null })
  if (open !== seen.open) setSeen({ open, before: open ? opener() : seen.before })
  return (event) => {
    event.preventDefault()
    // What closed the dialog may have put the focus into a field.
    if (document.activeElement === document.body) seen.before?.focus()
  }
}

function opener(): HTMLElement | null {
  const focused = document.activeElement
  const menu = focused?.closest('[role=menu]')
  const button = menu ? document.getElementById(menu.getAttribute('aria-labelledby') ?? '') : focused
  return button instanceof HTMLElement && button !== document.body ? button : null
}
