// Texts of the player and its options.

import { percent, plural } from '../format'

export const playerText = {
  title: 'Preview',
  cutBadge: 'Cut: not in the result',
  muteBadge: 'Muted: room tone in the result',
  processing: (clips: number) =>
    `${plural(clips, { one: 'Processing # clip.', other: 'Processing # clips.' })} You can leave this page.`,
  processingLabel: 'Processing clips',
  nothingToPlay: 'No clip can be played. The “Clips” tab shows why.',
  playbackFailed: 'This clip cannot be played right now. Your cuts are saved, and exports still work.',
  tryAgain: 'Try again',

  play: 'Play',
  pause: 'Pause',
  skipsCuts: 'Skips cuts',
  playsAll: 'Plays all',
  skipsCutsHint: 'Playback skips cuts',
  playsAllHint: 'Playback includes cuts',
  inResult: 'in the result',
  volume: 'Volume',
  previewVolume: 'Preview volume',
  percent: (value: number) => percent(value),
  rate: (rate: number) => `${rate}×`,

  showCaptions: 'Show captions',
  hideCaptions: 'Hide captions',
  options: 'Frame and speed',
  optionsHint: 'The preview uses the settings of the next export.',
  aspectRatio: 'Aspect ratio',
  asRecorded: 'As recorded',
  fit: 'When the aspect ratio differs',
  letterbox: 'Fit with bars',
  crop: 'Crop to fill',
  mirror: 'Flip horizontally',
  speed: 'Playback speed',
} as const
