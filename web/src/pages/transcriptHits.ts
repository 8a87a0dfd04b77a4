import type { Hit } from '../api/projects'

/** The transcript hits in one project. */
export interface Found {
  project: string
  name: string
  /** In chronological order. */
  hits: Hit[]
}

/** Groups hits by project. The project with the best hit comes first. */
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

/** A part of a fragment. */
export interface FragmentPart {
  text: string
  /** Whether the part matches the search. */
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

/** Splits escaped text with <mark> elements into parts, so that the page never has to render it as HTML. */
export const partsOf = (fragment: string): FragmentPart[] =>
  fragment
    .split(/<\/?mark>/)
    .map((part, i) => ({ text: unescape(part), marked: i % 2 === 1 }))
    .filter((p) => p.text !== '')
