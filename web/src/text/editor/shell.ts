// Texts of the header, the tabs and the toolbar around the panes.

import { number, percent } from '../format'

export const shellText = {
  allProjects: 'All projects',
  projectName: 'Project name',
  undo: (change: string) => `Undo ${change}`,
  nothingToUndo: 'Nothing to undo',
  redo: (change: string) => `Redo ${change}`,
  nothingToRedo: 'Nothing to redo',
  more: 'Theme and shortcuts',
  history: 'History',
  historyHint: 'Choose a change to return to the moment after it.',
  historyEmpty: 'No changes yet. Every change of a cut appears here and can be undone, on another device too.',
  historyStart: 'Before all changes',
  historyUndone: 'undone',
  exportTooEarly: 'Wait until the analysis is complete',
  exporting: 'Exporting',
  percent: (value: number) => percent(value),
  titleUploading: (value: number) => `Uploading ${percent(value)}`,
  titleReading: (value: number) => `Processing ${percent(value)}`,
  titleAnalyzing: (value: number) => `Finding cuts ${percent(value)}`,
  titleExporting: (value: number) => `Exporting ${percent(value)}`,

  saved: 'All changes saved',
  saving: 'Saving…',
  offline: 'Offline. Your changes will be saved when you reconnect.',
  newerChange: (change: string, redone: boolean) => `${redone ? 'Redid' : 'Undid'} “${change}”`,
  newerChangeHint: 'Another window had made a newer change.',
  changedElsewhere: 'Another window has changed the project. The history is up to date now: choose again.',
  notSaved: (change: string) => `Could not save: ${change}`,

  durations: 'Durations',
  original: 'Original',
  removed: (part: number, whole: number) => `Removed ${percent(part, whole)}`,
  result: 'New length',

  tabs: {
    transcript: 'Transcript',
    captions: 'Captions',
    clips: 'Clips',
    assets: 'Assets',
    cuts: 'Cuts',
    exports: 'Exports',
  },
  borders: {
    leftList: 'Width of the left list',
    rightList: 'Width of the preview',
    preview: 'Size of the preview',
    timelineBelow: 'Height of the panes above the timeline',
    timelineAbove: 'Height of the timeline',
  },
  count: (n: number) => number(n),
  exportReady: 'An export is ready to download',
} as const
