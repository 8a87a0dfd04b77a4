import { Check, VolumeX, X } from 'lucide-react'
import { useMemo } from 'react'
import { reviewText as text } from '../../text/editor/review'
import { Button, IconButton } from '../../ui/Button'
import { useActions } from '../commands/useCommand'
import { mutes } from '../edits/cuts'
import type { ReviewRow } from '../edits/stretches'
import { useEdits } from '../state/contexts'
import { useEditorStore } from '../state/store'

/** The actions on the cuts that are chosen together, of those in the list. Nothing below two cuts, unless clicks choose. */
export function BulkBar({ list }: { list: readonly ReviewRow[] }) {
  const { rows } = useEdits()
  const { toggleRows, muteRows } = useActions()
  const chosen = useEditorStore((s) => s.chosen)
  const choosing = useEditorStore((s) => s.choosing)
  const { choose, stopChoosing } = useEditorStore.getState()
  const cuts = useMemo(() => {
    const among = new Set(chosen)
    return rows.filter((row) => among.has(row.uuid))
  }, [rows, chosen])

  if (cuts.length < 2 && !choosing) return null
  const lengthMs = cuts.reduce((sum, e) => sum + e.end_ms - e.start_ms, 0)
  const muted = cuts.length > 0 && cuts.every(mutes)
  // Next to "All" the length does not fit.
  const count = choosing ? text.chosenCount(cuts.length) : text.chosen(cuts.length, lengthMs)
  const label = cuts.length > 0 ? count : text.chooseCuts
  return (
    <div
      role="toolbar"
      aria-label={text.bulk}
      className="flex items-center gap-1 border-t border-line py-1.5 pr-2 pl-3"
    >
      <span className="min-w-0 flex-1 truncate text-xs text-muted" role="status">
        {label}
      </span>
      {choosing && (
        <Button size="sm" disabled={cuts.length >= list.length} onClick={() => choose(list.map((row) => row.uuid))}>
          {text.chooseAll}
        </Button>
      )}
      {cuts.length > 0 && (
        <>
          <Button size="sm" disabled={cuts.every((e) => e.active)} onClick={() => toggleRows(cuts, true)}>
            <Check size={14} aria-hidden /> {text.acceptChosen}
          </Button>
          <Button size="sm" disabled={cuts.every((e) => !e.active)} onClick={() => toggleRows(cuts, false)}>
            <X size={14} aria-hidden /> {text.rejectChosen}
          </Button>
          <IconButton
            label={muted ? text.cutChosen : text.muteChosen}
            className="size-7"
            onClick={() => muteRows(cuts, !muted)}
          >
            <VolumeX size={14} />
          </IconButton>
        </>
      )}
      <IconButton label={text.chooseNone} className="size-7" onClick={stopChoosing}>
        <X size={14} />
      </IconButton>
    </div>
  )
}
