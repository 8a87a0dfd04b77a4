import { messageOf } from '../api/client'
import { AssetGrid } from '../library/AssetGrid'
import { AssetMenu } from '../library/AssetMenu'
import { Dialogs } from '../library/Dialogs'
import { EmptyLibrary, NothingFound } from '../library/EmptyStates'
import { narrows } from '../library/filter'
import { Groups } from '../library/Groups'
import { SelectionBar } from '../library/SelectionBar'
import { Toolbar } from '../library/Toolbar'
import { useFirstPage } from '../library/useAssets'
import { useLibrary, type LibraryModel } from '../library/useLibrary'
import { commonText } from '../text/common'
import { libraryText } from '../text/library'
import { Button } from '../ui/Button'
import { DropTarget } from '../ui/DropTarget'
import { Notice } from '../ui/Notice'
import { SearchBox } from '../ui/SearchBox'
import { Shell } from './Shell'

export function Library() {
  const library = useLibrary()
  const { search, goTo, group, ask, askLink, addFiles, selection } = library
  const firstPage = useFirstPage(library.filter)
  const total = firstPage.data?.total
  return (
    <Shell
      fill
      search={
        <SearchBox
          label={libraryText.search}
          value={search.q ?? ''}
          onChange={(q) => goTo({ q: q || undefined }, true)}
        />
      }
    >
      <DropTarget
        text={group ? libraryText.dropInGroup(group.name) : libraryText.dropInLibrary}
        onFiles={addFiles}
        onLink={askLink}
      >
        <div className="flex min-h-0 flex-1">
          <Groups
            search={search}
            onNew={() => ask({ what: 'group', group: 'new', then: [] })}
            onDrop={library.dropOn}
          />
          <main className="flex min-w-0 flex-1 flex-col">
            <Toolbar
              title={group?.name ?? (search.group === 'none' ? libraryText.ungrouped : libraryText.allAssets)}
              total={total}
              empty={total === 0 && !narrows(library.filter)}
              group={group}
              search={search}
              onSearch={goTo}
              onFiles={addFiles}
              onLink={() => askLink()}
              onChangeGroup={() => group && ask({ what: 'group', group, then: [] })}
              onDeleteGroup={() => group && ask({ what: 'deleteGroup', group })}
            />
            {selection.size > 0 && <Selected library={library} total={total ?? 0} />}
            {firstPage.isError ? (
              <div className="p-4">
                <Notice
                  tone="danger"
                  title={libraryText.listFailed}
                  action={
                    <Button size="sm" onClick={() => void firstPage.refetch()}>
                      {commonText.tryAgain}
                    </Button>
                  }
                >
                  {messageOf(firstPage.error)}
                </Notice>
              </div>
            ) : total === 0 ? (
              <Nothing library={library} />
            ) : (
              <Assets library={library} total={total ?? 0} />
            )}
          </main>
        </div>
      </DropTarget>
      <Dialogs library={library} />
    </Shell>
  )
}

function Nothing({ library: { filter, search, goTo, addFiles, askLink } }: { library: LibraryModel }) {
  if (narrows(filter)) return <NothingFound onClear={() => goTo({ q: undefined, kind: undefined, tag: undefined })} />
  return <EmptyLibrary inGroup={search.group !== undefined} onFiles={addFiles} onLink={() => askLink()} />
}

function Selected({ library, total }: { library: LibraryModel; total: number }) {
  const { selection, actions, ask, selectNone } = library
  const assets = [...selection.values()]
  return (
    <SelectionBar
      selected={selection.size}
      total={total}
      group={library.group}
      onAll={library.selectAll}
      onNone={selectNone}
      onTag={() => library.askTags(assets)}
      onAddTo={(group) => void actions.addTo(group, assets)}
      onRemoveFrom={(group) => void actions.removeFrom(group, assets).then(selectNone)}
      onNewGroup={() => ask({ what: 'group', group: 'new', then: assets })}
      onDelete={() => ask({ what: 'delete', assets })}
    />
  )
}

function Assets({ library, total }: { library: LibraryModel; total: number }) {
  const { filter, selection, goTo, ask } = library
  return (
    <AssetGrid
      key={JSON.stringify(filter)}
      filter={filter}
      total={total}
      selection={selection}
      onSelection={library.select}
      onSelectAll={library.selectAll}
      onOpen={(asset) => goTo({ asset: asset.uuid })}
      onRename={(asset) => ask({ what: 'rename', asset })}
      onDelete={(assets) => ask({ what: 'delete', assets })}
      menu={(asset) => (
        <AssetMenu
          asset={asset}
          onOpen={() => goTo({ asset: asset.uuid })}
          onTrim={() => ask({ what: 'trim', asset })}
          onExtract={() => library.extract(asset)}
          onRename={() => ask({ what: 'rename', asset })}
          onTag={() => library.askTags([asset])}
          onDelete={() => ask({ what: 'delete', assets: [asset] })}
        />
      )}
    />
  )
}
