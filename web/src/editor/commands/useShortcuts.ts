import { useEffect } from 'react'
import { useEditorAccess } from '../state/contexts'
import { COMMANDS, runCommand, type CommandName } from './commands'
import { commandOf, keysOf } from './keymap'
import { useKeymap } from './keymapStore'

/** Elements that need keys for themselves while they are open. */
export const OVERLAYS = '[role=dialog], [role=alertdialog], [role=menu], [role=listbox][data-state=open]'
/** A caption in the list of captions. */
const CAPTION = '[data-caption-line]'
/** Elements that take typed keys. */
export const FIELDS = 'textarea, select, [contenteditable], input:not([type=range], [type=checkbox])'
/** Keys that move a slider. */
const SLIDER_KEYS = /^(Arrow|Page|Home$|End$)/
/** Elements that move through their items with arrow keys. */
const ARROW_WIDGETS = '[role=tab], [role=separator], [role=radiogroup], [role=group] [role=radio]'

// isCaption reports whether a shortcut changes the caption whose field has the focus, and types nothing.
const isCaption = (command: CommandName, event: KeyboardEvent) =>
  COMMANDS[command].group === 'captions' && (event.ctrlKey || event.metaKey || event.altKey)

// isTaken reports whether the focused element or an open dialog needs the key itself.
function isTaken(event: KeyboardEvent, command: CommandName, pressed: Element | null): boolean {
  if (document.querySelector(OVERLAYS)) return true
  const target = event.target instanceof Element ? event.target : null
  if (target?.closest(FIELDS)) return command !== 'find' && !(isCaption(command, event) && target.closest(CAPTION))
  if (SLIDER_KEYS.test(event.key) && target?.closest('[role=slider]')) return true
  if (event.key.startsWith('Arrow') && target?.closest(ARROW_WIDGETS)) return true
  // Space and Enter press a button that has the focus by keyboard. After a click on a button, and at the switches of the cut
  // list, Space plays.
  const button =
    event.key === ' ' || event.key === 'Enter' ? target?.closest('button:not([role=switch]), a, input') : null

  return button != null && !(pressed && button.contains(pressed))
}

/** Runs commands by their shortcuts. */
export function useShortcuts(): void {
  const { store } = useEditorAccess()
  const map = useKeymap((s) => s.map)
  useEffect(() => {
    // The element that the pointer pressed last; null once Tab has moved the focus.
    let pressed: Element | null = null
    const onPointer = (event: PointerEvent) => {
      pressed = event.target instanceof Element ? event.target : null
    }

    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Tab') pressed = null
      const model = store.getState()
      if (event.defaultPrevented || !model) return
      for (const key of keysOf(event)) {
        const command = commandOf(map, key)
        if (!command) continue
        if (isTaken(event, command, pressed)) return
        event.preventDefault()
        return runCommand(command, model, map[command].indexOf(key))
      }
    }

    window.addEventListener('keydown', onKey)
    window.addEventListener('pointerdown', onPointer, { capture: true })
    return () => {
      window.removeEventListener('keydown', onKey)
      window.removeEventListener('pointerdown', onPointer, { capture: true })
    }
  }, [map, store])
}
