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
  /** What a change did, as in "Undo split caption". */
  changes: {
    edit: 'edit caption',
    move: 'move caption',
    add: 'add caption',
    remove: 'delete caption',
    split: 'split caption',
    merge: 'merge captions',
    rebuild: 'rebuild captions',
    import: 'import captions',
    replace: 'replace in captions',
  },
  start: (line: string) => `Start of “${line}”`,
  end: (line: string) => `End of “${line}”`,
  to: 'to',
  speaker: (line: string) => `Speaker of “${line}”`,
  speakerHint: 'Speaker of this caption. Leave it empty for the speaker of the transcript.',
  noSpeaker: 'Speaker',
  actions: 'Caption',
  newText: 'New caption',
  noRoom: 'There is already a caption here',
  noRoomHint: 'Move the playhead to a time without a caption, or split the caption that is shown.',
  noNext: 'No later caption to merge with',
  noNextHint: 'Select an earlier caption of this clip.',
  notSplit: 'Cannot split the caption here',
  notSplitHint: 'Put the cursor between two words, or the playhead inside the caption.',
  lane: 'Captions',
  block: (line: string, start: string, end: string) => `Caption “${line}”, ${start} to ${end}`,

  find: 'Find in captions',
  matches: (n: number) => plural(n, { one: '# caption', other: '# captions' }),
  closeFind: 'Close',
  replaceHint: 'Changes the captions and leaves the transcript.',

  import: 'Import…',
  importHint: 'Import captions from a subtitle file',
  importTitle: 'Import captions',
  importDescription: (file: string, lines: number) =>
    lines === 0
      ? `“${file}” becomes the captions of this project.`
      : `“${file}” replaces ${plural(lines, { one: '# caption', other: '# captions' })}. You can undo this.`,
  importFile: 'Subtitle file: SRT, WebVTT, or JSON of Whisper or WhisperX',
  times: 'Times in the file',
  timesOf: {
    recording: 'Of the recording',
    video: 'Of the edited video',
  },
  timesHint: {
    recording: 'Subtitles of the uncut recording. Captions of cut footage stay hidden.',
    video: 'Captions that you exported from Roughcut and edited elsewhere.',
  },
  importNow: 'Import',
  imported: (n: number) => `Imported ${plural(n, { one: '# caption', other: '# captions' })}`,
  notText: 'The file is not UTF-8 text. Save it with the encoding UTF-8 and choose it again.',
  importFailed: 'Could not import the captions',

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
      one: 'Rebuilding discards # edited line. You can undo this.',
      other: 'Rebuilding discards # edited lines. You can undo this.',
    }),

  styleSample: ['Your ', 'words'],
  sample: ['This ', 'is ', 'a ', 'sample ', 'caption'],
} as const
