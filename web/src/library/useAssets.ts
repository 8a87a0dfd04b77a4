import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef } from 'react'
import { toast } from 'sonner'
import {
  allAssets,
  ASSET_PAGE_SIZE,
  assetPageQuery,
  deleteAsset,
  hideAssets,
  updateAsset,
  type Asset,
  type AssetFilter,
} from '../api/assets'
import { messageOf } from '../api/client'
import { addToGroup, groupsQuery, removeFromGroup } from '../api/groups'
import { libraryText } from '../text/library'
import { forEach, type Outcome } from './bulk'

/** A list of assets with only the visible pages loaded. */
export interface AssetList {
  total: number
  at: (index: number) => Asset | undefined
  /** The loaded assets with their indexes. */
  here: () => { asset: Asset; index: number }[]
}

/** Loads the assets that match a filter; first and last are the visible indexes. */
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

/** Loads the first page and the total. When an asset has been processed, it refreshes the group counts. */
export function useFirstPage(filter: AssetFilter) {
  const page = useQuery(assetPageQuery(filter, 1))
  const queryClient = useQueryClient()
  const pending = page.data?.items.filter((a) => a.status === 'pending').length ?? 0
  const before = useRef(pending)
  useEffect(() => {
    if (pending < before.current) void queryClient.invalidateQueries({ queryKey: groupsQuery.queryKey })
    before.current = pending
  }, [pending, queryClient])

  return page
}

/** Returns a function that invalidates all asset and group queries. */
export function useRefreshLibrary(): () => Promise<void> {
  const queryClient = useQueryClient()
  return useCallback(async () => {
    await Promise.all(
      [allAssets.queryKey, groupsQuery.queryKey].map((queryKey) => queryClient.invalidateQueries({ queryKey })),
    )
  }, [queryClient])
}

const namesOf = (assets: readonly Asset[]) => assets.map((a) => a.display_name)

/** Actions on several assets. Each shows its result in a toast. */
export function useAssetActions() {
  const queryClient = useQueryClient()
  const refresh = useRefreshLibrary()
  const report = async (outcome: Outcome, done: string, failed: (n: number) => string) => {
    await refresh()
    if (outcome.failed === 0) toast(done)
    else toast.error(failed(outcome.failed), { description: messageOf(outcome.reason) })
  }

  return {
    // The cards go at once: a card that is still there would play a video that the server has already deleted.
    remove: async (assets: readonly Asset[]) => {
      await hideAssets(queryClient, new Set(assets.map((a) => a.uuid)))
      await report(
        await forEach(assets, (a) => deleteAsset(a.uuid)),
        libraryText.deleted(namesOf(assets)),
        libraryText.notDeleted,
      )
    },
    tag: async (assets: readonly Asset[], add: readonly string[], remove: readonly string[]) => {
      const out = new Set(remove.map((t) => t.toLowerCase()))
      const change = (a: Asset) =>
        updateAsset(a.uuid, { tags: [...a.tags.filter((t) => !out.has(t.toLowerCase())), ...add] })

      await report(await forEach(assets, change), libraryText.tagged(namesOf(assets)), libraryText.notTagged)
    },
    addTo: async (group: { uuid: string; name: string }, assets: readonly Asset[]) =>
      report(
        await forEach(assets, (a) => addToGroup(group.uuid, a.uuid)),
        libraryText.addedTo(namesOf(assets), group.name),
        libraryText.notAddedTo,
      ),
    removeFrom: async (group: { uuid: string; name: string }, assets: readonly Asset[]) =>
      report(
        await forEach(assets, (a) => removeFromGroup(group.uuid, a.uuid)),
        libraryText.removedFrom(namesOf(assets), group.name),
        libraryText.notRemovedFrom,
      ),
    rename: async (asset: Asset, name: string) => {
      await updateAsset(asset.uuid, { display_name: name })
      await refresh()
    },
  }
}
