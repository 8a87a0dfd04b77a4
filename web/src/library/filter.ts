import type { Asset, AssetFilter } from '../api/assets'

const KINDS: readonly Asset['kind'][] = ['image', 'video', 'audio']

/** What the address of the library says: which assets are shown, and which of them is looked at. */
export interface LibrarySearch {
  group?: string | undefined
  kind?: Asset['kind'] | undefined
  tag?: string | undefined
  q?: string | undefined
  asset?: string | undefined
}

/** Reads an address; what makes no sense in it is left out. */
export function librarySearch(s: Record<string, unknown>): LibrarySearch {
  // The router reads what looks like a number as one.
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

/** Whether a filter leaves anything out besides choosing a group. */
export const narrows = ({ kind, tag, q }: AssetFilter): boolean => kind !== null || tag !== null || q !== ''
