import type { Hit } from '../api/projects'

/** What was found in one project. */
export interface Found {
  project: string
  name: string
  /** In the order in which they are said. */
  hits: Hit[]
}

/** Hits by project: the project with the best hit comes first. */
export function byProject(hits: readonly Hit[]): Found[] {
  const found = new Map<string, Found>()
  for (const hit of hits) {
    if (hit.project_uuid === null) continue
    const one = found.get(hit.project_uuid) ?? { project: hit.project_uuid, name: hit.project_name ?? '', hits: [] }
    one.hits.push(hit)
    found.set(hit.project_uuid, one)
  }
  for (const { hits } of found.values()) hits.sort((a, b) => (a.start_ms ?? 0) - (b.start_ms ?? 0))
  return [...found.values()]
}

/** A piece of a fragment, and whether it is what was looked for. */
export interface Piece {
  text: string
  marked: boolean
}

const ENTITIES: Record<string, string> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#34;': '"',
  '&#39;': "'",
  '&amp;': '&',
}
const unescape = (text: string) => text.replace(/&(lt|gt|quot|amp|#34|#39);/g, (entity) => ENTITIES[entity] ?? entity)

/** The pieces of escaped text with <mark> elements, which is never trusted as HTML. */
export const piecesOf = (fragment: string): Piece[] =>
  fragment
    .split(/<\/?mark>/)
    .map((part, i) => ({ text: unescape(part), marked: i % 2 === 1 }))
    .filter((p) => p.text !== '')
