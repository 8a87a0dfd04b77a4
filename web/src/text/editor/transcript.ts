// Texts of the transcript.

import { duration, number, plural } from '../format'

export const transcriptText = {
  region: 'Transcript. Press Shift and the left or right arrow to select words, and Delete to cut them.',
  transcribing: 'Transcribing',
  empty:
    'The transcript appears here after the analysis. Click a word to go to it. Select words and press Delete to cut them.',
  noSpeech: 'No speech was detected in this recording.',
  noModel:
    'This recording was analyzed without a speech model, so it has no transcript. Add a model and find cuts again.',
  part: (kind: string, reason: string) => `${kind}: ${reason}`,
  muted: 'Muted',
  mutedPart: (part: string) => `Muted. ${part}`,

  selection: (words: number, lengthMs: number) =>
    `${plural(words, { one: '# word', other: '# words' })}, ${duration(lengthMs)}`,
  restore: 'Restore',
  restoreHint: 'Restore these words',
  cut: 'Cut',
  cutHint: 'Cut these words',

  find: 'Find in transcript',
  notFound: 'Not found',
  position: (n: number, total: number) => `${number(n)} of ${number(total)}`,
  matches: (n: number) => plural(n, { one: '# match', other: '# matches' }),
  previous: 'Previous match',
  next: 'Next match',
  close: 'Close',

  showReplace: 'Replace',
  replaceWith: 'Replace with',
  matchCase: 'Match case',
  wholeWords: 'Whole words',
  remember: 'Add to vocabulary',
  rememberHint: 'The next analysis of this project spells it this way.',
  replaceHint: 'Changes the transcript and the captions.',
  places: 'Places',
  noPlaces: 'No place changes.',
  place: (time: string, before: string, after: string) => `${time}: replace ${before} with ${after}`,
  only: { transcript: 'transcript only', captions: 'captions only' },
  all: 'All',
  chosen: (n: number, total: number) => `${number(n)} of ${plural(total, { one: '# place', other: '# places' })}`,
  replace: (n: number) => `Replace ${number(n)}`,
  replaced: (n: number) => `Replaced ${plural(n, { one: '# place', other: '# places' })}`,
  replacedHint: 'Undo restores the text.',
  replaceLabel: 'replace text',
  replaceFailed: 'Could not replace the text',
} as const
