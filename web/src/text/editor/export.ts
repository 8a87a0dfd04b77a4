// Texts of the export dialog and the list of exports.

import { bytes, duration, number, percent, plural, roughDuration } from '../format'

interface RecordedFormat {
  name: string
  width: number | null
  height: number | null
  frame_rate: number | null
}

interface Estimate {
  method: 'copy' | 'mixed' | 'encode'
  render_ms: number
  size_bytes: number
  low_size_bytes?: number
  high_size_bytes?: number
  copied_frames: number
  encoded_frames: number
}

function estimatedSize(e: Estimate) {
  const [low, high] = [bytes(e.low_size_bytes ?? 0), bytes(e.high_size_bytes ?? 0)]
  return e.low_size_bytes && low !== high ? `${low} to ${high}` : bytes(e.size_bytes)
}

const formatOf = ({ width, height, frame_rate }: RecordedFormat) =>
  `${width}×${height}${frame_rate ? `, ${number(frame_rate, 2)} fps` : ''}`

export const exportText = {
  title: 'Export video',
  audioTitle: 'Export audio',
  description: (container: string, keepsCodec: boolean) =>
    keepsCodec
      ? `${container} in the codec of the recording. You can keep editing while it renders.`
      : `${container} with H.264 video and AAC audio, which plays everywhere. You can keep editing while it renders.`,
  audioDescription: (format: string) => `${format} without video. You can keep editing while it renders.`,
  name: 'Name',
  /** The name of an export that the person does not name. */
  cutName: (project: string) => `${project} cut`,
  fileFormat: 'File type',
  formatName: (label: string, use: string) => `${label}, ${use}`,
  platform: 'Format',
  platforms: {
    recorded: ['As recorded', 'Size, shape and frame rate of the first clip'],
    youtube: ['YouTube', '1080p, 16:9'],
    shorts: ['Shorts, Reels', '1080×1920'],
    square: ['Square', '1080×1080'],
    small: ['Small file', '720p'],
  },
  recordedFormat: (clip: RecordedFormat) => `${formatOf(clip)}, like ${clip.name}`,
  clipsDiffer: (first: RecordedFormat, other: RecordedFormat) =>
    `The clips differ: ${other.name} is ${formatOf(other)}. The export takes the format of the first clip, ${formatOf(first)}.`,
  range: {
    title: 'Range',
    whole: 'Whole video',
    selection: (from: string, to: string) => `Selection, ${from} to ${to}`,
    times: 'From–to…',
    from: 'From',
    to: 'To',
    timesHint: 'Times of the timeline, such as 1:20',
    problems: {
      unreadable: () => 'Type a time such as 1:20.',
      pastEnd: (end: string) => `The recording ends at ${end}.`,
      reversed: () => 'Type a time after “From”.',
    },
  },
  shortsTooLong: (ms: number) => `Shorts last 3 minutes at most. This one lasts ${duration(ms)}.`,
  more: 'More',
  groups: { video: 'Video', captions: 'Captions', audio: 'Audio' },
  menu: 'Kinds of exports',
  videoItem: 'Video…',

  preview: 'Preview of the export',
  summary: {
    length: 'Length',
    removed: 'Removed',
    frameSize: 'Frame size',
  },
  estimate: (e: Estimate) => {
    const figures = `about ${roughDuration(e.render_ms)}, ${estimatedSize(e)}`
    const all = e.copied_frames + e.encoded_frames
    if (e.method === 'encode') return `Re-encoded, ${figures}`
    if (e.method === 'mixed') return `${percent(e.copied_frames, all)} copied, the rest re-encoded, ${figures}`
    // As roughcut cut says it.
    const encoded = percent(e.encoded_frames, all)
    return e.encoded_frames * 20 < all ? `Copied, ${figures}` : `Copied, ${encoded} re-encoded, ${figures}`
  },
  audioEstimate: (e: Estimate) => `Audio only, about ${roughDuration(e.render_ms)}, ${bytes(e.size_bytes)}`,
  estimating: 'Estimating size and time…',
  chooseRange: 'Type the times of the range.',
  guess: 'A guess until an export of this kind is complete.',
  encodedBecause: (reason: string) => `Because ${reason}.`,
  reading: (clips: number) =>
    plural(clips, { one: '# clip is still being read', other: '# clips are still being read' }),
  wait: 'Wait',
  waitHint: 'The export starts when all clips are read.',
  leaveOut: 'Leave out',
  leaveOutHint: 'The export starts now, without these clips.',
  notRead: (names: readonly string[]) => `Not in the video, because it could not be read: ${names.join(', ')}`,
  waitingForUploads: 'Waiting for the uploads to start…',
  nothingLeft: 'Nothing to export',
  nothingLeftDetail: 'The cuts remove the whole recording. Reject some cuts first.',
  nothingLeftInRange: 'The cuts remove all of the range. Choose another range, or reject some cuts.',
  startFailed: 'Could not start the export',
  startFailedDetail: (reason: string) => `${reason} Your cuts are saved.`,
  export: 'Export',
  starting: 'Starting…',
  saving: 'Saving your cuts…',

  video: {
    preset: 'Preview preset',
    choosePreset: 'Choose a preset',
    asRecorded: 'As recorded',
    asRecordedHint: 'Like the first clip',
    aspectRatio: 'Aspect ratio',
    landscape: 'Landscape',
    portrait: 'Portrait',
    square: 'Square',
    resolution: 'Size',
    fit: 'When the aspect ratio differs',
    letterbox: 'Fit with bars',
    crop: 'Crop to fill',
    bars: 'Bar color',
    flipH: 'Flip horizontally',
    flipV: 'Flip vertically',
    audioClips: 'Clips without video',
    waveform: 'Show a waveform',
    waveformColor: 'Waveform color',
    cover: 'Cover',
    noCover: 'None',
    coverHint: 'Images of your library fill the frame. Add one under “Assets”.',
    keepLocation: 'Keep the location',
    keepLocationHint: 'Writes the place where the first recording was made into the file, if the recording states it.',
    keepCodec: 'Keep HEVC',
    keepCodecHint:
      'Copies HEVC segments losslessly where the frame size stays and nothing is drawn on them. Some browsers and older devices cannot play HEVC. Without this option, the video is H.264, which plays everywhere.',
  },
  audio: {
    bothEars: 'Voice on both sides',
    bothEarsHint: 'Puts a voice that is on one channel only on both sides.',
    oneSided: (clip: string, side: 'left' | 'right') =>
      `The voice of ${clip} is on the ${side} channel only. This option puts it on both sides.`,
    opposite: (clip: string) =>
      `The channels of ${clip} cancel each other out on one loudspeaker. This option repairs that.`,
    keepChannels: 'Keep all channels',
    keepChannelsHint:
      'Exports every channel as recorded instead of a stereo mix. This needs a file type for more than two channels, and no noise reduction, normalization, muted words or assets with audio.',
    otherTracks: 'Keep the other audio tracks',
    otherTracksHint:
      'Adds the audio tracks that are not heard to the file, with the same cuts and otherwise as recorded. Players play the heard one.',
    loudness: 'Loudness',
    asRecorded: 'As recorded',
    targets: {
      '-14': '−14 LUFS: video platforms',
      '-16': '−16 LUFS: podcasts',
      '-19': '−19 LUFS: podcasts, quiet',
      '-23': '−23 LUFS: television',
    },
    podcasts: 'Podcasts use −16 LUFS.',
    usePodcasts: 'Use −16 LUFS',
    customTarget: (lufs: number) => `${number(lufs, 1)} LUFS`,
    noise: 'Reduce background noise',
    noiseHint: 'Reduces fans, hum and hiss. Applies to the export, not to the preview.',
    noiseAmount: 'Amount',
    noiseMeaning: (db: number) => `Reduces noise by ${number(db)} dB`,
    noiseLow: 'Light',
    noiseHigh: 'Strong',
    volume: 'Recording volume',
    volumeLow: 'Silent',
    volumeHigh: 'Original',
    volumeSilent: 'Only placed assets are audible',
    volumeOriginal: 'Original volume',
    volumePercent: (value: number) => `${percent(value)} of the original volume`,
  },
  captions: {
    burnIn: 'Captions in the video',
    off: 'None',
    noneDetail: 'The analysis creates captions. Find cuts first, or the export has no captions.',
    noSpeechDetail: 'No speech was detected in this recording.',
    position: 'Position',
    top: 'Top',
    middle: 'Middle',
    bottom: 'Bottom',
    color: 'Color',
    highlightColor: 'Highlight color',
    size: 'Size',
    sizeLow: 'Small',
    sizeHigh: 'Large',
    sizePixels: (pixels: number) => `${number(pixels)} px on a 1080 px frame`,
    sizeAutomatic: 'Automatic for this aspect ratio',
    resetSize: 'Reset size',
  },
  profanity: {
    title: 'Profanity',
    keep: 'Keep',
    mute: 'Mute',
    bleep: 'Bleep',
    hint: 'Finds words in the transcript by the profanity list of its language. Admins edit the lists in the settings. Captions are not censored.',
  },
  swatch: (what: string, color: string) => `${what}: ${color}`,
  customColor: (what: string) => `${what}: custom`,

  list: 'Exports',
  loadFailed: 'Could not load the exports',
  tryAgain: 'Try again',
  empty: 'An export is the finished video without the cuts. You can keep editing while it renders.',
  captionFiles: 'Subtitles and text',
  rangeChanged: 'The cuts have changed since. Export again to get subtitles that fit.',
  chapters: 'Chapters',
  chapterFile: (kind: string) => `Chapters, .${kind}`,
  cancel: 'Cancel export',
  delete: 'Delete export',
  download: 'Download',
  play: (name: string) => `Play ${name}`,
  cannotPlay: 'This browser cannot play the video',
  cannotPlayDetail: 'Download the video to watch it. For a video that plays everywhere, export it without “Keep HEVC”.',
  showInFolder: 'Show in folder',
  saveAs: 'Save as…',
  fileSaved: 'Video saved',
  renderingLabel: (name: string) => `Rendering ${name}`,
  queued: 'Queued',
  waits: 'Starts when all clips are read',
  steps: { prepare: 'Preparing', render: 'Rendering', finalize: 'Finishing' },
  progress: (step: string, value: number, leftMs: number | null) =>
    `${step} · ${percent(value)}${leftMs === null ? '' : ` · about ${roughDuration(leftMs)} left`}`,
  failed: (reason: string | null) =>
    `${reason ?? 'The video could not be rendered.'} Your cuts are saved. Export again.`,
  cancelled: 'Cancelled',
  expired: 'Expired. The file was deleted. Export again to get a new one.',
  facts: (facts: readonly string[]) => facts.join(' · '),

  notes: {
    original: 'Original quality.',
    checked: 'Checked against your recording.',
    partly: (part: number, whole: number) => `${percent(part, whole)} copied, the rest re-encoded.`,
    encoded: (reason: string) => `Re-encoded: ${reason}`,
    hevc: 'The video is HEVC, like the recording.',
    h264: (reason: string) => `The video is H.264 because it could not stay HEVC: ${reason}`,
    encoder: (name: string) => `The hardware encoder ${name} encoded the video.`,
    software: (reason: string) => `x264 encoded the video in software: ${reason}`,
    lowered: (db: number) =>
      `The audio exceeded full scale by ${number(db, 1)} dB and was lowered, so that nothing is clipped.`,
    repeated: (reason: string) => `The video was encoded again because the first result failed the check: ${reason}`,
    lastDay: 'The file expires within a day. Download it now.',
    days: (days: number) =>
      plural(days, { one: 'The file is kept for # more day.', other: 'The file is kept for # more days.' }),
  },
} as const
