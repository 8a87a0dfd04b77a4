// Texts of clips, uploads, imports and linked files.

import { bytes, languageName, number, plural, roughDuration } from '../format'

/** The clips of a change, for the history. */
const nameOrCount = (names: readonly string[]) =>
  names.length === 1 ? `“${names[0]}”` : `${number(names.length)} clips`

export const clipsText = {
  list: 'Clips',
  add: 'Add clips',
  addLink: 'Add from link',
  addFailed: 'Could not add the files',
  notAdded: (file: string) => `Could not add ${file}`,
  noRecordings: (files: readonly string[]) =>
    files.length === 1 ? `${files[0]} was not added` : `${number(files.length)} files were not added`,
  recordingTypes:
    'Recordings are videos and audio files, such as MP4, MOV, MKV, MTS, WebM, MP3 and WAV. Convert other files to MP4.',
  unreadableCodec: (codec: string) =>
    `Its video is encoded as ${codec}, which Roughcut does not read. Convert it to H.264 and add it again.`,
  unreadableType: (type: string) =>
    `Roughcut does not read ${type === '' ? 'files without an extension' : `files of the type ${type}`}. Convert it to MP4 and add it again.`,
  imagesAdded: (files: readonly string[]) =>
    files.length === 1 ? `${files[0]} is in your library` : `${number(files.length)} images are in your library`,
  imagesPlace: 'An image cannot be a clip. Drag it from “Assets” to the timeline to show it over a recording.',
  filesToAdd: 'Recordings to add',
  empty: 'No clips yet. Drop recordings anywhere on this page.',
  clearErrors: (n: number) => plural(n, { one: 'Clear # error', other: 'Clear # errors' }),
  notUploaded: 'Not uploaded yet. If no other page uploads it, remove it and add the file again.',
  title: (n: number) => `${number(n)}.`,
  remove: (name: string) => `Remove ${name}`,
  menu: 'Clip',
  removeItem: 'Remove',
  rename: 'Rename',
  newName: (name: string) => `New name for ${name}`,
  renameLabel: (name: string) => `rename ${nameOrCount([name])}`,
  moveUp: 'Move up',
  moveDown: 'Move down',
  moveLabel: (names: readonly string[]) => `move ${nameOrCount(names)}`,
  duplicate: 'Duplicate',
  duplicateLabel: (name: string) => `duplicate ${nameOrCount([name])}`,
  isDuplicate: 'duplicate',
  duplicateHint: 'Shares the recording of another clip and uses no storage',
  moveHint: 'Drag to reorder, or press Alt and the up or down arrow. Ctrl and Shift with a click choose several clips.',
  bulk: 'Chosen clips',
  chosen: (n: number) => plural(n, { one: '# clip', other: '# clips' }),
  moveUpChosen: 'Move the chosen clips up',
  moveDownChosen: 'Move the chosen clips down',
  removeChosen: 'Remove',
  chooseNone: 'Choose none',
  removeFailed: 'Could not remove the clip',
  importTranscript: 'Import transcript…',
  removeTranscript: 'Remove transcript',
  transcriptFile: (clip: string) => `Transcript of ${clip}: SRT, WebVTT, or JSON of Whisper or WhisperX`,
  transcriptImported: (file: string) => `Imported ${file}`,
  transcriptFind: 'Find the cuts to use it.',
  transcriptFindAgain: 'Choose “Analyze again…” to use it.',
  transcriptFailed: 'Could not change the transcript',
  transcriptNotText: 'The file is not UTF-8 text. Save it with the encoding UTF-8 and choose it again.',
  transcriptName: (file: string) => `Transcript: ${file}`,
  removeLabel: (names: readonly string[]) => `remove ${nameOrCount(names)}`,
  restoreFailed: 'Could not restore the clip',
  unreadable: 'The file could not be read.',
  downloading: 'Downloading…',
  processing: 'Processing…',
  downloadingLabel: (name: string) => `Downloading ${name}`,
  processingLabel: (name: string) => `Processing ${name}`,
  audioOnly: 'audio only',
  frameRate: (fps: number) => `${number(fps, 2)} fps`,
  noAudio: 'no audio',
  makingThumbnails: 'Making thumbnails…',
  noThumbnails: 'No thumbnails:',
  thumbnailsFailed: 'Could not make the thumbnails',
  tracks: 'Audio tracks',
  tracksLabel: (name: string) => `choose the audio tracks of ${nameOrCount([name])}`,
  tracksHeard: (heard: readonly number[], all: number) =>
    heard.length === 0
      ? `No audio track of ${number(all)}`
      : heard.length === 1
        ? `Audio track ${number(heard[0] ?? 0)} of ${number(all)}`
        : `Mix of audio tracks ${heard.map((n) => number(n)).join(', ')}`,
  tracksHint: 'Several tracks are mixed at equal levels. After a change, choose “Analyze again…”.',
  tracksUnread: (tracks: readonly number[]) =>
    tracks.length === 1
      ? `Audio track ${number(tracks[0] ?? 0)} cannot be decoded. Roughcut skips it.`
      : `Audio tracks ${tracks.map((n) => number(n)).join(', ')} cannot be decoded. Roughcut skips them.`,
  tracksPending: 'Preparing the audio…',
  tracksFailed: (why: string) => `Could not prepare the audio. ${why}`,
  trackName: (index: number, title?: string | null) =>
    title ? `${number(index)}. ${title}` : `Track ${number(index)}`,
  trackFacts: (t: {
    language?: string | null
    codec: string
    channels: number
    decodable: boolean
    speech?: boolean | null
  }) =>
    [
      t.language !== 'und' && t.language && languageName(t.language),
      t.codec.toUpperCase(),
      t.channels > 0 && plural(t.channels, { one: '# channel', other: '# channels' }),
      !t.decodable && 'cannot be decoded',
      t.speech === true && 'speech',
      t.speech === false && 'no speech',
    ]
      .filter(Boolean)
      .join(' · '),

  drop: 'Drop to add clips',
  firstTitle: 'Drop your recording here',
  firstLabel: 'Add your recording',
  firstDetail:
    'MP4, MOV, MKV, WebM, AVI and more from a phone, camera or screen recorder. Several files become clips of one video, in order.',
  chooseFiles: 'Choose files',
  uploads: 'Uploads',
  linkedPrivacy: 'Roughcut reads your recordings in place. They are never changed, and they stay on this computer.',
  privacy: 'Your originals are never changed, and they stay on this server.',

  importTitle: 'Add from link',
  importDetail:
    'Roughcut downloads the recording. Links to video files always work. Pages of video sites require yt-dlp on the server.',
  importPlaceholder: 'https://example.org/talk.mp4',
  import: 'Add clip',

  uploading: (name: string) => `Uploading ${name}`,
  waiting: (size: number) => `Waiting · ${bytes(size)}`,
  reconnecting: (sent: number) => `Offline at ${bytes(sent)}. The upload resumes when you reconnect.`,
  checking: 'Checking…',
  sent: (sent: number, size: number, leftMs: number | null) =>
    `${bytes(sent)} of ${bytes(size)}${leftMs === null ? '' : ` · about ${roughDuration(leftMs)} left`}`,
  tryAgain: 'Try again',
  clearError: 'Clear error',
  cancelUpload: 'Cancel upload',

  linkedFile: 'Linked file:',
  missing: 'Linked file not found',
  replaced: 'Linked file has changed',
  locate: 'Locate…',
  missingTitle: 'Locate the recording',
  missingDetail: 'The file was moved or renamed, or its disk is not connected.',
  replacedTitle: 'The linked file has changed',
  replacedDetail: 'The file at this path is not the recording that this clip was made from.',
  lastPath: 'Last known path',
  originalPath: 'Original path',
  linkSafe: 'Your cuts and transcript are saved, and you can keep editing. Only exports need the recording.',
  relinked: (clip: string) => `${clip} is linked again`,
  relinkFailed: (file: string) => `Could not link ${file}`,
  notNow: 'Not now',
  choosing: 'Choosing…',
  chooseFile: 'Choose file…',
  relinkInWindow: 'Move the file back, or locate it in the Roughcut desktop app.',
} as const
