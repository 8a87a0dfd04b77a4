import { Check, VolumeX, X } from 'lucide-react'
import { reviewText as text } from '../../text/editor/review'
import { Button, IconButton } from '../../ui/Button'
import { useActions } from '../commands/useCommand'
import { mutes } from '../edits/cuts'
import { useEdits } from '../state/contexts'
import { useEditorStore } from '../state/store'

/** The actions on the cuts that are chosen together; nothing below two cuts. */
export function BulkBar() {
  const { edits } = useEdits()
  const { toggleCuts, muteCuts } = useActions()
  const chosen = useEditorStore((s) => s.chosen)
  const choose = useEditorStore((s) => s.choose)
  const cuts = edits.filter((e) => chosen.includes(e.uuid))
  if (cuts.length < 2) return null
  const lengthMs = cuts.reduce((sum, e) => sum + e.end_ms - e.start_ms, 0)
  const muted = cuts.every(mutes)
  return (
    <div role="toolbar" aria-label={text.bulk} className="flex items-center gap-1.5 border-t border-line px-3 py-1.5">
      <span className="min-w-0 flex-1 truncate text-xs text-muted" role="status">
        {text.chosen(cuts.length, lengthMs)}
      </span>
      <Button size="sm" disabled={cuts.every((e) => e.active)} onClick={() => toggleCuts(cuts, true)}>
        <Check size={14} aria-hidden /> {text.acceptChosen}
      </Button>
      <Button size="sm" disabled={cuts.every((e) => !e.active)} onClick={() => toggleCuts(cuts, false)}>
        <X size={14} aria-hidden /> {text.rejectChosen}
      </Button>
      <IconButton
        label={muted ? text.cutChosen : text.muteChosen}
        className="!size-7"
        onClick={() => muteCuts(cuts, !muted)}
      >
        <VolumeX size={14} />
      </IconButton>
      <IconButton label={text.chooseNone} className="!size-7" onClick={() => choose([])}>
        <X size={14} />
      </IconButton>
    </div>
  )
}
