import { useQuery } from '@tanstack/react-query'
import { EllipsisVertical, Link, Pencil, Tag, Trash2, X } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { assetTagsQuery, type Asset } from '../api/assets'
import { ASSETS } from '../api/filetypes'
import type { Group } from '../api/groups'
import { number } from '../text/format'
import { libraryText } from '../text/library'
import { Button } from '../ui/Button'
import { FileButton } from '../ui/FileButton'
import { menuItemClass, menuClass } from '../ui/menu'
import type { LibrarySearch } from './filter'
import { returnFocus } from '../ui/home'

interface ToolbarProps {
  title: string
  total: number | undefined
  /** Whether there is nothing to filter. The empty state below then offers to add assets. */
  empty: boolean
  /** The open group, or null. */
  group: Group | null
  search: LibrarySearch
  onSearch: (change: Partial<LibrarySearch>) => void
  onFiles: (files: File[]) => void
  onLink: () => void
  onChangeGroup: () => void
  onDeleteGroup: () => void
}

/** The title of the list, its filters, and the buttons to add assets. */
export function Toolbar({
  title,
  total,
  empty,
  group,
  search,
  onSearch,
  onFiles,
  onLink,
  onChangeGroup,
  onDeleteGroup,
}: ToolbarProps) {
  return (
    <div className="flex shrink-0 flex-col gap-3 p-4">
      <div className="flex items-start gap-2">
        <div className="min-w-0 flex-1">
          <h1 className="flex items-baseline gap-2 text-lg font-semibold tracking-tight">
            <span className="truncate">{title}</span>
            {total !== undefined && <span className="text-sm font-normal text-faint">{number(total)}</span>}
          </h1>
          {group && (group.description || group.default_instructions) && (
            <p className="max-w-2xl text-sm text-muted">
              {group.description}
              {group.default_instructions && (
                <span className="text-faint">
                  {group.description && ' · '}
                  {libraryText.howToUse(group.default_instructions)}
                </span>
              )}
            </p>
          )}
        </div>
        {group && <GroupActions group={group} onChange={onChangeGroup} onDelete={onDeleteGroup} />}
        {!empty && (
          <>
            <Button onClick={onLink}>
              <Link size={16} aria-hidden /> <span className="max-lg:sr-only">{libraryText.fromLink}</span>
            </Button>
            <Upload onFiles={onFiles} />
          </>
        )}
      </div>
      {!empty && (
        <div className="flex flex-wrap items-center gap-2">
          <Kinds kind={search.kind} onKind={(kind) => onSearch({ kind })} />
          <Tags tag={search.tag} onTag={(tag) => onSearch({ tag })} />
        </div>
      )}
    </div>
  )
}

/** A button that opens a file dialog and adds the chosen files to the library. */
export function Upload({ onFiles, size = 'md' }: { onFiles: (files: File[]) => void; size?: 'md' | 'lg' }) {
  return (
    <FileButton
      label={libraryText.addFiles}
      fieldLabel={libraryText.filesToAdd}
      accept={ASSETS}
      variant="primary"
      size={size}
      onFiles={onFiles}
    />
  )
}

function GroupActions({ group, onChange, onDelete }: { group: Group; onChange: () => void; onDelete: () => void }) {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger
        aria-label={libraryText.groupActions(group.name)}
        className="inline-flex size-8 shrink-0 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-ink"
      >
        <EllipsisVertical size={16} />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content align="end" className={menuClass} onCloseAutoFocus={returnFocus}>
          <DropdownMenu.Item className={menuItemClass} onSelect={onChange}>
            <Pencil size={14} /> {libraryText.editGroup}
          </DropdownMenu.Item>
          <DropdownMenu.Item className={`${menuItemClass} text-danger`} onSelect={onDelete}>
            <Trash2 size={14} /> {libraryText.deleteGroup}
          </DropdownMenu.Item>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

const KINDS: readonly { kind: Asset['kind'] | undefined; label: string }[] = [
  { kind: undefined, label: libraryText.kinds.all },
  { kind: 'image', label: libraryText.kinds.image },
  { kind: 'video', label: libraryText.kinds.video },
  { kind: 'audio', label: libraryText.kinds.audio },
]

function Kinds({
  kind,
  onKind,
}: {
  kind: Asset['kind'] | undefined
  onKind: (kind: Asset['kind'] | undefined) => void
}) {
  return (
    <div role="group" aria-label={libraryText.kind} className="flex rounded-md border border-line bg-raised p-0.5">
      {KINDS.map((k) => (
        <button
          key={k.label}
          type="button"
          aria-pressed={kind === k.kind}
          onClick={() => onKind(k.kind)}
          className={`h-7 rounded-sm px-2.5 text-sm transition-colors ${kind === k.kind ? 'bg-hover font-medium text-ink shadow-[inset_0_0_0_1px_var(--line-strong)]' : 'text-muted hover:text-ink'}`}
        >
          {k.label}
        </button>
      ))}
    </div>
  )
}

function Tags({ tag, onTag }: { tag: string | undefined; onTag: (tag: string | undefined) => void }) {
  const tags = useQuery(assetTagsQuery).data ?? []
  if (tag !== undefined) {
    return (
      <span className="inline-flex h-8 max-w-60 items-center gap-1 rounded-md bg-accent-soft pl-2.5 text-sm text-accent">
        <Tag size={14} className="shrink-0" aria-hidden /> <span className="truncate">{tag}</span>
        <button
          type="button"
          aria-label={libraryText.removeTagFilter(tag)}
          onClick={() => onTag(undefined)}
          className="inline-flex size-8 shrink-0 items-center justify-center rounded-md hover:bg-hover"
        >
          <X size={14} />
        </button>
      </span>
    )
  }

  if (tags.length === 0) return null
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>
        <Button>
          <Tag size={14} aria-hidden /> {libraryText.tag}
        </Button>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="start"
          sideOffset={4}
          className={`${menuClass} max-h-80 overflow-y-auto`}
          onCloseAutoFocus={returnFocus}
        >
          {tags.map((t) => (
            <DropdownMenu.Item key={t.tag} className={menuItemClass} onSelect={() => onTag(t.tag)}>
              <span className="max-w-60 truncate">{t.tag}</span>
              <span className="ml-auto pl-4 text-xs text-faint">{t.asset_count}</span>
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}
