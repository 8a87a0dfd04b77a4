import { queryOptions } from '@tanstack/react-query'
import { api, dataOf, type Schemas } from './client'

export type Group = Schemas['AssetGroup']
export type GroupChange = Schemas['AssetGroupChange']

/** Asset groups, pinned ones first, then newest first; limited to one page. */
export const groupsQuery = queryOptions({
  queryKey: ['groups'],
  queryFn: async ({ signal }) =>
    (await dataOf(api.GET('/api/v1/asset-groups', { params: { query: { page_size: 200 } }, signal }))).items,
})

/** The groups that contain an asset. */
export const groupsOfAssetQuery = (asset: string) =>
  queryOptions({
    queryKey: [...groupsQuery.queryKey, asset],
    queryFn: async ({ signal }) =>
      (await dataOf(api.GET('/api/v1/assets/{asset_uuid}/groups', { params: { path: { asset_uuid: asset } }, signal })))
        .items,
  })

export const createGroup = (group: Schemas['NewAssetGroup']) =>
  dataOf(api.POST('/api/v1/asset-groups', { body: group }))

export const updateGroup = (uuid: string, change: GroupChange) =>
  dataOf(
    api.PATCH('/api/v1/asset-groups/{asset_group_uuid}', {
      params: { path: { asset_group_uuid: uuid } },
      body: change,
    }),
  )

export const deleteGroup = (uuid: string) =>
  dataOf(api.DELETE('/api/v1/asset-groups/{asset_group_uuid}', { params: { path: { asset_group_uuid: uuid } } }))

export const addToGroup = (group: string, asset: string) =>
  dataOf(
    api.POST('/api/v1/asset-groups/{asset_group_uuid}/assets', {
      params: { path: { asset_group_uuid: group } },
      body: { asset_uuid: asset },
    }),
  )

export const removeFromGroup = (group: string, asset: string) =>
  dataOf(
    api.DELETE('/api/v1/asset-groups/{asset_group_uuid}/assets/{asset_uuid}', {
      params: { path: { asset_group_uuid: group, asset_uuid: asset } },
    }),
  )
