import { number } from './format'

export const wordListsText = {
  theWords: 'your words',
  language: 'Spoken language',
  list: 'List',
  lists: { vocabulary: 'Vocabulary', fillers: 'Fillers', censored: 'Profanity' },
  help: {
    vocabulary:
      'Names and terms that the speech model spells as you write them. The next analysis uses them together with the terms of the project.',
    fillers: 'The next analysis finds these words. They stay in the video unless you cut them.',
    censored: 'Exports can mute or bleep these words. An export uses the list at the time of its start.',
  },
  placeholder: 'Word, or word* for a prefix',
  termPlaceholder: 'Name or term',
  noTerms: 'No names or terms in this language yet. Separate several with commas or lines.',
  /** Labels for the lists by their title. */
  addTo: (list: string) => `Add to ${list}`,
  yours: (list: string) => `Your words: ${list}`,
  builtIn: (list: string) => `Built-in words: ${list}`,
  filter: (list: string) => `Filter ${list}`,
  filterHint: 'Filter',
  count: (shown: number, all: number) => (shown === all ? number(all) : `${number(shown)} of ${number(all)}`),
  remove: (word: string) => `Remove ${word}`,
  noneBuiltIn: 'Roughcut has no built-in words for this language.',
  builtInCount: (n: number, disabled: number) =>
    `Built-in words: ${number(n)}${disabled > 0 ? `, ${number(disabled)} disabled` : ''}`,

  project: (n: number) => (n === 0 ? 'Vocabulary' : `Vocabulary (${number(n)})`),
  projectName: 'project vocabulary',
  projectHelp: 'The speech model spells these names and terms as you write them, in the next analysis of this project.',
  accountLists: 'Words of your account',
} as const
