// What keys do in the editor: commands with the keys that they have at first, and the keys that the person gave them instead.

/** Commands by group: name, what it does, and its keys at first. */
export const COMMANDS = {
  Play: [
    ['play', 'Play or pause', ['Space', 'K']],
    ['forward', 'Forward; again is faster', ['L']],
    ['backward', 'Backward; again is faster', ['J']],
    ['frameBack', 'One frame back', ['ArrowLeft']],
    ['frameOn', 'One frame on', ['ArrowRight']],
    ['secondBack', 'One second back', ['Shift+ArrowLeft']],
    ['secondOn', 'One second on', ['Shift+ArrowRight']],
    ['start', 'To the start', ['Home']],
    ['end', 'To the end', ['End']],
    ['skip', 'Skip cuts, or play all', ['P']],
  ],
  'Look through': [
    ['previous', 'Previous cut', ['ArrowUp']],
    ['next', 'Next cut', ['ArrowDown']],
    ['toggle', 'Reject or take the selected cut', ['X']],
    ['take', 'Take the cut and go on', ['Y']],
    ['reject', 'Reject the cut and go on', ['N']],
    ['before', 'Play it as it was', ['B']],
    ['after', 'Play it cut', ['A']],
  ],
  Cut: [
    ['markIn', 'Mark in', ['I']],
    ['markOut', 'Mark out', ['O']],
    ['delete', 'Cut what is marked, or remove what is selected', ['Delete', 'Backspace']],
    ['restore', 'Bring back what is marked', ['R']],
    ['split', 'Split at the playhead', ['S', 'Ctrl+B']],
    ['startHere', 'Start of the selected to the playhead', ['[']],
    ['endHere', 'End of the selected to the playhead', [']']],
    ['nudgeBack', 'Move the selected one frame back', ['Ctrl+ArrowLeft']],
    ['nudgeOn', 'Move the selected one frame on', ['Ctrl+ArrowRight']],
    ['unmark', 'Unmark and unselect', ['Escape']],
  ],
  'Everything else': [
    ['undo', 'Undo', ['Ctrl+Z']],
    ['redo', 'Redo', ['Ctrl+Shift+Z', 'Ctrl+Y']],
    ['save', 'Save: has been done already', ['Ctrl+S']],
    ['find', 'Find in the transcript', ['Ctrl+F']],
    ['zoomIn', 'Zoom in', ['+', '=']],
    ['zoomOut', 'Zoom out', ['-']],
    ['zoomAll', 'Show everything', ['Z']],
    ['export', 'Export', ['E']],
    ['help', 'These keys', ['?']],
  ],
} as const satisfies Record<string, readonly (readonly [string, string, readonly string[]])[]>

export type Command = (typeof COMMANDS)[keyof typeof COMMANDS][number][0]

/** Keys of each command. */
export type Keymap = Record<Command, readonly string[]>

const ALL = Object.values(COMMANDS).flat()

export const DEFAULT_KEYS = Object.fromEntries(ALL.map(([name, , keys]) => [name, keys])) as unknown as Keymap

export const meaningOf = (command: Command) => ALL.find(([name]) => name === command)![1]

/** The keys that hold: those given by the person, as they were kept, before those at first. What cannot be read is left out. */
export function keymapOf(kept: string | null): Keymap {
  let own: unknown = null
  try {
    own = JSON.parse(kept ?? 'null')
  } catch {
    // Something else wrote there.
  }
  if (typeof own !== 'object' || own === null) return DEFAULT_KEYS
  const entries = Object.entries(own).filter(
    ([name, keys]) => name in DEFAULT_KEYS && Array.isArray(keys) && keys.every((k) => typeof k === 'string'),
  )
  return { ...DEFAULT_KEYS, ...(Object.fromEntries(entries) as Partial<Keymap>) }
}

/** What to keep of a keymap: commands whose keys are not those at first; null where there are none. */
export function changesOf(map: Keymap): string | null {
  const own = Object.entries(map).filter(([name, keys]) => keys.join(' ') !== DEFAULT_KEYS[name as Command].join(' '))
  return own.length > 0 ? JSON.stringify(Object.fromEntries(own)) : null
}

/** The command that has a key, other than except. */
export function commandOf(map: Keymap, key: string, except?: Command): Command | undefined {
  return ALL.map(([name]) => name).find((name) => name !== except && map[name].includes(key))
}

/** A keymap in which only `command` has a key. */
export function give(map: Keymap, command: Command, key: string): Keymap {
  const rest = Object.fromEntries(
    Object.entries(map).map(([name, keys]) => [name, keys.filter((k) => k !== key)]),
  ) as unknown as Keymap
  return { ...rest, [command]: [...rest[command], key] }
}

export const take = (map: Keymap, command: Command, key: string): Keymap => ({
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

/** A key with its modifiers as the keymap has it: "Ctrl+Shift+Z", "Space", "?"; null for a modifier alone. Ctrl stands for Cmd, too. */
export function keyOf(event: KeyPress): string | null {
  if (
    ['Control', 'Shift', 'Alt', 'Meta', 'AltGraph', 'CapsLock', 'Dead', 'Unidentified', 'Process'].includes(event.key)
  )
    return null
  // Keys of other alphabets stand for the Latin letter at their place.
  const letter = /^Key[A-Z]$/.test(event.code) && !/^[\x20-\x7e]$/.test(event.key) ? event.code.slice(3) : event.key
  const name = letter === ' ' ? 'Space' : letter.length === 1 ? letter.toUpperCase() : letter
  const shift = event.shiftKey && (name.length > 1 || /[A-Z]/.test(name))
  return [event.ctrlKey || event.metaKey ? 'Ctrl' : '', event.altKey ? 'Alt' : '', shift ? 'Shift' : '', name]
    .filter(Boolean)
    .join('+')
}

const SIGNS: Record<string, string> = {
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
  Escape: 'Esc',
  Delete: 'Del',
  '-': '−',
}

/** A key for reading: Ctrl Shift Z, ←. */
export const keyLabel = (key: string): string => {
  const plus = key.length > 1 ? key.lastIndexOf('+', key.length - 2) : -1
  const [modifiers, name] = plus < 0 ? [[], key] : [key.slice(0, plus).split('+'), key.slice(plus + 1)]
  return [...modifiers, SIGNS[name] ?? name].join(' ')
}
