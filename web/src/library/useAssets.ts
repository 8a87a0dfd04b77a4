import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef } from 'react'
import { toast } from 'sonner'
import { ASSET_PAGE_SIZE, assetPageQuery, deleteAsset, updateAsset, type Asset, type AssetFilter } from '../api/assets'
import { messageOf } from '../api/client'
import { addToGroup, removeFromGroup } from '../api/groups'
import { queryKeys } from '../api/keys'
import { count } from '../editor/format'
import { forEach, type Outcome } from './bulk'

/** A list of assets of which only the pages that are looked at are here. */
export interface AssetList {
  total: number
  at: (index: number) => Asset | undefined
  /** All of those that are here, with where they are in the list. */
  here: () => { asset: Asset; index: number }[]
}

/** The assets that a filter lets through; first and last are the places that are looked at. */
export function useAssetList(filter: AssetFilter, total: number, first: number, last: number): AssetList {
  const from = Math.floor(first / ASSET_PAGE_SIZE)
  const to = Math.floor(Math.max(last, first) / ASSET_PAGE_SIZE)
  const numbers = Array.from({ length: to - from + 1 }, (_, i) => from + i + 1)
  const results = useQueries({ queries: numbers.map((n) => assetPageQuery(filter, n)) })
  const pages = new Map(numbers.map((n, i) => [n, results[i]?.data]))
  const at = (index: number) => pages.get(Math.floor(index / ASSET_PAGE_SIZE) + 1)?.items[index % ASSET_PAGE_SIZE]
  const here = () =>
    [...pages].flatMap(([n, page]) =>
      (page?.items ?? []).map((asset, i) => ({ asset, index: (n - 1) * ASSET_PAGE_SIZE + i })),
    )
  return { total, at, here }
}

/** The first page of what a filter lets through, and how much there is. Groups are counted anew when processing has ended. */
export function useFirstPage(filter: AssetFilter) {
  const page = useQuery(assetPageQuery(filter, 1))
  const queryClient = useQueryClient()
  const pending = page.data?.items.filter((a) => a.status === 'pending').length ?? 0
  const before = useRef(pending)
  useEffect(() => {
    if (pending < before.current) void queryClient.invalidateQueries({ queryKey: queryKeys.groups })
    before.current = pending
  }, [pending, queryClient])
  return page
}

/** Forgets what is known of assets and groups, so that it is fetched anew. */
export function useRefreshLibrary(): () => Promise<void> {
  const queryClient = useQueryClient()
  return useCallback(async () => {
    await Promise.all(
      [queryKeys.allAssets, queryKeys.groups].map((queryKey) => queryClient.invalidateQueries({ queryKey })),
    )
  }, [queryClient])
}

const named = (assets: readonly Asset[]) =>
  assets.length === 1 && assets[0] ? `“${assets[0].display_name}”` : count(assets.length, 'asset')

/** What can be done to several assets at once; each says what became of it. */
export function useAssetActions() {
  const refresh = useRefreshLibrary()
  const report = async (outcome: Outcome, done: string, what: string) => {
    await refresh()
    if (outcome.failed === 0) toast(done)
    else toast.error(`${count(outcome.failed, 'asset')} ${what}`, { description: messageOf(outcome.reason) })
  }
  return {
    remove: async (assets: readonly Asset[]) =>
      report(
        await forEach(assets, (a) => deleteAsset(a.uuid)),
        `${named(assets)} ${assets.length === 1 ? 'is' : 'are'} deleted`,
        'could not be deleted',
      ),
    tag: async (assets: readonly Asset[], add: readonly string[], remove: readonly string[]) => {
      const out = new Set(remove.map((t) => t.toLowerCase()))
      const change = (a: Asset) =>
        updateAsset(a.uuid, { tags: [...a.tags.filter((t) => !out.has(t.toLowerCase())), ...add] })
      await report(await forEach(assets, change), `Tags of ${named(assets)} are changed`, 'could not be tagged')
    },
    addTo: async (group: { uuid: string; name: string }, assets: readonly Asset[]) =>
      report(
        await forEach(assets, (a) => addToGroup(group.uuid, a.uuid)),
        `${named(assets)} ${assets.length === 1 ? 'is' : 'are'} in “${group.name}” now`,
        'could not be added to the group',
      ),
    takeOut: async (group: { uuid: string; name: string }, assets: readonly Asset[]) =>
      report(
        await forEach(assets, (a) => removeFromGroup(group.uuid, a.uuid)),
        `${named(assets)} ${assets.length === 1 ? 'is' : 'are'} no longer in “${group.name}”`,
        'could not be taken out of the group',
      ),
    rename: async (asset: Asset, name: string) => {
      await updateAsset(asset.uuid, { display_name: name })
      await refresh()
    },
  }
}
