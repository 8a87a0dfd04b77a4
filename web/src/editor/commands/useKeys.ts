import { useEffect } from 'react'
import { commandOf, keyOf, keyLabel, type Command } from './keymap'
import { useKeymap } from '../state/store'
import type { Commands } from './useCommands'

// Keys belong to the editor unless the person writes, turns a slider, or a dialog is open.
function isTaken(event: KeyboardEvent, command: Command): boolean {
  const target = event.target instanceof Element ? event.target : null
  if (document.querySelector('[role=dialog], [role=alertdialog], [role=menu], [role=listbox][data-state=open]'))
    return true
  const writes = target?.closest(
    'textarea, select, [contenteditable], [role=slider], input:not([type=range], [type=checkbox])',
  )
  if (writes) return command !== 'find'
  // Arrows move between tabs and along separators, and Space and Enter work a focused button, unless it is one of the list's switches.
  if (
    event.key.startsWith('Arrow') &&
    target?.closest('[role=tab], [role=separator], [role=radiogroup], [role=group] [role=radio]')
  )
    return true
  return (event.key === ' ' || event.key === 'Enter') && target?.closest('button:not([role=switch]), a, input') != null
}

/** Carries out what keys say. */
export function useKeys(commands: Commands): void {
  const map = useKeymap((s) => s.map)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented) return
      const key = keyOf(event)
      const command = key && commandOf(map, key)
      if (!command || isTaken(event, command)) return
      event.preventDefault()
      commands.run[command]()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [map, commands])
}

/** The first key of a command, as a hint beside what does the same; undefined where it has none. */
export function useKey(command: Command): string | undefined {
  return useKeymap((s) => (s.map[command][0] ? keyLabel(s.map[command][0]) : undefined))
}
