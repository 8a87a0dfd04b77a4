import { Eye, Music, Pencil, Scissors, Tag, Trash2 } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import type { ComponentProps } from 'react'
import type { Asset } from '../api/assets'
import { menuItemClass } from '../ui/menu'

interface AssetMenuProps {
  asset: Asset
  onOpen: () => void
  onTrim: () => void
  onExtract: () => void
  onRename: () => void
  onTag: () => void
  onDelete: () => void
}

/** What a card's menu offers. */
export function AssetMenu({ asset, onOpen, onTrim, onExtract, onRename, onTag, onDelete }: AssetMenuProps) {
  const moves = asset.status === 'uploaded' && asset.kind !== 'image' && asset.duration_ms !== null
  return (
    <>
      <Item onSelect={onOpen}>
        <Eye size={14} /> Look at it
      </Item>
      {moves && (
        <Item onSelect={onTrim}>
          <Scissors size={14} /> Trim and cut
        </Item>
      )}
      {moves && asset.kind === 'video' && (
        <Item onSelect={onExtract}>
          <Music size={14} /> Copy its sound
        </Item>
      )}
      <Item onSelect={onRename}>
        <Pencil size={14} /> Rename
      </Item>
      <Item onSelect={onTag}>
        <Tag size={14} /> Tags
      </Item>
      <Item className={`${menuItemClass} text-danger`} onSelect={onDelete}>
        <Trash2 size={14} /> Delete
      </Item>
    </>
  )
}

const Item = (props: ComponentProps<typeof DropdownMenu.Item>) => (
  <DropdownMenu.Item className={menuItemClass} {...props} />
)
