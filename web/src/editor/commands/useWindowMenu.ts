import { useEffect } from 'react'
import { inWindow } from '../../api/desktop'
import { onWindowCommand, tellWindow } from '../../api/windowState'
import { useEditorAccess } from '../state/contexts'
import { COMMAND_NAMES, COMMANDS, runCommand, type CommandName } from './commands'
import { useKeymap } from './keymapStore'
import { FIELDS, OVERLAYS } from './useShortcuts'

/** Shows the commands of the editor in the menu of the desktop window, and runs those that the person chooses there. */
export function useWindowMenu(): void {
  const { store } = useEditorAccess()
  const map = useKeymap((s) => s.map)
  useEffect(() => {
    if (!inWindow()) return
    const show = () => {
      const model = store.getState()
      const enabled = (name: CommandName) => model !== null && COMMANDS[name].enabled(model)
      tellWindow({
        commands: COMMAND_NAMES.map((name) => ({ name, keys: map[name][0] ?? '', enabled: enabled(name) })),
      })
    }

    show()
    const stopShowing = store.subscribe(show)
    const stopListening = onWindowCommand((name) => {
      const model = store.getState()
      if (!model || !isCommand(name) || document.querySelector(OVERLAYS)) return
      // In a text field, these commands are about its text.
      const typing = (name === 'undo' || name === 'redo') && document.activeElement?.matches(FIELDS)
      if (typing) document.execCommand(name)
      else runCommand(name, model)
    })

    return () => {
      stopShowing()
      stopListening()
      tellWindow({ commands: [] })
    }
  }, [map, store])
}

const isCommand = (name: string): name is CommandName => name in COMMANDS
