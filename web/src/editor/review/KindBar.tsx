import { EyeOff, VolumeX } from 'lucide-react'
import { Switch } from 'radix-ui'
import type { EditType } from '../../api/edits'
import { reviewText as text } from '../../text/editor/review'
import { useActions } from '../commands/useCommand'
import { cutTimeOf, mutes } from '../edits/cuts'
import { kindOf, kindsOf } from '../edits/kinds'
import type { ReviewRow } from '../edits/stretches'
import { useEdits } from '../state/contexts'
import { useEditorStore } from '../state/store'
import { KindSwatch } from './KindSwatch'

/** The kinds of cuts. Each is a switch that turns all cuts of the kind on or off. */
export function KindBar() {
  const { edits } = useEdits()
  return (
    <div
      role="group"
      aria-label={text.kinds}
      className="grid grid-cols-[repeat(2,minmax(0,auto))] justify-between gap-x-3 border-b border-line px-3 py-1 phone:gap-y-1"
    >
      {kindsOf(edits).map((kind) => (
        <Kind key={kind} kind={kind} />
      ))}
    </div>
  )
}

function Kind({ kind }: { kind: EditType }) {
  const { edits, rows } = useEdits()
  const { toggleKind } = useActions()
  const hidden = useEditorStore((s) => s.review.hidden.includes(kind))
  const all = edits.filter((e) => e.type === kind)
  const on = all.filter((e) => e.active).length
  const { active, total, muted } = countOf(rows, kind)
  return (
    <Switch.Root
      title={text.kindTotal({ active, total, muted, ms: cutTimeOf(edits, kind) })}
      checked={on > 0}
      onCheckedChange={() => toggleKind(kind, on < all.length)}
      className="group/kind -mx-1 flex h-6.5 min-w-0 items-center gap-1.5 rounded-md px-1 text-xs hover:bg-hover phone:h-10"
    >
      <KindSwatch kind={kind} />
      <span className={`min-w-0 truncate font-medium ${hidden ? 'text-faint' : ''}`}>{kindOf(kind).labelPlural}</span>
      <span className="mr-auto shrink-0 text-faint">{text.kindCount(active, total)}</span>
      {hidden && <EyeOff size={12} className="shrink-0 text-faint" aria-label={text.hiddenKind} />}
      {muted > 0 && <VolumeX size={12} className="shrink-0 text-faint" aria-label={text.muted} />}
      <Track mixed={on > 0 && on < all.length} />
    </Switch.Root>
  )
}

// Track draws the switch of a kind.
const Track = ({ mixed }: { mixed: boolean }) => (
  <span
    className={`inline-flex h-4 w-7 shrink-0 items-center rounded-full transition-colors forced-color-adjust-none forced-colors:border forced-colors:border-[ButtonText] forced-colors:bg-[Canvas] forced-colors:group-data-[state=checked]/kind:bg-[Highlight] ${mixed ? 'bg-accent/50' : 'bg-strong group-data-[state=checked]/kind:bg-accent'}`}
    aria-hidden
  >
    <span
      className={`block size-3 rounded-full bg-surface transition-transform forced-colors:bg-[ButtonText] forced-colors:group-data-[state=checked]/kind:bg-[HighlightText] ${mixed ? 'translate-x-2' : 'translate-x-0.5 group-data-[state=checked]/kind:translate-x-3.5'}`}
    />
  </span>
)

// countOf counts the rows with cuts of a kind: all, the active ones, and the muted ones.
function countOf(rows: readonly ReviewRow[], kind: EditType) {
  const has = (e: { type: EditType }) => e.type === kind
  const active = rows.filter((row) => row.active && row.cuts.some(has))
  return {
    total: rows.filter((row) => row.cuts.some(has) || row.inside.some(has)).length,
    active: active.length,
    muted: active.filter(mutes).length,
  }
}
