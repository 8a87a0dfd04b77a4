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
} as const
