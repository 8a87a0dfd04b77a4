import { useQuery } from '@tanstack/react-query'
import { Folder, FolderOpen, Inbox, Library, Pin, Plus, Star } from 'lucide-react'
import { useState, type DragEvent, type ReactNode } from 'react'
import { Link } from '@tanstack/react-router'
import { assetCountQuery } from '../api/assets'
import { groupsQuery, type Group } from '../api/groups'
import { number } from '../text/format'
import { libraryText } from '../text/library'
import { IconButton } from '../ui/Button'
import { Tip } from '../ui/Tip'
import { ASSET_DRAG, ASSETS_DRAG } from './drag'
import type { LibrarySearch } from './filter'

interface GroupsProps {
  search: LibrarySearch
  onNew: () => void
  /** Assets were dropped onto a group. */
  onDrop: (group: Group, assets: string[]) => void
}

/** The navigation to all assets, ungrouped assets and each group. */
export function Groups({ search, onNew, onDrop }: GroupsProps) {
  const groups = useQuery(groupsQuery)
  const all = useQuery(assetCountQuery(null)).data
  const none = useQuery(assetCountQuery('none')).data
  return (
    <nav
      aria-label={libraryText.groups}
      className="flex w-60 shrink-0 flex-col overflow-y-auto border-r border-line bg-surface p-3 max-lg:w-52 max-md:hidden"
    >
      <ul className="flex flex-col gap-0.5">
        <Entry
          group={undefined}
          search={search}
          icon={<Library size={16} />}
          label={libraryText.allAssets}
          total={all}
        />
        <Entry group="none" search={search} icon={<Inbox size={16} />} label={libraryText.ungrouped} total={none} />
      </ul>
      <div className="mt-4 mb-1 flex items-center justify-between pl-2">
        <h2 className="text-xs font-semibold text-faint">{libraryText.groups}</h2>
        <IconButton label={libraryText.newGroup} className="size-7" onClick={onNew}>
          <Plus size={16} />
        </IconButton>
      </div>
      {groups.data?.length === 0 && <p className="px-2 text-xs text-faint">{libraryText.groupsHelp}</p>}
      <ul className="flex flex-col gap-0.5">
        {groups.data?.map((g) => (
          <Entry
            key={g.uuid}
            group={g.uuid}
            search={search}
            icon={search.group === g.uuid ? <FolderOpen size={16} /> : <Folder size={16} />}
            label={g.name}
            total={g.asset_count}
            onDrop={(assets) => onDrop(g, assets)}
          >
            {g.is_default && (
              <Tip text={libraryText.defaultGroupTip}>
                <Star size={12} className="shrink-0 text-accent" aria-label={libraryText.defaultGroup} />
              </Tip>
            )}
            {g.is_pinned && <Pin size={12} className="shrink-0 text-faint" aria-label={libraryText.pinned} />}
          </Entry>
        ))}
      </ul>
    </nav>
  )
}

interface EntryProps {
  group: string | undefined
  search: LibrarySearch
  icon: ReactNode
  label: string
  total: number | undefined
  onDrop?: (assets: string[]) => void
  children?: ReactNode
}

function Entry({ group, search, icon, label, total, onDrop, children }: EntryProps) {
  const [over, setOver] = useState(false)
  const allow = (event: DragEvent) => {
    if (!onDrop || !event.dataTransfer.types.includes(ASSET_DRAG)) return
    event.preventDefault()
    event.dataTransfer.dropEffect = 'copy'
    setOver(true)
  }

  const drop = (event: DragEvent) => {
    setOver(false)
    const assets = event.dataTransfer.getData(ASSETS_DRAG).split('\n').filter(Boolean)
    if (assets.length > 0) onDrop?.(assets)
  }

  const current = search.group === group
  return (
    <li onDragOver={allow} onDragLeave={() => setOver(false)} onDrop={drop}>
      <Link
        to="/library"
        search={{ ...search, group, asset: undefined }}
        aria-current={current ? 'page' : undefined}
        activeOptions={{ exact: true, explicitUndefined: true }}
        className={`flex h-8 items-center gap-2 rounded-md px-2 text-sm transition-colors focus-visible:-outline-offset-2 ${over ? 'bg-accent-soft text-accent' : current ? 'bg-hover font-medium text-ink' : 'text-muted hover:bg-hover hover:text-ink'}`}
      >
        <span className="shrink-0" aria-hidden>
          {icon}
        </span>
        <span dir="auto" className="min-w-0 flex-1 truncate text-left">
          {label}
        </span>
        {children}
        {total !== undefined && <span className="text-xs text-faint">{number(total)}</span>}
      </Link>
    </li>
  )
}
