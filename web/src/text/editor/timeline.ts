// Texts of the timeline.

import { duration, percent } from '../format'

export const timelineText = {
  title: 'Timeline',
  overview: 'Whole recording',
  detail: 'Waveform with cuts. The list of cuts is the keyboard-accessible version.',
  drawing: 'Drawing the waveform…',
  empty: 'The waveform of your recording appears here',
  hint: 'Drag across the waveform to select footage. Drag a cut by its top edge to move it.',
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
  showAsset: 'Show asset',
  hideAsset: 'Hide asset',
  assetOptions: 'Asset options',
  removeAsset: 'Remove asset',
} as const
