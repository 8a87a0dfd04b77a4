// Texts of clips, uploads, imports and linked files.

import { bytes, number, plural, roughDuration } from '../format'

export const clipsText = {
  list: 'Clips',
  add: 'Add clips',
  addLink: 'Add from link',
  addFailed: 'Could not add the files',
  notAdded: (file: string) => `Could not add ${file}`,
  filesToAdd: 'Recordings to add',
  empty: 'No clips yet. Drop recordings anywhere on this page.',
  clearErrors: (n: number) => plural(n, { one: 'Clear # error', other: 'Clear # errors' }),
  title: (n: number) => `${number(n)}.`,
  remove: (name: string) => `Remove ${name}`,
  removeFailed: 'Could not remove the clip',
  unreadable: 'The file could not be read.',
  downloading: 'Downloading…',
  processing: 'Processing…',
  downloadingLabel: (name: string) => `Downloading ${name}`,
  processingLabel: (name: string) => `Processing ${name}`,
  audioOnly: 'audio only',
  frameRate: (fps: number) => `${number(fps, 2)} fps`,
  noAudio: 'no audio',

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
  reconnecting: (sent: number) => `Connection lost at ${bytes(sent)}. The upload resumes when it is back.`,
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
