// Texts of the transcript.

import { duration, number, plural } from '../format'

export const transcriptText = {
  region:
    'Transcript. Press Shift and the left or right arrow to select words, with Alt to select sentences, and Delete to cut them.',
  transcribing: 'Transcribing',
  empty:
    'The transcript appears here after the analysis. Click a word to go to it. Select words and press Delete to cut them.',
  languageUnsupported: (model: string, language: string) =>
    `There are no words: ${model} does not know ${language}. Choose another language or speech model in “Analyze again…”.`,
  noSpeech: 'No speech was detected in this recording.',
  noModel:
    'This recording was analyzed without a speech model, so it has no transcript. Add a model, then choose “Analyze again…”.',
  part: (kind: string, reason: string) => `${kind}: ${reason}`,
  muted: 'Muted',
  mutedPart: (part: string) => `Muted. ${part}`,

  renameSpeaker: (name: string) => `Rename the speaker ${name} everywhere`,
  speakerName: (name: string) => `New name of the speaker ${name}`,
  speakerLabel: 'rename speaker',
  speakerRenamed: (before: string, after: string) => `Renamed ${before} to ${after}`,
  speakerHint: 'Undo restores the name.',
  speakerFailed: 'Could not rename the speaker',

  pause: (lengthMs: number) => duration(lengthMs),
  pauseLabel: (lengthMs: number, keptMs: number) =>
    keptMs === lengthMs
      ? `Pause, ${duration(lengthMs)}`
      : keptMs === 0
        ? `Pause, ${duration(lengthMs)}, cut`
        : `Pause, ${duration(lengthMs)}; ${duration(keptMs)} stays`,

  menu: 'Words',
  selectSentence: 'Select sentence',
  findWords: (words: string) => `Find “${words}”`,
  copy: 'Copy',
  correct: 'Correct',
  correctHint: 'Correct the text',
  correcting: (words: string) => `Correct “${words}”`,
  correctLabel: 'correct text',
  corrected: (before: string, after: string) => `Corrected “${before}” to “${after}”`,
  correctFailed: 'Could not correct the text',
  notFoundAgain: 'The transcript has changed since then. Select the words again.',

  selection: (words: number, lengthMs: number) =>
    `${plural(words, { one: '# word', other: '# words' })}, ${duration(lengthMs)}`,
  restore: 'Restore',
  restoreHint: 'Restore these words',
  cut: 'Cut',
  mute: 'Mute',
  cutHint: 'Cut these words',

  find: 'Find in transcript',
  notFound: 'Not found',
  position: (n: number, total: number) => `${number(n)} of ${number(total)}`,
  matches: (n: number) => plural(n, { one: '# match', other: '# matches' }),
  previous: 'Previous match',
  next: 'Next match',
  close: 'Close',
  cutHits: (n: number) => plural(n, { one: 'Cut # match', other: 'Cut all # matches' }),
  cutWholeWords: (n: number) => plural(n, { one: 'Cut # whole word', other: 'Cut all # whole words' }),
  restoreWholeWords: (n: number) => plural(n, { one: 'Restore # whole word', other: 'Restore all # whole words' }),
  restoreHits: (n: number) => plural(n, { one: 'Restore # match', other: 'Restore all # matches' }),

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
