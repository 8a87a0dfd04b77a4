// Texts of the player and its options.

import { percent, plural } from '../format'

export const playerText = {
  title: 'Preview',
  cutBadge: 'This part is cut',
  muteBadge: 'This part is muted',
  processing: (clips: number) =>
    `${plural(clips, { one: 'Processing # clip.', other: 'Processing # clips.' })} You can leave this page.`,
  processingLabel: 'Processing clips',
  nothingToPlay: 'No clip can be played. The “Clips” tab shows why.',
  waiting: 'Loading the video',
  playbackFailed: 'This clip cannot be played right now. Your cuts are saved, and exports still work.',
  tryAgain: 'Try again',

  play: 'Play',
  pause: 'Pause',
  skipsCuts: 'Skips cuts',
  playsAll: 'Plays all',
  skipsCutsHint: 'Playback skips cuts',
  playsAllHint: 'Playback includes cuts',
  afterCuts: 'After cuts:',
  volume: 'Volume',
  previewVolume: 'Preview volume',
  percent: (value: number) => percent(value),
  rate: (rate: number) => `${rate}×`,

  showCaptions: 'Show captions',
  frame: 'Frame',
  options: 'Frame and speed',
  optionsHint: (short: string | null) =>
    short
      ? `The preview uses the settings of the short “${short}”.`
      : 'The preview uses the settings of the next export.',
  short: (name: string) => `Short: ${name}`,
  aspectRatio: 'Aspect ratio',
  asRecorded: 'As recorded',
  fit: 'When the aspect ratio differs',
  letterbox: 'Fit with bars',
  crop: 'Crop to fill',
  moveCrop: 'Move the crop',
  cropHint: 'Drag the picture, or use the arrow keys. A keyframe keeps the position at this time.',
  cropSurface: (x: number, y: number) => `Crop, centered at ${percent(x, 1)} and ${percent(y, 1)}`,
  previousKeyframe: 'Previous keyframe',
  nextKeyframe: 'Next keyframe',
  addKeyframe: 'Add keyframe',
  removeKeyframe: 'Remove keyframe',
  keyframes: (count: number) => plural(count, { one: '# keyframe', other: '# keyframes' }),
  punchIn: 'Punch-in after every other cut',
  off: 'Off',
  ease: 'Ease',
  easeHint: 'The size changes within 0.4 s after a cut.',
  center: 'Zoom center',
  face: 'Face',
  middle: 'Middle',
  ownPoint: 'Point',
  movePoint: 'Set its center',
  pointHint: 'Click what stays in place, such as a face, or drag the mark.',
  point: (x: number, y: number) => `Center of the punch-in, ${percent(x, 1)} and ${percent(y, 1)}`,
  done: 'Done',
  mirror: 'Flip horizontally',
  speed: 'Playback speed',
} as const
