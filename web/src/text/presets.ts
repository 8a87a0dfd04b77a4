import { number, plural } from './format'

export const presetsText = {
  limitReached: 'You have the maximum number of presets. Delete one first.',
  newPreset: 'New preset',
  thePresets: 'your presets',
  create: 'Create preset',

  // Analysis presets
  analysis: {
    title: 'Analysis',
    none: 'You have no analysis presets. Create one for each type of recording, such as fast pacing for short videos.',
    list: 'Analysis presets',
    new: 'New analysis preset',
    edit: 'Edit analysis preset',
    namePlaceholder: 'Short videos',
  },
  analysisHelp: (max: number) =>
    `Saved settings for analyses. You can save up to ${number(max)} presets, and one of them can be the default.`,
  default: 'Default',
  makeDefault: 'Make default',
  makeDefaultNamed: (name: string) => `Make ${name} the default`,
  spokenLanguage: 'Spoken language',
  detectLanguage: 'Detect automatically',
  profanity: 'Profanity in exports',
  censorship: { none: 'Keep', mute: 'Mute', bleep: 'Bleep' },
  reduceNoise: 'Reduce noise',
  reduceNoiseHelp: 'Removes background noise from exports.',
  directorNotes: 'Notes for the AI Director',
  directorNotesHelp: 'Instructions for placing assets, such as “Only during silence”.',
  useAsDefault: 'Use as default',
  useAsDefaultHelp: 'Replaces the current default preset.',
  summary: {
    pacing: (level: number) => `Pacing ${level}`,
    falseStarts: (level: number) => `false starts ${level}`,
    anyLanguage: 'any language',
    cutFillers: 'cuts fillers',
    reducesNoise: 'reduces noise',
    censorship: { none: '', mute: 'mutes profanity', bleep: 'bleeps profanity' },
    directorNotes: 'notes for the AI Director',
  },

  // Preview presets
  preview: {
    title: 'Preview',
    none: 'You have no preview presets. Create one for each video format that you publish.',
    list: 'Preview presets',
    new: 'New preview preset',
    edit: 'Edit preview preset',
    namePlaceholder: 'Vertical with large captions',
  },
  previewHelp: 'Saved video formats and caption styles, for example one preset per platform.',
  format: 'Format',
  asRecorded: 'As recorded',
  asRecordedHint: 'Like the first clip',
  background: 'Background',
  captionColor: 'Captions',
  captionStyle: 'Caption style',
  captionSize: 'Caption size',
  captionSizeRange: 'From 8 to 200',
  position: 'Position',
  positions: { top: 'Top', middle: 'Middle', bottom: 'Bottom' },
  lineLength: 'Line length',
  lineLengths: { short: 'Short', medium: 'Medium', long: 'Long' },
  wordsPerLine: (n: number) => plural(n, { one: '# word per line', other: '# words per line' }),
  mirror: 'Flip horizontally',
  flip: 'Flip vertically',
  previewSummary: (file: string, format: string, style: string, size: number, position: string, length: string) =>
    `${file}, ${format} · ${style} captions, size ${size}, ${position.toLowerCase()}, ${length.toLowerCase()} lines`,
  sampleCaption: 'Every cut tells you why it is there, and how',
  sampleLetters: 'Aa',

  // Rows
  editNamed: (name: string) => `Edit ${name}`,
  deleteNamed: (name: string) => `Delete ${name}`,
  confirmDelete: (name: string) => `Delete “${name}”?`,
  confirmDeleteHelp: 'Projects that use this preset keep their settings.',
} as const
