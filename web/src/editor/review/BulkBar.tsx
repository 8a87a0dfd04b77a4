import { Check, VolumeX, X } from 'lucide-react'
import type { Edit } from '../../api/edits'
import { reviewText as text } from '../../text/editor/review'
import { Button, IconButton } from '../../ui/Button'
import { useActions } from '../commands/useCommand'
import { mutes } from '../edits/cuts'
import { useEdits } from '../state/contexts'
import { useEditorStore } from '../state/store'

/** The actions on the cuts that are chosen together, of those in the list. Nothing below two cuts, unless clicks choose. */
export function BulkBar({ list }: { list: readonly Edit[] }) {
  const { edits } = useEdits()
  const { toggleCuts, muteCuts } = useActions()
  const chosen = useEditorStore((s) => s.chosen)
  const choosing = useEditorStore((s) => s.choosing)
  const { choose, stopChoosing } = useEditorStore.getState()
  const cuts = edits.filter((e) => chosen.includes(e.uuid))
  if (cuts.length < 2 && !choosing) return null
  const lengthMs = cuts.reduce((sum, e) => sum + e.end_ms - e.start_ms, 0)
  const muted = cuts.length > 0 && cuts.every(mutes)
  return (
    <div role="toolbar" aria-label={text.bulk} className="flex items-center gap-1.5 border-t border-line px-3 py-1.5">
      <span className="min-w-0 flex-1 truncate text-xs text-muted" role="status">
        {cuts.length > 0 ? text.chosen(cuts.length, lengthMs) : text.chooseCuts}
      </span>
      {choosing && (
        <Button size="sm" disabled={cuts.length >= list.length} onClick={() => choose(list.map((e) => e.uuid))}>
          {text.chooseAll}
        </Button>
      )}
      <Button size="sm" disabled={cuts.every((e) => e.active)} onClick={() => toggleCuts(cuts, true)}>
        <Check size={14} aria-hidden /> {text.acceptChosen}
      </Button>
      <Button size="sm" disabled={cuts.every((e) => !e.active)} onClick={() => toggleCuts(cuts, false)}>
        <X size={14} aria-hidden /> {text.rejectChosen}
      </Button>
      <IconButton
        label={muted ? text.cutChosen : text.muteChosen}
        disabled={cuts.length === 0}
        className="!size-7"
        onClick={() => muteCuts(cuts, !muted)}
      >
        <VolumeX size={14} />
      </IconButton>
      <IconButton label={text.chooseNone} className="!size-7" onClick={stopChoosing}>
        <X size={14} />
      </IconButton>
    </div>
  )
}
