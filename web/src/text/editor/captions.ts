// Texts of the caption lines.

import { plural } from '../format'

export const captionsText = {
  empty: 'Captions are created by the analysis. You can then edit their text here and burn them into an export.',
  loadFailed: (reason: string) => `Could not load the captions. ${reason}`,
  tryAgain: 'Try again',
  noSpeech: 'No speech was detected in this recording.',
  lines: 'Caption lines',
  goTo: (time: string) => `Go to ${time}`,
  line: (time: string) => `Caption at ${time}`,
  revert: (original: string) => `Revert to original: ${original}`,
  removed: { some: 'Partly cut', all: 'Cut' },
  removedHint: {
    some: 'Some words of this line are cut. The video shows the rest.',
    all: 'The words of this line are cut, so the video does not show it.',
  },
  editLabel: 'edit caption',
  saveFailed: 'Could not save the caption',

  length: 'Line length',
  lengths: {
    3: 'Up to 3 words, for portrait video',
    7: 'Up to 7 words',
    12: 'Up to 12 words',
  },
  rebuild: 'Rebuild',
  rebuildTitle: 'Rebuild the captions?',
  rebuildWarning: (lines: number) =>
    plural(lines, {
      one: 'Rebuilding discards # edited line. You cannot undo this.',
      other: 'Rebuilding discards # edited lines. You cannot undo this.',
    }),
  rebuildFailed: 'Could not rebuild the captions',

  sample: ['This ', 'is ', 'a ', 'sample ', 'caption'],
} as const
