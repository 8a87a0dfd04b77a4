/** Where the focus goes when the element that had it is gone: the timeline of the editor, or else the content of the page. */
const HOMES = ['[data-focus-home]', 'main']

/** Whether no element has the focus. */
export const isFocusLost = () => document.activeElement === null || document.activeElement === document.body

/** Puts the focus on the timeline or the content of the page if no element has it. */
export function focusHome(): void {
  if (!isFocusLost()) return
  const home = HOMES.map((selector) => document.querySelector<HTMLElement>(selector)).find(Boolean)
  if (!home) return
  if (!home.hasAttribute('tabindex')) home.tabIndex = -1
  home.focus({ preventScroll: true })
}

/** What takes the focus for an element that is gone: dialogs for those in them, and what focusHome focuses. */
const HOLDERS = ['[role=dialog]', '[role=alertdialog]', ...HOMES].join()

/**
 * The handler of onCloseAutoFocus of menus and panels. Radix returns the focus to the button in a timer; by then, the person may
 * have opened something else, which must not lose the focus again.
 */
export function returnFocus(event: Event): void {
  if (!isFocusLost() && !document.activeElement?.matches(HOLDERS)) event.preventDefault()
}
