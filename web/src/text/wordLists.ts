import { number } from './format'

export const wordListsText = {
  theWords: 'your words',
  language: 'Spoken language',
  profanity: 'Profanity',
  profanityHelp: 'Exports can mute or bleep these words. An export uses the list as it was when you started it.',
  fillers: 'Fillers',
  fillersHelp: 'The next analysis finds these words. They stay in the video unless you cut them.',
  placeholder: 'Word, or word* for a prefix',
  /** Labels for the lists by their title. */
  addTo: (list: string) => `Add to ${list}`,
  yours: (list: string) => `Your words: ${list}`,
  builtIn: (list: string) => `Built-in words: ${list}`,
  remove: (word: string) => `Remove ${word}`,
  noneBuiltIn: 'Roughcut has no built-in words for this language.',
  builtInCount: (n: number, disabled: number) =>
    `Built-in words: ${number(n)}${disabled > 0 ? `, ${number(disabled)} disabled` : ''}`,
} as const
