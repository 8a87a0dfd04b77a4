import { Eye, EyeOff, Pencil, Share, SlidersHorizontal, Trash2 } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import type { Placement } from '../../api/edits'
import type { Marker } from '../../api/markers'
import type { Short } from '../../api/shorts'
import { shortsText } from '../../text/editor/shorts'
import { timelineText as text } from '../../text/editor/timeline'
import { CommandItem, ContextArea, MenuItem, MenuLine, type MenuPlace } from '../commands/ContextArea'
import { edgeFits, editAt } from '../edits/cuts'
import { CutItems } from '../review/CutMenu'
import { exportShort } from '../commands/shortActions'
import { useEdits, useMarkers, usePlayer, useShorts } from '../state/contexts'
import { useEditorStore } from '../state/store'
import { useSelectedRow } from '../state/useSelectedRow'
import { toMs, type Viewport } from './viewport'

interface TimelineMenuProps {
  view: Viewport
  /** Top of the waveform in pixels below the canvas's top. */
  wave: number
  children: ReactNode
}

/** The context menu of the timeline, for the chapter, the cut, the placed asset or the footage under the pointer. */
export function TimelineMenu({ view, wave, children }: TimelineMenuProps) {
  const { edits, placements } = useEdits()
  const player = usePlayer()
  const selected = useEditorStore((s) => s.selected)
  const cut = useSelectedRow()
  const placement = placements.find((p) => p.uuid === selected)
  const { shorts } = useShorts()
  const short = shorts.find((s) => s.uuid === selected)
  const { markers } = useMarkers()
  const [flag, setFlag] = useState<string | null>(null)
  const chapter = markers.find((m) => m.uuid === flag)
  const choose = ({ target, clientX, clientY }: MenuPlace) => {
    const { select, selection } = useEditorStore.getState()
    const marker = target.closest<HTMLElement>('[data-marker]')?.dataset['marker'] ?? null
    setFlag(marker)
    if (marker) return true
    const placed = target.closest<HTMLElement>('[data-placement]')?.dataset['placement']
    const short = target.closest<HTMLElement>('[data-short]')?.dataset['short']
    const item = placed ?? short
    if (item) {
      select(item)
      return true
    }

    const canvas = target.closest('canvas')?.getBoundingClientRect()
    if (!canvas) return false
    const ms = toMs(view, clientX - canvas.left)
    if (selection && ms >= selection.startMs && ms < selection.endMs) return true
    select((clientY - canvas.top < wave ? undefined : editAt(edits, ms))?.uuid ?? null)
    player?.pause()
    player?.seek(ms)
    return true
  }

  return (
    <ContextArea
      label={text.menu}
      choose={choose}
      items={
        chapter ? (
          <ChapterItems chapter={chapter} />
        ) : cut ? (
          <CutItems row={cut} />
        ) : placement ? (
          <PlacementItems placement={placement} />
        ) : short ? (
          <ShortItems short={short} />
        ) : (
          <FootageItems />
        )
      }
    >
      {children}
    </ContextArea>
  )
}

// ChapterItems are the items of a chapter or a note.
function ChapterItems({ chapter }: { chapter: Marker }) {
  const { remove } = useMarkers()
  return (
    <>
      <MenuItem
        icon={Pencil}
        label={chapter.kind === 'note' ? text.editNote : text.renameChapter}
        keys="F2"
        onSelect={() => useEditorStore.getState().set({ renamingChapter: chapter.uuid })}
      />
      <MenuItem
        icon={Trash2}
        label={chapter.kind === 'note' ? text.removeNote : text.removeChapter}
        onSelect={() => remove(chapter)}
      />
    </>
  )
}

function ShortItems({ short }: { short: Short }) {
  return (
    <>
      <MenuItem icon={Share} label={shortsText.export} onSelect={() => exportShort(short)} />
      <MenuItem
        icon={Pencil}
        label={shortsText.rename}
        keys="F2"
        onSelect={() => useEditorStore.getState().set({ renamingShort: short.uuid })}
      />
      <MenuLine />
      <CommandItem name="startHere" />
      <CommandItem name="endHere" />
      <MenuLine />
      <CommandItem name="delete" icon={Trash2} label={shortsText.remove} />
    </>
  )
}

function PlacementItems({ placement }: { placement: Placement }) {
  const { active } = placement
  const player = usePlayer()
  const ms = Math.round(player?.position() ?? 0)
  const [startFits, endFits] = [edgeFits(placement, 'start', ms), edgeFits(placement, 'end', ms)]
  return (
    <>
      <CommandItem name="toggle" icon={active ? EyeOff : Eye} label={active ? text.hideAsset : text.showAsset} />
      <MenuItem
        icon={SlidersHorizontal}
        label={text.assetOptions}
        onSelect={() => useEditorStore.getState().set({ leftTab: 'assets' })}
      />
      <MenuLine />
      <CommandItem name="startHere" disabled={!startFits} />
      <CommandItem name="endHere" disabled={!endFits} />
      <CommandItem name="split" disabled={!startFits || !endFits} />
      <MenuLine />
      <CommandItem name="delete" icon={Trash2} label={text.removeAsset} />
    </>
  )
}

function FootageItems() {
  const marked = useEditorStore((s) => s.selection !== null)
  return (
    <>
      <CommandItem name="split" />
      <CommandItem name="chapter" />
      <CommandItem name="note" />
      <CommandItem name="markIn" />
      <CommandItem name="markOut" />
      {marked && (
        <>
          <MenuLine />
          <CommandItem name="delete" label={text.cut} />
          <CommandItem name="mute" label={text.mute} />
          <CommandItem name="restore" label={text.restore} />
          <CommandItem name="short" label={shortsText.make} />
        </>
      )}
    </>
  )
}
