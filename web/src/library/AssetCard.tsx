import { Check, EllipsisVertical, TriangleAlert } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { useState, type DragEvent, type MouseEvent, type ReactNode } from 'react'
import type { Asset } from '../api/assets'
import { timecode } from '../editor/plan/timecode'
import { bytes } from '../text/format'
import { libraryText } from '../text/library'
import { menuClass } from '../ui/menu'
import { AssetThumbnail } from './AssetThumbnail'
import { ASSET_DRAG, ASSETS_DRAG } from './drag'

/** The height of the text below a card's thumbnail, in pixels. */
export const CARD_TEXT = 56

interface AssetCardProps {
  asset: Asset
  selected: boolean
  /** Whether any asset is selected. If so, a click toggles the selection. */
  selecting: boolean
  /** The assets that a drag of this card moves. */
  dragged: () => string[]
  onClick: (event: MouseEvent) => void
  onSelect: (event: MouseEvent) => void
  menu: ReactNode
}

export function AssetCard({ asset, selected, selecting, dragged, onClick, onSelect, menu }: AssetCardProps) {
  const [hovered, setHovered] = useState(false)
  const drag = (event: DragEvent) => {
    event.dataTransfer.setData(ASSET_DRAG, asset.uuid)
    event.dataTransfer.setData(ASSETS_DRAG, dragged().join('\n'))
    event.dataTransfer.effectAllowed = 'copy'
  }

  return (
    <div
      className={`group relative flex size-full flex-col overflow-hidden rounded-lg border bg-surface transition-colors ${selected ? 'border-accent shadow-[0_0_0_1px_var(--accent)]' : 'border-line hover:border-strong'}`}
      draggable={asset.status === 'uploaded'}
      onDragStart={drag}
      onClick={onClick}
      onPointerEnter={(e) => setHovered(e.pointerType === 'mouse')}
      onPointerLeave={() => setHovered(false)}
    >
      <div className="relative min-h-0 flex-1">
        <AssetThumbnail asset={asset} hovered={hovered} />
        <button
          type="button"
          tabIndex={-1}
          role="checkbox"
          aria-checked={selected}
          aria-label={libraryText.select(asset.display_name)}
          onClick={onSelect}
          className={`absolute top-1 left-1 flex size-8 items-center justify-center transition-opacity ${selected || selecting ? '' : 'opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 [@media(hover:none)]:opacity-100'}`}
        >
          <span
            className={`inline-flex size-5 items-center justify-center rounded-sm border shadow-pop ${selected ? 'border-accent bg-accent text-accent-ink' : 'border-strong bg-surface text-transparent'}`}
          >
            <Check size={14} strokeWidth={3} />
          </span>
        </button>
        {asset.duration_ms !== null && (
          <span className="absolute right-1.5 bottom-1.5 rounded-sm bg-black/70 px-1.5 py-0.5 text-xs font-medium text-[#fff]">
            {timecode(asset.duration_ms)}
          </span>
        )}
      </div>
      <div className="flex shrink-0 items-center gap-1 pl-2.5" style={{ height: CARD_TEXT }}>
        <div className="min-w-0 flex-1">
          <p dir="auto" className="truncate text-left text-sm font-medium" title={asset.display_name}>
            {asset.display_name}
          </p>
          <AssetLine asset={asset} />
        </div>
        <div onClick={(e) => e.stopPropagation()}>
          <CardMenu asset={asset}>{menu}</CardMenu>
        </div>
      </div>
    </div>
  )
}

function AssetLine({ asset }: { asset: Asset }) {
  if (asset.status === 'pending')
    return (
      <p className="truncate text-xs text-accent">
        {asset.size_bytes > 0 ? libraryText.processing : libraryText.creating}
      </p>
    )
  if (asset.status === 'failed')
    return (
      <p className="truncate text-xs text-danger first-letter:uppercase">{asset.error ?? libraryText.unreadable}</p>
    )
  return (
    <p className="flex items-center gap-1 truncate text-xs text-faint">
      {asset.error !== null && (
        <TriangleAlert size={12} className="shrink-0 text-danger" aria-label={libraryText.editFailed} />
      )}
      <span className="truncate">
        {[
          asset.width && asset.kind !== 'audio' ? `${asset.width}×${asset.height}` : bytes(asset.size_bytes),
          ...asset.tags,
        ].join(' · ')}
      </span>
    </p>
  )
}

function CardMenu({ asset, children }: { asset: Asset; children: ReactNode }) {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger
        tabIndex={-1}
        aria-label={libraryText.actions(asset.display_name)}
        className="inline-flex h-10 w-8 items-center justify-center rounded-md text-muted opacity-70 transition-opacity group-hover:opacity-100 hover:bg-hover hover:text-ink focus-visible:opacity-100 data-[state=open]:opacity-100"
      >
        <EllipsisVertical size={16} />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content align="end" className={menuClass} onCloseAutoFocus={(e) => e.preventDefault()}>
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}
