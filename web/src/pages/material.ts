import { fileName } from '../api/fileName'

/** The recordings for new projects. */
export interface Material {
  /** Files to upload. */
  files: File[]
  /** Paths of linked files. */
  paths?: string[]
  /** The URL of a recording to import. */
  link?: string
}

/** The maximum length of a project name. */
export const MAX_NAME = 200

const withoutExtension = (name: string) =>
  name
    .replace(/\.[^.]+$/, '')
    .replaceAll('_', ' ')
    .trim()

/** The name of a project with these recordings: the name of the first one. */
export function nameOf({ files, paths, link }: Material): string {
  if (files[0]) return withoutExtension(files[0].name)
  if (paths?.[0]) return withoutExtension(fileName(paths[0]))
  if (!link || !URL.canParse(link)) return ''
  const { pathname, hostname } = new URL(link)
  return withoutExtension(pathname.split('/').findLast(Boolean) ?? '') || hostname
}

/** The names of the files, in their order. */
export const fileNames = ({ files, paths = [] }: Material): string[] => [
  ...files.map((f) => f.name),
  ...paths.map(fileName),
]

/** Divides recordings into one material for each. */
export const oneByOne = ({ files, paths = [] }: Material): Material[] => [
  ...files.map((file) => ({ files: [file] })),
  ...paths.map((path) => ({ files: [], paths: [path] })),
]

/** Names for the projects of these materials. Equal names get numbers: "talk", "talk 2". */
export function namesOf(materials: readonly Material[], untitled: string): string[] {
  const wanted = materials.map((m) => nameOf(m).slice(0, MAX_NAME) || untitled)
  const taken = new Set(wanted)
  return wanted.map((name, i) => {
    if (wanted.indexOf(name) === i) return name
    const other = numbered(name, taken)
    taken.add(other)
    return other
  })
}

function numbered(name: string, taken: ReadonlySet<string>): string {
  for (let n = 2; ; n++) {
    const end = ` ${n}`
    const other = name.slice(0, MAX_NAME - end.length) + end
    if (!taken.has(other)) return other
  }
}
