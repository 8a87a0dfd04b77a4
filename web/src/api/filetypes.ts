// The types of the files that Roughcut reads. `make generate` writes them from the table that the server uses.

import table from './filetypes.json'

type Kind = 'video' | 'audio' | 'image'
type Types = Record<string, string>

const EXTENSIONS: Record<Kind, Types> = table.extensions
const NAMES: Record<Kind, Types> = table.names
const RECORDING_KINDS: Kind[] = ['video', 'audio']
const ASSET_KINDS: Kind[] = [...RECORDING_KINDS, 'image']

const merged = (kinds: Kind[], types: Record<Kind, Types>): Types =>
  Object.fromEntries(kinds.flatMap((kind) => Object.entries(types[kind])))

const RECORDING_EXTENSIONS = merged(RECORDING_KINDS, EXTENSIONS)
const ASSET_EXTENSIONS = merged(ASSET_KINDS, EXTENSIONS)
const ASSET_NAMES = merged(ASSET_KINDS, NAMES)

const acceptList = (kinds: string[], types: Types) => [...new Set([...kinds, ...Object.keys(types)])].join(',')

/** The accept attribute of file inputs for recordings. */
export const RECORDINGS = acceptList(['video/*', 'audio/*'], RECORDING_EXTENSIONS)

/** The accept attribute of file inputs for assets. */
export const ASSETS = acceptList(['video/*', 'audio/*', ...new Set(Object.values(EXTENSIONS.image))], ASSET_EXTENSIONS)

interface NamedFile {
  name: string
  type: string
}

/** The extension of a file, in lower case and with the dot, or an empty string. */
export const extensionOf = (name: string) => (name.includes('.') ? name.slice(name.lastIndexOf('.')).toLowerCase() : '')

/**
 * The content type of a file under its usual name, or an empty string if Roughcut does not read such files. The
 * extension takes precedence, because browsers do not know all video types.
 */
export const contentTypeOf = (file: NamedFile): string =>
  ASSET_EXTENSIONS[extensionOf(file.name)] ?? ASSET_NAMES[file.type.replace(/;.*/, '').trim().toLowerCase()] ?? ''

function kindOf(file: NamedFile): Kind | undefined {
  const type = contentTypeOf(file)
  return ASSET_KINDS.find((kind) => type in NAMES[kind])
}

/** Sorts files by what a project can do with them: `others` are neither recordings nor images. */
export function sortFiles<F extends NamedFile>(files: readonly F[]): { recordings: F[]; images: F[]; others: F[] } {
  const images = files.filter((f) => kindOf(f) === 'image')
  const others = files.filter((f) => kindOf(f) === undefined)
  return { recordings: files.filter((f) => !images.includes(f) && !others.includes(f)), images, others }
}

/** The recordings among the files of a folder in their natural order, without hidden files. */
export const recordingsOfFolder = <F extends NamedFile>(files: readonly F[]): F[] =>
  sortFiles(files.filter((f) => !f.name.startsWith('.'))).recordings.sort((a, b) =>
    a.name.localeCompare(b.name, undefined, { numeric: true }),
  )
