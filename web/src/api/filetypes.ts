const VIDEO: Record<string, string> = {
  mp4: 'video/mp4',
  m4v: 'video/x-m4v',
  mov: 'video/quicktime',
  webm: 'video/webm',
  mkv: 'video/x-matroska',
  avi: 'video/x-msvideo',
  mpg: 'video/mpeg',
  mpeg: 'video/mpeg',
  ts: 'video/mp2t',
  mts: 'video/mp2t',
  m2ts: 'video/mp2t',
}

const IMAGES: Record<string, string> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  gif: 'image/gif',
}

const AUDIO: Record<string, string> = {
  mp3: 'audio/mpeg',
  m4a: 'audio/mp4',
  aac: 'audio/aac',
  wav: 'audio/wav',
  flac: 'audio/flac',
  ogg: 'audio/ogg',
  oga: 'audio/ogg',
  opus: 'audio/ogg',
}

const offer = (kinds: string[], types: Record<string, string>) =>
  [...new Set([...kinds, ...Object.keys(types).map((e) => '.' + e)])].join(',')

/** The accept attribute of file inputs for recordings. */
export const RECORDINGS = offer(['video/*', 'audio/*'], { ...VIDEO, ...AUDIO })

/** The accept attribute of file inputs for assets. */
export const ASSETS = offer(['video/*', 'audio/*', ...Object.values(IMAGES)], { ...VIDEO, ...AUDIO, ...IMAGES })

/** The content types of recordings that the server reads. */
const RECORDING_TYPES = new Set([...Object.values(VIDEO), ...Object.values(AUDIO), 'audio/x-m4a', 'audio/x-wav'])
const IMAGE_TYPES = new Set(Object.values(IMAGES))

/** Sorts files by what a project can do with them: `others` are neither recordings nor images. */
export function sortFiles<F extends { name: string; type: string }>(
  files: readonly F[],
): { recordings: F[]; images: F[]; others: F[] } {
  const recordings = files.filter((f) => RECORDING_TYPES.has(contentTypeOf(f)))
  const images = files.filter((f) => IMAGE_TYPES.has(contentTypeOf(f)))
  return { recordings, images, others: files.filter((f) => !recordings.includes(f) && !images.includes(f)) }
}

/** The content type of a file. The extension takes precedence, because browsers do not know all video types. */
export function contentTypeOf(file: { name: string; type: string }): string {
  const extension = file.name.slice(file.name.lastIndexOf('.') + 1).toLowerCase()
  return VIDEO[extension] ?? AUDIO[extension] ?? IMAGES[extension] ?? (file.type || 'application/octet-stream')
}
