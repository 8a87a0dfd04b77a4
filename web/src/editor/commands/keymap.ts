// Shortcuts: the default ones of each command, and those that the person assigned instead.

import { COMMAND_NAMES, COMMANDS, type CommandName } from './commands'

/** The shortcuts of each command. */
export type Keymap = Record<CommandName, readonly string[]>

export const DEFAULT_KEYS = Object.fromEntries(COMMAND_NAMES.map((name) => [name, COMMANDS[name].keys])) as Keymap

/** Reads a stored keymap; a command that it does not contain, or that cannot be read, keeps its default shortcuts. */
export function keymapOf(stored: string | null): Keymap {
  let changes: unknown = null
  try {
    changes = JSON.parse(stored ?? 'null')
  } catch {
    // Not written by Roughcut.
  }

  if (typeof changes !== 'object' || changes === null) return DEFAULT_KEYS
  const entries = Object.entries(changes).filter(
    ([name, keys]) => name in DEFAULT_KEYS && Array.isArray(keys) && keys.every((k) => typeof k === 'string'),
  )

  return { ...DEFAULT_KEYS, ...(Object.fromEntries(entries) as Partial<Keymap>) }
}

/** The part of a keymap to store, as JSON: commands whose shortcuts differ from the default; null if none do. */
export function changesOf(map: Keymap): string | null {
  const changes = Object.entries(map).filter(
    ([name, keys]) => keys.join(' ') !== DEFAULT_KEYS[name as CommandName].join(' '),
  )

  return changes.length > 0 ? JSON.stringify(Object.fromEntries(changes)) : null
}

/** The command that has a shortcut, other than `except`. */
export function commandOf(map: Keymap, key: string, except?: CommandName): CommandName | undefined {
  return COMMAND_NAMES.find((name) => name !== except && map[name].includes(key))
}

/** Assigns a shortcut to a command and takes it from any other. */
export function assignKey(map: Keymap, command: CommandName, key: string): Keymap {
  const rest = Object.fromEntries(
    Object.entries(map).map(([name, keys]) => [name, keys.filter((k) => k !== key)]),
  ) as unknown as Keymap

  return { ...rest, [command]: [...rest[command], key] }
}

export const removeKey = (map: Keymap, command: CommandName, key: string): Keymap => ({
  ...map,
  [command]: map[command].filter((k) => k !== key),
})

interface KeyPress {
  key: string
  code: string
  ctrlKey: boolean
  metaKey: boolean
  altKey: boolean
  shiftKey: boolean
}

/**
 * The name of a pressed key with its modifiers: "Ctrl+Shift+Z", "Space", "?"; null for a modifier alone. Cmd counts as
 * Ctrl.
 */
export function keyOf(event: KeyPress): string | null {
  if (
    ['Control', 'Shift', 'Alt', 'Meta', 'AltGraph', 'CapsLock', 'Dead', 'Unidentified', 'Process'].includes(event.key)
  )
    return null
  // On a non-Latin keyboard layout, the position of the key gives the Latin letter.
  const letter = /^Key[A-Z]$/.test(event.code) && !/^[\x20-\x7e]$/.test(event.key) ? event.code.slice(3) : event.key
  const name = letter === ' ' ? 'Space' : letter.length === 1 ? letter.toUpperCase() : letter
  const shift = event.shiftKey && (name.length > 1 || /[A-Z]/.test(name))
  return [event.ctrlKey || event.metaKey ? 'Ctrl' : '', event.altKey ? 'Alt' : '', shift ? 'Shift' : '', name]
    .filter(Boolean)
    .join('+')
}

/**
 * The names of a pressed key, the most specific first. Shift and a digit have a second name such as "Shift+1", because the
 * symbol that they type depends on the keyboard layout.
 */
export function keysOf(event: KeyPress): string[] {
  const key = keyOf(event)
  const digit = /^Digit([1-9])$/.exec(event.code)?.[1]
  const shifted = digit && event.shiftKey && !event.ctrlKey && !event.metaKey && !event.altKey && key !== digit
  return [...(key ? [key] : []), ...(shifted ? [`Shift+${digit}`] : [])]
}

const SYMBOLS: Record<string, string> = {
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
  Escape: 'Esc',
  Delete: 'Del',
  '-': '−',
}

/** A shortcut for reading: "Ctrl Shift Z", "←". */
export const keyLabel = (key: string): string => {
  const plus = key.length > 1 ? key.lastIndexOf('+', key.length - 2) : -1
  const [modifiers, name] = plus < 0 ? [[], key] : [key.slice(0, plus).split('+'), key.slice(plus + 1)]
  return [...modifiers, SYMBOLS[name] ?? name].join(' ')
}
