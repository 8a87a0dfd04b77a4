import { Play, Scissors, Square, SquareCheck, Trash2, VolumeX } from 'lucide-react'
import type { MouseEvent } from 'react'
import type { Edit } from '../../api/edits'
import { reviewText as text } from '../../text/editor/review'
import { duration } from '../../text/format'
import { Badge } from '../../ui/Badge'
import { Button } from '../../ui/Button'
import { Tip } from '../../ui/Tip'
import { CommandButton } from '../commands/CommandButton'
import { useActions, useShortcut } from '../commands/useCommand'
import { mutes } from '../edits/cuts'
import { kindOf } from '../edits/kinds'
import { groupOf } from '../edits/takes'
import { Toggle } from '../../ui/Toggle'
import { useTakeGroups } from '../state/contexts'
import { useEditorStore } from '../state/store'
import { timecode } from '../plan/timecode'
import { KindSwatch } from './KindSwatch'
import { TakesPanel } from './TakesPanel'

interface CutRowProps {
  edit: Edit
  index: number
  selected: boolean
  /** Whether the cut is chosen together with others. */
  chosen: boolean
  /** Whether a row has one line only. */
  low: boolean
  onClick: (event: MouseEvent, edit: Edit) => void
  top: number
  measure: (element: Element | null) => void
}

/** A row of the list of cuts. The selected row shows the whole reason and the controls of the cut. */
export function CutRow({ edit, index, selected, chosen, low, onClick, top, measure }: CutRowProps) {
  const { toggle } = useActions()
  const group = groupOf(useTakeGroups(), edit)
  const choosing = useEditorStore((s) => s.choosing)
  const Box = chosen ? SquareCheck : Square
  const short = low && !selected
  const doubtful = useEditorStore(({ review }) => review.order === 'confidence' || review.below !== null)
  return (
    <div
      ref={measure}
      data-index={index}
      id={`cut-${edit.uuid}`}
      role="row"
      aria-rowindex={index + 1}
      aria-selected={selected || chosen}
      data-cut={edit.uuid}
      data-active={edit.active}
      data-action={edit.action ?? 'cut'}
      onClick={(event) => onClick(event, edit)}
      style={{ transform: `translateY(${top}px)` }}
      className={`absolute inset-x-0 flex select-none gap-3 border-l-2 px-3 ${low ? 'py-1' : 'py-1.5'} ${selected || chosen ? 'border-accent bg-accent-soft' : 'border-transparent hover:bg-hover'}`}
    >
      <span className="pt-0.5" role="presentation">
        <KindSwatch kind={edit.type} off={!edit.active} mute={mutes(edit)} />
      </span>
      <div role="gridcell" className="min-w-0 flex-1">
        <div className="flex items-baseline gap-2 text-xs leading-5">
          <span className={edit.active ? 'font-semibold text-ink' : 'text-muted'}>{timecode(edit.start_ms)}</span>
          <span className="min-w-0 truncate text-muted">
            {short ? edit.reason || kindOf(edit.type).label : kindOf(edit.type).label}
            {group && edit.take_number !== null && `, ${text.takeOf(edit.take_number, group.takes.length)}`}
          </span>
          {edit.active && mutes(edit) && <Badge>{text.muted}</Badge>}
          <span className="ml-auto shrink-0 text-faint">
            {doubtful && edit.confidence !== null && `${text.confidenceValue(edit.confidence)} · `}
            {duration(edit.end_ms - edit.start_ms)}
          </span>
        </div>
        {!short && !(low && group) && (
          <p className={`text-xs leading-5 ${selected ? '' : 'truncate'} ${edit.active ? 'text-muted' : 'text-faint'}`}>
            {edit.reason || kindOf(edit.type).label}
          </p>
        )}
        {selected && <Inspector edit={edit} />}
        {selected && group && <TakesPanel group={group} low={low} />}
      </div>
      <span role="gridcell" className="pt-0.5">
        {choosing ? (
          <Box size={18} className={chosen ? 'text-accent' : 'text-faint'} aria-hidden />
        ) : (
          <Toggle
            label={text.cutAt(kindOf(edit.type).label, timecode(edit.start_ms))}
            checked={edit.active}
            onChange={() => toggle(edit)}
          />
        )}
      </span>
    </div>
  )
}

// Inspector plays the selected cut before and after, and shows the confidence of the analysis.
function Inspector({ edit }: { edit: Edit }) {
  const { playCut } = useActions()
  const [before, after] = [useShortcut('before'), useShortcut('after')]
  const muted = edit.active && mutes(edit)
  return (
    <div className="mt-1 -mr-10 mb-0.5 flex items-center gap-1.5" onClick={(e) => e.stopPropagation()}>
      <Tip text={text.beforeHint} keys={before}>
        <Button size="sm" tabIndex={-1} onClick={() => playCut(edit, 'before')}>
          <Play size={12} aria-hidden /> {text.before}
        </Button>
      </Tip>
      <Tip text={muted ? text.mutedHint : text.afterHint} keys={after}>
        <Button size="sm" tabIndex={-1} onClick={() => playCut(edit, 'after')}>
          <Play size={12} aria-hidden /> {muted ? text.muted : text.after}
        </Button>
      </Tip>
      {edit.confidence !== null && <Confidence value={edit.confidence} />}
      <CommandButton
        name="mute"
        icon={muted ? Scissors : VolumeX}
        label={muted ? text.cutInstead : text.muteInstead}
        size={14}
        className="ml-auto size-7"
      />
      {edit.type === 'manual' && (
        <CommandButton name="delete" icon={Trash2} label={text.remove} size={14} className="size-7" />
      )}
    </div>
  )
}

function Confidence({ value }: { value: number }) {
  const parts = Math.max(1, Math.round(value * 5))
  return (
    <span
      className="ml-1 inline-flex h-4 items-center gap-1.5 text-xs text-faint"
      title={text.confidenceMeaning(value)}
    >
      <span className="flex gap-0.5" aria-hidden>
        {Array.from({ length: 5 }, (_, i) => (
          <span key={i} className={`h-2.5 w-1 rounded-full ${i < parts ? 'bg-accent' : 'bg-strong'}`} />
        ))}
      </span>
      {text.confidenceValue(value)} <span className="sr-only">{text.confident}</span>
    </span>
  )
}
