import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { answer, api, type Schemas } from './client'
import { contentTypeOf } from './filetypes'
import type { StartedUpload, UploadTarget } from './upload'
import { queryKeys } from './keys'

export type Asset = Schemas['Asset']
export type AssetEdit = Partial<Schemas['AssetEdit']>
export type AssetTag = Schemas['AssetTag']

/** Assets in one page of a list. */
export const ASSET_PAGE_SIZE = 200

/** How often what is being processed is asked for, in milliseconds. */
const POLL_MS = 3_000

/** Margin before an address runs out at which a new one is fetched, in milliseconds. */
const EXPIRY_MARGIN_MS = 60_000

/** Which assets to list; the fields narrow the list together. */
export interface AssetFilter {
  /** The uuid of a group, `none` for those in none, or null for all of them. */
  group: string | null
  kind: Asset['kind'] | null
  tag: string | null
  q: string
}

export const ALL_ASSETS: AssetFilter = { group: null, kind: null, tag: null, q: '' }

/** One page of assets, from 1: newest first, and in a group those that were added to it last. */
export const assetPageQuery = (filter: AssetFilter, page: number) =>
  queryOptions({
    queryKey: queryKeys.assetPage(filter, page),
    queryFn: ({ signal }) => {
      const { group, kind, tag, q } = filter
      const query = {
        page,
        page_size: ASSET_PAGE_SIZE,
        ...(kind ? { kind } : {}),
        ...(tag ? { tag } : {}),
        ...(q ? { q } : {}),
      }
      if (group === 'none') return answer(api.GET('/api/v1/assets/ungrouped', { params: { query }, signal }))
      return answer(
        api.GET('/api/v1/assets/', { params: { query: { ...query, ...(group ? { group_id: group } : {}) } }, signal }),
      )
    },
    placeholderData: keepPreviousData,
    refetchInterval: (query) => (query.state.data?.items.some((a) => a.status === 'pending') ? POLL_MS : false),
  })

/** All pages of assets, one after the other. */
export const wholeListQuery = (filter: AssetFilter) =>
  queryOptions({
    queryKey: queryKeys.assetList(filter),
    queryFn: async ({ client }) => {
      const list: Asset[] = []
      for (let page = 1; ; page++) {
        const { items, total } = await client.fetchQuery(assetPageQuery(filter, page))
        list.push(...items)
        if (items.length === 0 || list.length >= total) return list
      }
    },
    refetchInterval: (query) => (query.state.data?.some((a) => a.status === 'pending') ? POLL_MS : false),
  })

/** All tags of the account's assets, up to as many as one request gives. */
export const assetTagsQuery = queryOptions({
  queryKey: queryKeys.assetTags,
  queryFn: async ({ signal }) =>
    (await answer(api.GET('/api/v1/assets/tags', { params: { query: { page_size: ASSET_PAGE_SIZE } }, signal }))).items,
})

/** How many assets there are, in all or in no group. */
export const assetCountQuery = (group: 'none' | null) =>
  queryOptions({
    queryKey: queryKeys.assetCount(group),
    queryFn: async ({ signal }) => {
      const page = { params: { query: { page_size: 1 } }, signal }
      return (await answer(group ? api.GET('/api/v1/assets/ungrouped', page) : api.GET('/api/v1/assets/', page))).total
    },
  })

/** An address that plays or shows an asset. A file that was replaced has another one; they run out: see freshUntil. */
export const assetURLQuery = (asset: Asset) =>
  queryOptions({
    queryKey: queryKeys.assetURL(asset),
    queryFn: async ({ signal }) => {
      const asked = Date.now()
      const { url, expires_in } = await answer(
        api.GET('/api/v1/assets/{asset_uuid}/video-url', { params: { path: { asset_uuid: asset.uuid } }, signal }),
      )
      return { url, freshUntil: asked + Math.max(expires_in * 1000 - EXPIRY_MARGIN_MS, 1_000) }
    },
    staleTime: (query) => Math.max((query.state.data?.freshUntil ?? 0) - Date.now(), 0),
    refetchOnWindowFocus: false,
  })

export const updateAsset = (uuid: string, change: Schemas['AssetChange']) =>
  answer(api.PATCH('/api/v1/assets/{asset_uuid}', { params: { path: { asset_uuid: uuid } }, body: change }))

export const deleteAsset = (uuid: string) =>
  answer(api.DELETE('/api/v1/assets/{asset_uuid}', { params: { path: { asset_uuid: uuid } } }))

/** Has part of an asset made, or its sound taken out: as a copy, or in its place. */
export const editAsset = (uuid: string, edit: AssetEdit) =>
  answer(
    api.POST('/api/v1/assets/{asset_uuid}/edit', {
      params: { path: { asset_uuid: uuid } },
      body: { extract_audio: false, save_mode: 'copy', fast_mode: false, ...edit },
    }),
  )

/** Has the server fetch a video or sound from an address; the asset is pending until it is here and read. */
export const importAsset = (url: string, group: string | null) =>
  answer(api.POST('/api/v1/assets/import-video', { body: { url, group_id: group } }))

/** The library as a place for uploads, which join a group, or else the default one. */
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
      return started(await answer(api.POST('/api/v1/assets/presign', { body, signal })))
    },
    renew: async (uuid, signal) =>
      started(await answer(api.POST('/api/v1/assets/{asset_uuid}/presign', { params: path(uuid), signal }))),
    confirm: (uuid, signal) => answer(api.POST('/api/v1/assets/{asset_uuid}/confirm', { params: path(uuid), signal })),
    discard: deleteAsset,
  }
}
