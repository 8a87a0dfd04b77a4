import { Check, ChevronRight, X } from 'lucide-react'
import { useMemo } from 'react'
import type { Placement } from '../../api/edits'
import { AssetThumbnail } from '../../library/AssetThumbnail'
import { directorText as text } from '../../text/director'
import { Button, IconButton } from '../../ui/Button'
import { useAssetFiles, useEdits, useHistory, usePlayer, useWords } from '../state/contexts'
import { useEditorStore } from '../state/store'
import { timecode } from '../plan/timecode'
import { suggestionsOf, wordsAt } from './suggestions'

/** The assets that the AI Director suggests; nothing without a suggestion. */
export function Suggestions() {
  const { placements, previewing } = useEdits()
  const { history } = useHistory()
  const list = useMemo(() => suggestionsOf(placements), [placements])
  const selected = useEditorStore((s) => s.suggestions)
  const setSelected = (suggestions: ReadonlySet<string>) => useEditorStore.getState().set({ suggestions })
  const open = useEditorStore((s) => s.suggesting)
  const chosen = list.filter((p) => selected.has(p.uuid))
  const meant = chosen.length > 0 ? chosen : list
  if (list.length === 0) return null
  const decided = (some: readonly Placement[]) => {
    const gone = new Set(some.map((p) => p.uuid))
    setSelected(new Set([...selected].filter((uuid) => !gone.has(uuid))))
    return [...gone]
  }

  const accept = (some: readonly Placement[]) => history.toggle(decided(some), true, text.changes.accept(some.length))
  const dismiss = (some: readonly Placement[]) =>
    history.perform(text.changes.dismiss(some.length), { remove: decided(some) })

  const select = (uuid: string, on: boolean) => {
    const next = new Set(selected)
    if (on) next.add(uuid)
    else next.delete(uuid)
    setSelected(next)
  }

  return (
    <section
      aria-label={text.suggestions}
      className="flex max-h-[45%] shrink-0 flex-col border-b border-line [@media(max-height:799px)]:max-h-[max(7rem,calc(100%-14.5rem))]"
    >
      <div className="flex items-center gap-1.5 px-3 py-1 [@media(max-height:799px)]:py-0">
        <h3 className="flex-1">
          <button
            type="button"
            aria-expanded={open}
            className="flex items-center gap-1 text-xs font-semibold whitespace-nowrap hover:text-accent"
            onClick={() => useEditorStore.getState().set({ suggesting: !open })}
          >
            <ChevronRight size={14} className={open ? 'rotate-90' : ''} aria-hidden />
            {text.count(list.length)}
          </button>
        </h3>
        <Button size="sm" className="gap-1 px-1.5" disabled={previewing} onClick={() => dismiss(meant)}>
          <X size={14} aria-hidden /> {chosen.length > 0 ? text.dismissSelected(chosen.length) : text.dismissAll}
        </Button>
        <Button size="sm" className="gap-1 px-1.5" disabled={previewing} onClick={() => accept(meant)}>
          <Check size={14} aria-hidden /> {chosen.length > 0 ? text.acceptSelected(chosen.length) : text.acceptAll}
        </Button>
      </div>
      <ul hidden={!open} className="min-h-0 overflow-y-auto px-2 pb-2">
        {list.map((p) => (
          <Row
            key={p.uuid}
            item={p}
            selected={selected.has(p.uuid)}
            locked={previewing}
            onSelect={(on) => select(p.uuid, on)}
            onAccept={() => accept([p])}
            onDismiss={() => dismiss([p])}
          />
        ))}
      </ul>
    </section>
  )
}

interface RowProps {
  item: Placement
  selected: boolean
  locked: boolean
  onSelect: (on: boolean) => void
  onAccept: () => void
  onDismiss: () => void
}

function Row({ item, selected, locked, onSelect, onAccept, onDismiss }: RowProps) {
  const asset = useAssetFiles().get(item.asset_file_id)
  const words = useWords()
  const player = usePlayer()
  const select = useEditorStore((s) => s.select)
  const name = asset?.display_name ?? ''
  const time = timecode(item.start_ms)
  const said = wordsAt(words, item)
  return (
    <li className="group flex items-center gap-2 rounded-md p-1.5 hover:bg-hover" data-suggestion={item.uuid}>
      <input
        type="checkbox"
        className="size-4 shrink-0 accent-(--accent)"
        aria-label={text.select(name, time)}
        checked={selected}
        onChange={(e) => onSelect(e.target.checked)}
      />
      <button
        type="button"
        aria-label={text.show(name, time)}
        className="flex min-w-0 flex-1 items-center gap-2 text-left"
        onClick={() => {
          select(item.uuid)
          player?.seek(item.start_ms)
        }}
      >
        <span className="relative h-10 w-16 shrink-0 overflow-hidden rounded-sm bg-film">
          {asset && <AssetThumbnail asset={asset} hovered={false} />}
        </span>
        <span className="min-w-0 flex-1">
          <span className="flex items-baseline gap-2 text-xs">
            <bdi className="min-w-0 truncate font-medium">{name}</bdi>
            <span className="shrink-0 text-faint">{time}</span>
          </span>
          {said && <span className="block truncate text-xs">{text.mentioned(said)}</span>}
          <span className="line-clamp-2 text-xs text-muted" title={item.reason}>
            {item.reason}
          </span>
        </span>
      </button>
      <IconButton label={text.accept(name)} disabled={locked} onClick={onAccept}>
        <Check size={16} />
      </IconButton>
      <IconButton label={text.dismiss(name)} disabled={locked} onClick={onDismiss}>
        <X size={16} />
      </IconButton>
    </li>
  )
}
