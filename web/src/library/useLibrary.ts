import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { toast } from 'sonner'
import { editAsset, wholeListQuery, type Asset, type AssetFilter } from '../api/assets'
import { messageOf } from '../api/client'
import { groupsQuery, type Group } from '../api/groups'
import { useUploads } from '../editor/state/uploads'
import { libraryText } from '../text/library'
import { filterOf, type LibrarySearch } from './filter'
import { useAssetActions, useRefreshLibrary } from './useAssets'

const route = getRouteApi('/home/library')

/** The open dialog. */
export type Asking =
  | { what: 'rename' | 'trim'; asset: Asset }
  | { what: 'tag' | 'delete'; assets: Asset[] }
  | { what: 'group'; group: Group | 'new'; then: Asset[] }
  | { what: 'deleteGroup'; group: Group }
  | { what: 'link'; link: string }

export type Selection = ReadonlyMap<string, Asset>

const NONE: Selection = new Map()

/** The state and actions that the parts of the library page share. */
export interface LibraryModel {
  search: LibrarySearch
  filter: AssetFilter
  /** The open group, or null. */
  group: Group | null
  /** Changes the search parameters. This clears the selection unless the change concerns only the preview. */
  goTo: (change: Partial<LibrarySearch>, replace?: boolean) => void
  selection: Selection
  select: (selection: Selection) => void
  selectNone: () => void
  selectAll: () => void
  asking: Asking | null
  ask: (asking: Asking | null) => void
  /** Opens the tag dialog with the current tags of the assets. */
  askTags: (assets: readonly Asset[]) => void
  askLink: (link?: string) => void
  addFiles: (files: File[]) => void
  dropOn: (group: Group, uuids: readonly string[]) => void
  extract: (asset: Asset) => void
  actions: ReturnType<typeof useAssetActions>
}

export function useLibrary(): LibraryModel {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const queryClient = useQueryClient()
  const refresh = useRefreshLibrary()
  const actions = useAssetActions()
  const group = useQuery(groupsQuery).data?.find((g) => g.uuid === search.group) ?? null
  const [selection, select] = useState(NONE)
  const [asking, ask] = useState<Asking | null>(null)
  const filter = filterOf(search)
  // Calls use with the current state of all assets that match the filter.
  const withAll = (use: (all: Asset[]) => unknown) =>
    void queryClient
      .fetchQuery(wholeListQuery(filter))
      .then(use)
      .catch((error: unknown) => toast.error(libraryText.listFailed, { description: messageOf(error) }))

  return {
    search,
    filter,
    group,
    goTo: (change, replace = false) => {
      if (!('asset' in change)) select(NONE)
      void navigate({ search: (s) => ({ ...s, asset: undefined, ...change }), replace })
    },
    selection,
    select,
    selectNone: () => select(NONE),
    selectAll: () => withAll((all) => select(new Map(all.map((a) => [a.uuid, a])))),
    asking,
    ask,
    askTags: (assets) => {
      const uuids = new Set(assets.map((a) => a.uuid))
      withAll((all) => ask({ what: 'tag', assets: all.filter((a) => uuids.has(a.uuid)) }))
    },
    askLink: (link = '') => ask({ what: 'link', link }),
    addFiles: (files) => useUploads.getState().addAssets(group?.uuid ?? null, files),
    dropOn: (to, uuids) =>
      withAll((all) =>
        actions.addTo(
          to,
          all.filter((a) => uuids.includes(a.uuid)),
        ),
      ),
    extract: (asset) =>
      void editAsset(asset.uuid, { extract_audio: true })
        .then(() => {
          toast(libraryText.extracting(asset.display_name))
          return refresh()
        })
        .catch((error: unknown) => toast.error(libraryText.notExtracted, { description: messageOf(error) })),
    actions,
  }
}
