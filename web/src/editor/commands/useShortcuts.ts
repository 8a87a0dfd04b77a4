import { useEffect } from 'react'
import { useEditorAccess } from '../state/contexts'
import { runCommand, type CommandName } from './commands'
import { commandOf, keysOf } from './keymap'
import { useKeymap } from './keymapStore'

/** Elements that need keys for themselves while they are open. */
const OVERLAYS = '[role=dialog], [role=alertdialog], [role=menu], [role=listbox][data-state=open]'
/** Elements that take typed keys. */
const FIELDS = 'textarea, select, [contenteditable], [role=slider], input:not([type=range], [type=checkbox])'
/** Elements that move through their items with arrow keys. */
const ARROW_WIDGETS = '[role=tab], [role=separator], [role=radiogroup], [role=group] [role=radio]'

// isTaken reports whether the focused element or an open dialog needs the key itself.
function isTaken(event: KeyboardEvent, command: CommandName): boolean {
  if (document.querySelector(OVERLAYS)) return true
  const target = event.target instanceof Element ? event.target : null
  if (target?.closest(FIELDS)) return command !== 'find'
  if (event.key.startsWith('Arrow') && target?.closest(ARROW_WIDGETS)) return true
  // Space and Enter press a focused button. The switches of the cut list are exempt: there, Space plays.
  return (event.key === ' ' || event.key === 'Enter') && target?.closest('button:not([role=switch]), a, input') != null
}

/** Runs commands by their shortcuts. */
export function useShortcuts(): void {
  const { store } = useEditorAccess()
  const map = useKeymap((s) => s.map)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const model = store.getState()
      if (event.defaultPrevented || !model) return
      for (const key of keysOf(event)) {
        const command = commandOf(map, key)
        if (!command) continue
        if (isTaken(event, command)) return
        event.preventDefault()
        return runCommand(command, model, map[command].indexOf(key))
      }
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [map, store])
}
