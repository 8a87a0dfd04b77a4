// Texts of the tab "Timeline & text" of the export dialog.

import { number, plural } from '../format'

export const timelinesText = {
  tab: 'Timeline & text',
  shortTab: 'Timeline',
  intro: 'Continue in another editor. These files need no rendering.',
  folder: 'Media folder',
  folderHint:
    'The folder of the original recordings on the computer of the other editor. Timelines name the recordings there. If it is empty, keep the timeline next to them.',
  folderExample: '/Users/ada/Movies/Talk',
  cuts: 'Cut parts',
  removed: 'Removed',
  disabled: 'Disabled',
  disabledHint:
    'Timelines have all footage, with the cut parts disabled or as gaps. Texts have the times of the recordings.',
  version: 'FCPXML version',
  versionHint: 'Choose 1.9 for older programs. A program refuses versions newer than its own.',
  advanced: 'Advanced',
  editors: 'For other editors',
  texts: 'Text',
  download: (label: string) => `Download ${label}`,
  withMedia: 'With media',
  bundle: (label: string, archive: string) => `Download ${label} with its media as ${archive}`,
  oneRecording: 'LosslessCut opens one recording. This project has several.',
  noTranscript: 'This project has no transcript yet. Find cuts first.',
  noChapters: 'This project has no chapters. Press M on the timeline to add one.',

  audioTracks: {
    title: 'Several audio tracks',
    hint: 'Timelines play the audio tracks of these recordings that are heard, and have the other tracks muted, except in OpenTimelineIO and EDL, which cannot name a track.',
    count: (n: number) => plural(n, { one: '# audio track', other: '# audio tracks' }),
  },

  variable: {
    title: 'Variable frame rate',
    hint: 'Other editors show these recordings at a constant rate, so cuts may be off by a few frames. Copies with a constant rate match exactly.',
    packed: '“With media” packs the copies.',
    make: (n: number) => plural(n, { one: 'Make constant-rate copy', other: 'Make constant-rate copies' }),
    badge: 'Variable rate',
    ready: (size: string) => `Copy ready, ${size}`,
    making: (percent: string) => `Making the copy, ${percent}`,
    waiting: 'Waiting to make the copy',
    progress: (name: string) => `Copy of ${name}`,
    cancel: (name: string) => `Cancel the copy of ${name}`,
    remove: (name: string) => `Delete the copy of ${name}`,
    failed: (reason: string) => `The copy failed. ${reason}`,
    notMade: 'The copy was not requested',
    notRemoved: 'The copy was not deleted',
  },

  back: {
    title: 'Changed in another editor',
    hint: 'Open a changed OTIO, FCPXML or LosslessCut file. Roughcut shows which cuts differ, and you choose which to apply.',
    open: 'Open timeline…',
    field: 'Changed timeline',
    unknownType: 'Roughcut reads .otio, .fcpxml and .llc files.',
    comparing: 'Comparing…',
    same: 'The timeline has the cuts of this project.',
    kinds: {
      add: 'New cut',
      move: 'Moved cut',
      restore: 'Restored footage',
      apply: 'Accepted proposal',
      order: 'New order of clips',
      arrange: 'New order of parts',
    },
    duplicates: (n: number) => plural(n, { one: 'adds # duplicate', other: 'adds # duplicates' }),
    more: (n: number) => `and ${number(n)} more`,
    span: (start: string, end: string) => `${start} to ${end}`,
    apply: (n: number) => plural(n, { one: 'Apply # change', other: 'Apply # changes' }),
    applied: (n: number) => plural(n, { one: '# change applied', other: '# changes applied' }),
    ignored: 'Not applied',
    label: 'apply timeline',
    reason: 'Cut in another editor',
  },
} as const
