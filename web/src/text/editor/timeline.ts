// Texts of the timeline.

import { duration, number, percent } from '../format'

export const timelineText = {
  title: 'Timeline',
  overview: 'Whole recording',
  detail: 'Waveform with cuts. The list of cuts is the keyboard-accessible version.',
  drawing: 'Drawing the waveform…',
  empty: 'The waveform of your recording appears here',
  hint: 'Drag across the waveform to select footage. Drag a cut by its top to move it, and by its edges to trim it.',
  selection: (start: string, end: string, lengthMs: number) => `Selected: ${start} to ${end} (${duration(lengthMs)})`,
  cut: 'Cut',
  mute: 'Mute',
  restore: 'Restore',
  zoom: 'Zoom',
  zoomLevel: (level: number) => percent(level, 1),

  assetLane: 'Placed assets',
  emptyLane: 'Drag images, videos and audio from “Assets” here',
  drop: 'Drop to place the asset',
  asset: 'Asset',
  placement: (name: string, start: string, end: string, active: boolean) =>
    `${name}, ${start} to ${end}${active ? '' : ', off'}`,

  menu: 'Timeline',
  addMarker: { chapter: 'add chapter', split: 'split footage', note: 'add note' },
  removeMarker: { chapter: 'remove chapter', split: 'join footage', note: 'remove note' },
  renameMarker: { chapter: 'rename chapter', split: 'rename split', note: 'edit note' },
  moveMarker: { chapter: 'move chapter', split: 'move split', note: 'move note' },
  chapter: (n: number) => `Chapter ${number(n)}`,
  chapterAt: (title: string, time: string) => `${title}, at ${time}`,
  chapterHint: 'Drag to move the chapter. Double-click to rename it.',
  note: 'Note',
  noteAt: (note: string, time: string) => `Note: ${note}, at ${time}`,
  noteHint: (note: string) => `${note}. Notes are not exported. Double-click to edit.`,
  noteText: 'Text of the note',
  editNote: 'Edit note',
  removeNote: 'Delete note',
  renameChapter: 'Rename chapter',
  chapterTitle: 'Title of the chapter',
  removeChapter: 'Remove chapter',
  showAsset: 'Show asset',
  hideAsset: 'Hide asset',
  assetOptions: 'Asset options',
  removeAsset: 'Remove asset',
} as const
