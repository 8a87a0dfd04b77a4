import { Eye, Music, Pencil, Scissors, Tag, Trash2 } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import type { ComponentProps } from 'react'
import type { Asset } from '../api/assets'
import { commonText } from '../text/common'
import { libraryText } from '../text/library'
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

/** The menu items of an asset. */
export function AssetMenu({ asset, onOpen, onTrim, onExtract, onRename, onTag, onDelete }: AssetMenuProps) {
  const playable = asset.status === 'uploaded' && asset.kind !== 'image' && asset.duration_ms !== null
  return (
    <>
      <Item onSelect={onOpen}>
        <Eye size={14} /> {libraryText.preview}
      </Item>
      {playable && (
        <Item onSelect={onTrim}>
          <Scissors size={14} /> {libraryText.trim}
        </Item>
      )}
      {playable && asset.kind === 'video' && (
        <Item onSelect={onExtract}>
          <Music size={14} /> {libraryText.extractAudio}
        </Item>
      )}
      <Item onSelect={onRename}>
        <Pencil size={14} /> {commonText.rename}
      </Item>
      <Item onSelect={onTag}>
        <Tag size={14} /> {libraryText.tags}
      </Item>
      <Item className={`${menuItemClass} text-danger`} onSelect={onDelete}>
        <Trash2 size={14} /> {commonText.delete}
      </Item>
    </>
  )
}

const Item = (props: ComponentProps<typeof DropdownMenu.Item>) => (
  <DropdownMenu.Item className={menuItemClass} {...props} />
)
