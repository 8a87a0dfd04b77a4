import { keepPreviousData, queryOptions, type QueryClient } from '@tanstack/react-query'
import { api, dataOf, type Schemas } from './client'
import { contentTypeOf } from './filetypes'
import type { StartedUpload, UploadTarget } from './upload'

export type Asset = Schemas['Asset']
export type AssetEdit = Partial<Schemas['AssetEdit']>
export type AssetTag = Schemas['AssetTag']

/** Assets per page of a list. */
export const ASSET_PAGE_SIZE = 200

/** The polling interval while an asset is being processed, in milliseconds. */
const POLL_MS = 1_000

/** How long before its expiry a URL is replaced, in milliseconds. */
const EXPIRY_MARGIN_MS = 60_000

/** Which assets to list. An asset must match all fields. */
export interface AssetFilter {
  /** The uuid of a group, `none` for ungrouped assets, or null for all assets. */
  group: string | null
  kind: Asset['kind'] | null
  tag: string | null
  q: string
}

export const ALL_ASSETS: AssetFilter = { group: null, kind: null, tag: null, q: '' }

/** Every list of assets. */
export const allAssets = { queryKey: ['assets'] }

/** One page of assets, counted from 1. The newest come first; in a group, those that were added to it last. */
export const assetPageQuery = (filter: AssetFilter, page: number) =>
  queryOptions({
    queryKey: [...allAssets.queryKey, filter, page],
    queryFn: ({ signal }) => {
      const { group, kind, tag, q } = filter
      const query = {
        page,
        page_size: ASSET_PAGE_SIZE,
        ...(kind ? { kind } : {}),
        ...(tag ? { tag } : {}),
        ...(q ? { q } : {}),
      }

      if (group === 'none') return dataOf(api.GET('/api/v1/assets/ungrouped', { params: { query }, signal }))
      return dataOf(
        api.GET('/api/v1/assets', { params: { query: { ...query, ...(group ? { group_id: group } : {}) } }, signal }),
      )
    },
    placeholderData: keepPreviousData,
    refetchInterval: (query) => (query.state.data?.items.some((a) => a.status === 'pending') ? POLL_MS : false),
  })

/** All pages of assets in one list. */
export const wholeListQuery = (filter: AssetFilter) =>
  queryOptions({
    queryKey: [...allAssets.queryKey, filter, 'all'],
    queryFn: async ({ client }) => {
      const list: Asset[] = []
      for (let page = 1; ; page++) {
        const { items, total } = await client.fetchQuery({ ...assetPageQuery(filter, page), staleTime: 0 })
        list.push(...items)
        if (items.length === 0 || list.length >= total) return list
      }
    },
    refetchInterval: (query) => (query.state.data?.some((a) => a.status === 'pending') ? POLL_MS : false),
  })

/** Takes assets out of the loaded lists, until the next request loads the lists again. */
export async function hideAssets(client: QueryClient, uuids: ReadonlySet<string>): Promise<void> {
  const { queryKey } = allAssets
  await client.cancelQueries({ queryKey })
  type Lists = (Asset | AssetTag)[] | { items: Asset[]; total: number } | number
  client.setQueriesData<Lists>({ queryKey }, (list) => {
    if (typeof list !== 'object') return list // not loaded, or a number of assets
    if (Array.isArray(list)) return list.filter((a) => !('uuid' in a && uuids.has(a.uuid)))
    const items = list.items.filter((a) => !uuids.has(a.uuid))
    return { ...list, items, total: list.total - (list.items.length - items.length) }
  })
}

/** The tags of the account's assets, limited to one page. */
export const assetTagsQuery = queryOptions({
  queryKey: [...allAssets.queryKey, 'tags'],
  queryFn: async ({ signal }) =>
    (await dataOf(api.GET('/api/v1/assets/tags', { params: { query: { page_size: ASSET_PAGE_SIZE } }, signal }))).items,
})

/** The number of all assets or of ungrouped assets. */
export const assetCountQuery = (group: 'none' | null) =>
  queryOptions({
    queryKey: [...allAssets.queryKey, 'count', group],
    queryFn: async ({ signal }) => {
      const page = { params: { query: { page_size: 1 } }, signal }
      return (await dataOf(group ? api.GET('/api/v1/assets/ungrouped', page) : api.GET('/api/v1/assets', page))).total
    },
  })

/**
 * A URL that plays or shows an asset. It expires; freshUntil is the time to request a new one, in ms since the epoch.
 * A replaced file gets another URL, so its size and duration are part of the key.
 */
export const assetURLQuery = (asset: Asset) =>
  queryOptions({
    queryKey: ['asset-url', asset.uuid, asset.size_bytes, asset.duration_ms],
    queryFn: async ({ signal }) => {
      const asked = Date.now()
      const { url, expires_in } = await dataOf(
        api.GET('/api/v1/assets/{asset_uuid}/video-url', { params: { path: { asset_uuid: asset.uuid } }, signal }),
      )

      return { url, freshUntil: asked + Math.max(expires_in * 1000 - EXPIRY_MARGIN_MS, 1_000) }
    },
    staleTime: (query) => Math.max((query.state.data?.freshUntil ?? 0) - Date.now(), 0),
    refetchOnWindowFocus: false,
  })

export const updateAsset = (uuid: string, change: Schemas['AssetChange']) =>
  dataOf(api.PATCH('/api/v1/assets/{asset_uuid}', { params: { path: { asset_uuid: uuid } }, body: change }))

export const deleteAsset = (uuid: string) =>
  dataOf(api.DELETE('/api/v1/assets/{asset_uuid}', { params: { path: { asset_uuid: uuid } } }))

/** Trims an asset or extracts its audio, as a copy or in place. */
export const editAsset = (uuid: string, edit: AssetEdit) =>
  dataOf(
    api.POST('/api/v1/assets/{asset_uuid}/edit', {
      params: { path: { asset_uuid: uuid } },
      body: { extract_audio: false, save_mode: 'copy', fast_mode: false, ...edit },
    }),
  )

/** Makes the server import a video or audio file from a URL. The asset stays pending until the server has read the file. */
export const importAsset = (url: string, group: string | null) =>
  dataOf(api.POST('/api/v1/assets/import-video', { body: { url, group_id: group } }))

/** The library as an upload target. Assets join the given group or the default group. */
export function libraryTarget(group: string | null): UploadTarget<Asset> {
  const path = (asset: string) => ({ path: { asset_uuid: asset } })
  const started = (p: Schemas['PresignedAsset']): StartedUpload => ({
    uuid: p.user_asset_id,
    url: p.upload_url,
    content_type: p.content_type,
  })

  return {
    start: async (file, signal) => {
      const body = { filename: file.name, content_type: contentTypeOf(file), size_bytes: file.size, group_id: group }
      return started(await dataOf(api.POST('/api/v1/assets/presign', { body, signal })))
    },
    renew: async (uuid, signal) =>
      started(await dataOf(api.POST('/api/v1/assets/{asset_uuid}/presign', { params: path(uuid), signal }))),
    confirm: (uuid, signal) => dataOf(api.POST('/api/v1/assets/{asset_uuid}/confirm', { params: path(uuid), signal })),
    discard: deleteAsset,
  }
}
