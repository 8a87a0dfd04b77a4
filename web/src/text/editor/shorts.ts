// Texts of shorts: on the timeline, in menus and in exports.

import { duration, number, plural } from '../format'

export const shortsText = {
  make: 'Make a short',
  lane: 'Shorts',
  /** The name of a short without words. */
  numbered: (n: number) => `Short ${number(n)}`,
  block: (name: string, start: string, end: string) => `Short: ${name}, ${start} to ${end}`,
  hint: (name: string, ms: number) => `${name}, ${duration(ms)}. Double-click to rename it.`,
  name: 'Name of the short',
  rename: 'Rename short',
  export: 'Export short…',
  remove: 'Delete short',
  facts: (start: string, ms: number) => `${start} · ${duration(ms)}`,
  exportNamed: (name: string) => `Export “${name}”`,
  renameNamed: (name: string) => `Rename “${name}”`,
  removeNamed: (name: string) => `Delete “${name}”`,
  menu: 'Timeline',
  /** What a change did, as in "Undo add short". */
  changes: {
    add: 'add short',
    rename: 'rename short',
    move: 'move short',
    trim: 'trim short',
    restyle: 'change settings of short',
    remove: 'delete short',
  },

  noSelection: 'Select the footage of the short first',
  noSelectionHint: 'Drag across words of the transcript, or across the waveform.',

  exportAll: 'All shorts',
  allStarted: (n: number) =>
    plural(n, { one: 'The export of # short has started', other: 'The exports of # shorts have started' }),
  someStarted: (started: number, all: number) =>
    started === 0 ? 'No export has started' : `${number(started)} of ${number(all)} exports have started`,
  refused: (name: string, reason: string) => `“${name}”: ${reason}`,
} as const
