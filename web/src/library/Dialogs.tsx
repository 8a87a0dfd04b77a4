import { useQuery } from '@tanstack/react-query'
import { toast } from 'sonner'
import { importAsset, wholeListQuery } from '../api/assets'
import { messageOf } from '../api/client'
import { deleteGroup, type Group } from '../api/groups'
import { count } from '../editor/format'
import { Confirm } from '../ui/Confirm'
import { LinkDialog } from '../ui/LinkDialog'
import { GroupDialog } from './GroupDialog'
import { AssetPreview } from './AssetPreview'
import { RenameDialog } from './RenameDialog'
import { TagDialog } from './TagDialog'
import { TrimDialog } from './TrimDialog'
import { useRefreshLibrary } from './useAssets'
import type { LibraryModel } from './useLibrary'

/** All that comes in front of the grid. */
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
      <Looking library={library} />
      <RenameDialog asset={asking?.what === 'rename' ? asking.asset : null} onClose={close} rename={actions.rename} />
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
        title="Add from a link"
        description="Roughcut downloads the video or sound for you. Links to files work as they are; pages of video sites need yt-dlp on the server."
        action="Add to the library"
        placeholder="https://example.org/city.mp4"
        start={fetchLink}
      />
    </>
  )
}

// Looking shows the asset that the address names, until it is gone from what is shown.
function Looking({ library: { search, filter, goTo, ask, extract } }: { library: LibraryModel }) {
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
  const only = assets.length === 1 ? assets[0] : undefined
  const remove = () => {
    void actions.remove(assets)
    selectNone()
    if (only && only.uuid === search.asset) goTo({ asset: undefined })
    ask(null)
  }
  return (
    <Confirm
      open={asking?.what === 'delete'}
      onOpenChange={(open) => !open && ask(null)}
      title={only ? `Delete “${only.display_name}”?` : `Delete ${count(assets.length, 'asset')}?`}
      yes="Delete for good"
      no={only ? 'Keep it' : 'Keep them'}
      onConfirm={remove}
    >
      {only ? 'It is' : 'They are'} removed from this server, and from every project where {only ? 'it is' : 'they are'}{' '}
      placed. Exports that are finished stay as they are. Files that you still have elsewhere are not touched.
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
    toast(`The group “${name}” is deleted; its assets are still here`)
  }
  return (
    <Confirm
      open={group !== null}
      onOpenChange={(open) => !open && ask(null)}
      title={`Delete the group “${group?.name ?? ''}”?`}
      yes="Delete the group"
      onConfirm={() => {
        if (group)
          void remove(group).catch((error: unknown) =>
            toast.error('The group was not deleted', { description: messageOf(error) }),
          )
        ask(null)
      }}
    >
      {group?.asset_count ? `Its ${count(group.asset_count, 'asset')} stay in the library.` : 'It is empty.'} What is
      written about how to use them is gone.
    </Confirm>
  )
}
