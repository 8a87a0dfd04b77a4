import { useQuery } from '@tanstack/react-query'
import { toast } from 'sonner'
import { importAsset, wholeListQuery } from '../api/assets'
import { messageOf } from '../api/client'
import { deleteGroup, type Group } from '../api/groups'
import { commonText } from '../text/common'
import { libraryText } from '../text/library'
import { Confirm } from '../ui/Confirm'
import { LinkDialog } from '../ui/LinkDialog'
import { GroupDialog } from './GroupDialog'
import { AssetPreview } from './AssetPreview'
import { RenameDialog } from '../ui/RenameDialog'
import { TagDialog } from './TagDialog'
import { TrimDialog } from './TrimDialog'
import { useRefreshLibrary } from './useAssets'
import type { LibraryModel } from './useLibrary'

/** The dialogs of the library page. */
export function Dialogs({ library }: { library: LibraryModel }) {
  const { asking, ask, actions, group, goTo } = library
  const refresh = useRefreshLibrary()
  const close = () => ask(null)
  const fetchLink = async (link: string) => {
    await importAsset(link, group?.uuid ?? null)
    await refresh()
    close()
  }

  const saveGroup = (saved: Group) => {
    if (asking?.what !== 'group') return
    if (asking.then.length > 0) void actions.addTo(saved, asking.then)
    else if (asking.group === 'new') goTo({ group: saved.uuid })
    close()
  }

  return (
    <>
      <OpenAsset library={library} />
      <RenameDialog
        name={asking?.what === 'rename' ? asking.asset.display_name : null}
        field="display_name"
        title={libraryText.renameAsset}
        maxLength={255}
        rename={async (name) => {
          if (asking?.what === 'rename') await actions.rename(asking.asset, name)
        }}
        onClose={close}
      />
      <TrimDialog asset={asking?.what === 'trim' ? asking.asset : null} onClose={close} />
      <TagDialog
        assets={asking?.what === 'tag' ? asking.assets : null}
        onClose={close}
        onSave={(add, remove) => {
          if (asking?.what === 'tag') void actions.tag(asking.assets, add, remove)
          close()
        }}
      />
      <GroupDialog group={asking?.what === 'group' ? asking.group : null} onClose={close} onSaved={saveGroup} />
      <DeleteAssets library={library} />
      <DeleteGroup library={library} />
      <LinkDialog
        link={asking?.what === 'link' ? asking.link : null}
        onOpenChange={(open) => !open && close()}
        title={libraryText.importTitle}
        description={libraryText.importHelp}
        action={libraryText.importAction}
        placeholder={libraryText.importPlaceholder}
        start={fetchLink}
      />
    </>
  )
}

// OpenAsset shows the asset in the URL while the current list contains it.
function OpenAsset({ library: { search, filter, goTo, ask, extract } }: { library: LibraryModel }) {
  const list = useQuery({ ...wholeListQuery(filter), enabled: search.asset !== undefined }).data ?? []
  const index = list.findIndex((a) => a.uuid === search.asset)
  const step = (by: -1 | 1) => {
    const next = list[index + by]
    if (next) goTo({ asset: next.uuid }, true)
  }

  return (
    <AssetPreview
      asset={list[index] ?? null}
      onClose={() => goTo({ asset: undefined })}
      onStep={step}
      onTrim={(asset) => ask({ what: 'trim', asset })}
      onExtract={extract}
      onDelete={(asset) => ask({ what: 'delete', assets: [asset] })}
      onNewGroup={(asset) => ask({ what: 'group', group: 'new', then: [asset] })}
    />
  )
}

function DeleteAssets({ library: { asking, ask, actions, selectNone, goTo, search } }: { library: LibraryModel }) {
  const assets = asking?.what === 'delete' ? asking.assets : []
  const onlyAsset = assets.length === 1 ? assets[0] : undefined
  const remove = () => {
    void actions.remove(assets)
    selectNone()
    if (onlyAsset && onlyAsset.uuid === search.asset) goTo({ asset: undefined })
    ask(null)
  }

  return (
    <Confirm
      open={asking?.what === 'delete'}
      onOpenChange={(open) => !open && ask(null)}
      title={libraryText.confirmDelete(assets.map((a) => a.display_name))}
      yes={commonText.deletePermanently}
      onConfirm={remove}
    >
      {libraryText.confirmDeleteHelp(assets.length)}
    </Confirm>
  )
}

function DeleteGroup({ library: { asking, ask, goTo } }: { library: LibraryModel }) {
  const refresh = useRefreshLibrary()
  const group = asking?.what === 'deleteGroup' ? asking.group : null
  const remove = async ({ uuid, name }: Group) => {
    await deleteGroup(uuid)
    goTo({ group: undefined })
    await refresh()
    toast(libraryText.groupDeleted(name))
  }

  return (
    <Confirm
      open={group !== null}
      onOpenChange={(open) => !open && ask(null)}
      title={libraryText.confirmDeleteGroup(group?.name ?? '')}
      yes={libraryText.deleteGroup}
      onConfirm={() => {
        if (group)
          void remove(group).catch((error: unknown) =>
            toast.error(libraryText.groupNotDeleted, { description: messageOf(error) }),
          )
        ask(null)
      }}
    >
      {libraryText.confirmDeleteGroupHelp(group?.asset_count ?? 0)}
    </Confirm>
  )
}
