// The types of the files that Roughcut reads, from the table that the server reads too.

import table from '../../../media/filetypes.json'

const VIDEO: Record<string, string> = table.video
const AUDIO: Record<string, string> = table.audio
const IMAGES: Record<string, string> = table.image

const acceptList = (kinds: string[], types: Record<string, string>) =>
  [...new Set([...kinds, ...Object.keys(types)])].join(',')

/** The accept attribute of file inputs for recordings. */
export const RECORDINGS = acceptList(['video/*', 'audio/*'], { ...VIDEO, ...AUDIO })

/** The accept attribute of file inputs for assets. */
export const ASSETS = acceptList(['video/*', 'audio/*', ...Object.values(IMAGES)], { ...VIDEO, ...AUDIO, ...IMAGES })

/** The content types of recordings that the server reads. */
const RECORDING_TYPES = new Set([...Object.values(VIDEO), ...Object.values(AUDIO), ...table.also])
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
  const extension = file.name.slice(Math.max(file.name.lastIndexOf('.'), 0)).toLowerCase()
  return VIDEO[extension] ?? AUDIO[extension] ?? IMAGES[extension] ?? (file.type || 'application/octet-stream')
}
