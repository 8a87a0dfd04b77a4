import { Pencil, Share, Trash2 } from 'lucide-react'
import type { Short } from '../../api/shorts'
import { shortsText as text } from '../../text/editor/shorts'
import { IconButton } from '../../ui/Button'
import { PHONE, useMedia } from '../../ui/useMedia'
import { exportShort } from '../commands/shortActions'
import { useCommand } from '../commands/useCommand'
import { timecode } from '../plan/timecode'
import { usePlayer, useShorts } from '../state/contexts'
import { useEditorStore } from '../state/store'
import { ShortNameField } from '../timeline/ShortNameField'

/** The shorts of the project on a phone, which has no timeline. */
export function ShortsList() {
  const { shorts } = useShorts()
  const phone = useMedia(PHONE)
  if (!phone || shorts.length === 0) return null
  return (
    <section className="flex max-h-1/2 shrink-0 flex-col border-b border-line">
      <h2 className="px-4 pt-2 text-xs font-medium text-muted">{text.lane}</h2>
      <ul className="min-h-0 overflow-y-auto p-2 pt-1">
        {shorts.map((short) => (
          <li key={short.uuid} className="flex items-center">
            <Row short={short} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function Row({ short }: { short: Short }) {
  const player = usePlayer()
  const { remove } = useShorts()
  const { enabled } = useCommand('export')
  const selected = useEditorStore((s) => s.selected === short.uuid)
  const naming = useEditorStore((s) => s.renamingShort === short.uuid)
  const { select, set } = useEditorStore.getState()
  if (naming) return <ShortNameField short={short} className="h-12 px-2 text-sm" />
  const toggle = () => {
    select(selected ? null : short.uuid)
    if (!selected) player?.seek(short.start_ms)
  }

  const drop = () => {
    if (selected) select(null)
    remove(short)
  }

  return (
    <>
      <button
        type="button"
        aria-pressed={selected}
        onClick={toggle}
        className="flex h-12 min-w-0 flex-1 flex-col justify-center rounded-md px-2 text-left aria-pressed:bg-accent-soft aria-pressed:inset-ring aria-pressed:inset-ring-accent forced-colors:aria-pressed:border-2"
      >
        <span dir="auto" className="w-full truncate text-sm font-medium">
          {short.name}
        </span>
        <span className="text-xs text-faint">
          {text.facts(timecode(short.start_ms), short.end_ms - short.start_ms)}
        </span>
      </button>
      <IconButton
        label={text.exportNamed(short.name)}
        className="size-10"
        disabled={!enabled}
        onClick={() => exportShort(short)}
      >
        <Share size={16} />
      </IconButton>
      <IconButton
        label={text.renameNamed(short.name)}
        className="size-10"
        onClick={() => set({ renamingShort: short.uuid })}
      >
        <Pencil size={16} />
      </IconButton>
      <IconButton label={text.removeNamed(short.name)} className="size-10" onClick={drop}>
        <Trash2 size={16} />
      </IconButton>
    </>
  )
}
