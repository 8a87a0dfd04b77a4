import type { Asset, AssetFilter } from '../api/assets'

const KINDS: readonly Asset['kind'][] = ['image', 'video', 'audio']

/** The search parameters of the library page: the filter and the asset in the preview. */
export interface LibrarySearch {
  group?: string | undefined
  kind?: Asset['kind'] | undefined
  tag?: string | undefined
  q?: string | undefined
  asset?: string | undefined
}

/** Parses the search parameters and ignores invalid values. */
export function librarySearch(s: Record<string, unknown>): LibrarySearch {
  // The router parses values that look like numbers as numbers.
  const text = (value: unknown) =>
    typeof value === 'string' || typeof value === 'number' ? String(value) || undefined : undefined

  return {
    group: text(s['group']),
    kind: KINDS.find((k) => k === s['kind']),
    tag: text(s['tag']),
    q: text(s['q']),
    asset: text(s['asset']),
  }
}

export const filterOf = ({ group, kind, tag, q }: LibrarySearch): AssetFilter => ({
  group: group ?? null,
  kind: kind ?? null,
  tag: tag ?? null,
  q: (q ?? '').trim(),
})

/** Reports whether a filter restricts the list further than to a group. */
export const narrows = ({ kind, tag, q }: AssetFilter): boolean => kind !== null || tag !== null || q !== ''
