import { ChevronDown, ChevronRight, Play, Scissors, Square, SquareCheck, Trash2, VolumeX } from 'lucide-react'
import type { MouseEvent } from 'react'
import { reviewText as text } from '../../text/editor/review'
import { duration } from '../../text/format'
import { Badge } from '../../ui/Badge'
import { Button } from '../../ui/Button'
import { Tip } from '../../ui/Tip'
import { CommandButton } from '../commands/CommandButton'
import { useActions, useShortcut } from '../commands/useCommand'
import { mutes } from '../edits/cuts'
import { kindOf } from '../edits/kinds'
import { hasParts, type ReviewRow } from '../edits/stretches'
import { groupOfRow, takeCutOf } from '../edits/takes'
import { Toggle } from '../../ui/Toggle'
import { useTakeGroups } from '../state/contexts'
import { useEditorStore } from '../state/store'
import { timecode } from '../plan/timecode'
import { KindSwatch } from './KindSwatch'
import { TakesPanel } from './TakesPanel'

interface CutRowProps {
  row: ReviewRow
  index: number
  selected: boolean
  /** Whether the row is chosen together with others. */
  chosen: boolean
  /** Whether the parts of the row are shown below it. */
  opened: boolean
  onClick: (event: MouseEvent, row: ReviewRow) => void
  top: number
  measure: (element: Element | null) => void
}

/** A row of the list of cuts. The selected row shows the whole reason and the controls of the cut. */
export function CutRow({ row, index, selected, chosen, opened, onClick, top, measure }: CutRowProps) {
  const { toggle } = useActions()
  const group = groupOfRow(useTakeGroups(), row)
  const choosing = useEditorStore((s) => s.choosing)
  const Box = chosen ? SquareCheck : Square
  const doubtful = useEditorStore(({ review }) => review.order === 'confidence' || review.below !== null)
  const take = group && takeCutOf(row)?.take_number
  const kinds = [...new Set(row.cuts.map((e) => kindOf(e.type).label))].join(', ')
  return (
    <div
      ref={measure}
      data-index={index}
      id={idOf(row)}
      role="row"
      aria-rowindex={index + 1}
      aria-level={row.part ? 2 : 1}
      aria-expanded={hasParts(row) ? opened : undefined}
      aria-selected={selected || chosen}
      data-cut={row.part ? undefined : row.uuid}
      data-part={row.part ? row.uuid : undefined}
      data-active={row.active}
      data-action={row.action}
      onClick={(event) => onClick(event, row)}
      style={{ transform: `translateY(${top}px)` }}
      className={`absolute inset-x-0 select-none border-l-2 py-1 pr-3 text-xs phone:py-0.5 ${row.part ? 'pl-9' : 'pl-3'} ${selected || chosen ? 'border-accent bg-accent-soft' : 'border-transparent hover:bg-hover'}`}
    >
      <div role="presentation" className="flex h-6 items-center gap-2 phone:h-10">
        <span role="gridcell" className="flex min-w-0 flex-1 items-center gap-2">
          <KindSwatch kind={row.type} off={!row.active} mute={mutes(row)} />
          <span className={row.active ? 'font-semibold text-ink' : 'text-muted'}>{timecode(row.start_ms)}</span>
          <span className={`min-w-0 truncate ${row.active ? 'text-muted' : 'text-faint'}`}>
            {selected ? kinds : row.reason || kinds}
            {group && take != null && `, ${text.takeOf(take, group.takes.length)}`}
          </span>
          {row.active && mutes(row) && <Badge>{text.muted}</Badge>}
          <span className="ml-auto shrink-0 text-faint">
            {doubtful && row.confidence !== null && `${text.confidenceValue(row.confidence)} · `}
            {duration(row.end_ms - row.start_ms)}
          </span>
        </span>
        {hasParts(row) && <Parts row={row} opened={opened} />}
        <span role="gridcell" className="flex">
          {choosing ? (
            <Box size={18} className={chosen ? 'text-accent' : 'text-faint'} aria-hidden />
          ) : (
            <Toggle
              label={text.cutAt(kindOf(row.type).label, timecode(row.start_ms))}
              checked={row.active}
              onChange={() => toggle(row)}
            />
          )}
        </span>
      </div>
      {selected && (
        <div role="gridcell" className="pl-6">
          {/* The parts below an opened row have its reasons and takes. */}
          {!opened && row.reason && (
            <p title={row.reason} className={`line-clamp-2 leading-5 ${row.active ? 'text-muted' : 'text-faint'}`}>
              {row.reason}
            </p>
          )}
          <Inspector row={row} />
          {!opened && group && <TakesPanel group={group} />}
        </div>
      )}
    </div>
  )
}

/** The ID of the element of a row. */
export const idOf = ({ uuid, part }: ReviewRow) => `${part ? 'part' : 'cut'}-${uuid}`

// Parts shows or hides the parts of a row.
function Parts({ row, opened }: { row: ReviewRow; opened: boolean }) {
  const parts = row.cuts.length + row.inside.length
  const Chevron = opened ? ChevronDown : ChevronRight
  return (
    <span role="gridcell">
      <button
        type="button"
        tabIndex={-1}
        aria-label={text.parts(parts, opened)}
        title={text.parts(parts, opened)}
        onClick={(event) => {
          event.stopPropagation()
          useEditorStore.getState().open(row.uuid, !opened)
        }}
        className="flex h-6 items-center gap-0.5 rounded-md border border-line bg-raised pr-0.5 pl-1.5 text-xs text-muted hover:text-ink"
      >
        {parts}
        <Chevron size={12} aria-hidden />
      </button>
    </span>
  )
}

// Inspector plays the selected cut before and after, and shows the confidence of the analysis.
function Inspector({ row }: { row: ReviewRow }) {
  const { playRow } = useActions()
  const [before, after] = [useShortcut('before'), useShortcut('after')]
  const muted = row.active && mutes(row)
  return (
    <div className="@container my-0.5 flex items-center gap-1.5" onClick={(e) => e.stopPropagation()}>
      <Tip text={text.beforeHint} keys={before}>
        <Button size="sm" tabIndex={-1} onClick={() => playRow(row, 'before')}>
          <Play size={12} aria-hidden /> {text.before}
        </Button>
      </Tip>
      <Tip text={muted ? text.mutedHint : text.afterHint} keys={after}>
        <Button size="sm" tabIndex={-1} onClick={() => playRow(row, 'after')}>
          <Play size={12} aria-hidden /> {muted ? text.muted : text.after}
        </Button>
      </Tip>
      {row.confidence !== null && <Confidence value={row.confidence} />}
      <CommandButton
        name="mute"
        icon={muted ? Scissors : VolumeX}
        label={muted ? text.cutInstead : text.muteInstead}
        size={14}
        className="ml-auto size-7"
      />
      {row.cuts.every((e) => e.type === 'manual') && (
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
      <span className="@max-2xs:pointer-coarse:sr-only">{text.confidenceValue(value)}</span>{' '}
      <span className="sr-only">{text.confident}</span>
    </span>
  )
}
