import { useVirtualizer } from '@tanstack/react-virtual'
import { ArrowDownUp, Eye, EyeOff, Play, Trash2 } from 'lucide-react'
import { useEffect, useMemo, useRef, type ReactNode } from 'react'
import type { Edit, EditType } from '../../api/edits'
import { reviewText as text } from '../../text/editor/review'
import { duration } from '../../text/format'
import { Button, IconButton } from '../../ui/Button'
import { Kbd, Tip } from '../../ui/Tip'
import { CommandButton } from '../commands/CommandButton'
import { useActions, useShortcut } from '../commands/useCommand'
import { cutTimeOf, reviewList } from '../edits/cuts'
import { CUT_KINDS, kindColor, kindOf, type KindPattern } from '../edits/kinds'
import { Toggle } from '../shell/Toggle'
import { useScrollMemory } from '../shell/useScrollMemory'
import { useEdits } from '../state/contexts'
import { useEditorStore } from '../state/store'
import { timecode } from '../timeline/timecode'

const PATTERN_CLASSES: Record<KindPattern, string> = {
  stripes: 'pattern-stripes',
  lattice: 'pattern-lattice',
  dots: 'pattern-dots',
  lines: 'pattern-lines',
  none: 'pattern-none',
}

/** The color and pattern of a kind of cut. */
export function KindSwatch({ kind, off }: { kind: EditType; off?: boolean }) {
  return (
    <span
      aria-hidden
      style={kindColor(kind)}
      className={`${PATTERN_CLASSES[kindOf(kind).pattern]} inline-block size-4 shrink-0 rounded-sm ${off ? 'border border-dashed border-(--kind)' : 'swatch'}`}
    />
  )
}

/** Height of a row in pixels; the selected row is measured. */
const ROW = 52

/** All cuts with their reasons, by time or with the least certain first. `actions` appear above the list. */
export function CutList({ actions }: { actions: ReactNode }) {
  const { edits, loaded } = useEdits()
  const scroller = useRef<HTMLDivElement>(null)
  const selected = useEditorStore((s) => s.selected)
  const review = useEditorStore((s) => s.review)
  const list = useMemo(() => reviewList(edits, review), [edits, review])
  // eslint-disable-next-line react-hooks/incompatible-library -- rows have no state
  const rows = useVirtualizer({
    count: list.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 8,
    getItemKey: (i) => list[i]!.uuid,
  })
  useScrollMemory('cuts', rows)
  const index = list.findIndex((e) => e.uuid === selected)
  useEffect(() => {
    if (index >= 0) rows.scrollToIndex(index, { align: 'auto' })
  }, [index, rows])
  const shown = rows.getVirtualItems()
  const active = shown.some((row) => list[row.index]!.uuid === selected)

  if (!loaded)
    return (
      <div className="flex-1 space-y-2 p-3">
        {Array.from({ length: 5 }, (_, i) => (
          <div key={i} className="skeleton h-12" />
        ))}
      </div>
    )
  if (edits.length === 0) {
    return <p className="flex-1 p-6 text-center text-sm text-muted">{text.noCuts}</p>
  }
  return (
    <>
      <KindBar actions={actions} />
      <div
        ref={scroller}
        className="min-h-0 flex-1 overflow-y-auto focus-visible:-outline-offset-2"
        role="grid"
        aria-label={text.cuts}
        aria-rowcount={list.length}
        aria-activedescendant={active ? `cut-${selected}` : undefined}
        tabIndex={0}
      >
        <div role="rowgroup" className="relative" style={{ height: rows.getTotalSize() }}>
          {shown.map((row) => {
            const edit = list[row.index]!
            return (
              <Row
                key={edit.uuid}
                edit={edit}
                index={row.index}
                selected={edit.uuid === selected}
                top={row.start}
                measure={rows.measureElement}
              />
            )
          })}
        </div>
      </div>
      {list.length === 0 && <p className="p-4 text-sm text-muted">{text.allHidden}</p>}
      <Hint />
    </>
  )
}

// Hint shows the shortcuts for going through the list.
function Hint() {
  const [next, previous] = [useShortcut('next'), useShortcut('previous')]
  const [take, reject] = [useShortcut('take'), useShortcut('reject')]
  if (!next || !previous || !take || !reject) return null
  return (
    <p className="flex items-center gap-1 border-t border-line px-3 py-1.5 text-xs text-faint [@media(max-height:799px)]:hidden">
      <Kbd>{previous}</Kbd>
      <Kbd>{next}</Kbd> {text.hint.goThrough} <Kbd>{take}</Kbd> {text.hint.accept} <Kbd>{reject}</Kbd>{' '}
      {text.hint.reject}
    </p>
  )
}

// KindBar lists the kinds of cuts with the time that each removes. A kind can be switched as a whole and hidden.
function KindBar({ actions }: { actions: ReactNode }) {
  const { edits } = useEdits()
  const { toggleKind } = useActions()
  const { order, hidden } = useEditorStore((s) => s.review)
  const set = useEditorStore((s) => s.set)
  const present = CUT_KINDS.map((kind) => kind.name).filter((kind) => edits.some((e) => e.type === kind))
  const show = (kind: EditType) =>
    set({ review: { order, hidden: hidden.includes(kind) ? hidden.filter((k) => k !== kind) : [...hidden, kind] } })
  return (
    <div className="border-b border-line py-1">
      {present.map((kind) => {
        const all = edits.filter((e) => e.type === kind)
        const on = all.filter((e) => e.active).length
        const off = hidden.includes(kind)
        const name = kindOf(kind).labelPlural
        return (
          <div key={kind} className="flex h-6.5 items-center gap-2 px-3 text-xs">
            <KindSwatch kind={kind} />
            <span className={`font-medium ${off ? 'text-faint' : ''}`}>{name}</span>
            <span className="text-faint">{text.kindTotal(on, all.length, cutTimeOf(edits, kind))}</span>
            <IconButton
              label={off ? text.showKind(name) : text.hideKind(name)}
              pressed={off}
              className="ml-auto !size-6"
              onClick={() => show(kind)}
            >
              {off ? <EyeOff size={14} /> : <Eye size={14} />}
            </IconButton>
            <Toggle
              focusable
              label={text.allOfKind(name)}
              checked={on > 0}
              mixed={on > 0 && on < all.length}
              onChange={() => toggleKind(kind, on < all.length)}
            />
          </div>
        )
      })}
      <div className="flex items-center px-2">
        <Button
          size="sm"
          variant="quiet"
          className="!h-6 !gap-1.5 !px-1 !font-normal"
          onClick={() => set({ review: { hidden, order: order === 'time' ? 'confidence' : 'time' } })}
        >
          <ArrowDownUp size={12} aria-hidden /> {order === 'time' ? text.byTime : text.byConfidence}
        </Button>
        {actions}
      </div>
    </div>
  )
}

interface RowProps {
  edit: Edit
  index: number
  selected: boolean
  top: number
  measure: (element: Element | null) => void
}

function Row({ edit, index, selected, top, measure }: RowProps) {
  const { goTo, toggle } = useActions()
  return (
    <div
      ref={measure}
      data-index={index}
      id={`cut-${edit.uuid}`}
      role="row"
      aria-rowindex={index + 1}
      aria-selected={selected}
      data-cut={edit.uuid}
      data-active={edit.active}
      onClick={() => goTo(edit)}
      style={{ transform: `translateY(${top}px)` }}
      className={`absolute inset-x-0 flex gap-3 border-l-2 px-3 py-1.5 ${selected ? 'border-accent bg-accent-soft' : 'border-transparent hover:bg-hover'}`}
    >
      <span className="pt-0.5" role="presentation">
        <KindSwatch kind={edit.type} off={!edit.active} />
      </span>
      <div role="gridcell" className="min-w-0 flex-1">
        <div className="flex items-baseline gap-2 text-xs leading-5">
          <span className={edit.active ? 'font-semibold text-ink' : 'text-muted'}>{timecode(edit.start_ms)}</span>
          <span className="text-muted">{kindOf(edit.type).label}</span>
          <span className="ml-auto text-faint">{duration(edit.end_ms - edit.start_ms)}</span>
        </div>
        <p
          className={`text-xs leading-5 text-muted ${selected ? '' : 'truncate'} ${edit.active ? '' : 'line-through'}`}
        >
          {edit.reason || kindOf(edit.type).label}
        </p>
        {selected && <Inspector edit={edit} />}
      </div>
      <span role="gridcell" className="pt-0.5">
        <Toggle
          label={text.cutAt(kindOf(edit.type).label, timecode(edit.start_ms))}
          checked={edit.active}
          onChange={() => toggle(edit)}
        />
      </span>
    </div>
  )
}

// Inspector plays the selected cut before and after, and shows the confidence of the analysis.
function Inspector({ edit }: { edit: Edit }) {
  const { playCut } = useActions()
  const [before, after] = [useShortcut('before'), useShortcut('after')]
  return (
    <div className="mt-1 mb-0.5 flex items-center gap-1.5" onClick={(e) => e.stopPropagation()}>
      <Tip text={text.beforeHint} keys={before}>
        <Button size="sm" tabIndex={-1} onClick={() => playCut(edit, 'before')}>
          <Play size={12} aria-hidden /> {text.before}
        </Button>
      </Tip>
      <Tip text={text.afterHint} keys={after}>
        <Button size="sm" tabIndex={-1} onClick={() => playCut(edit, 'after')}>
          <Play size={12} aria-hidden /> {text.after}
        </Button>
      </Tip>
      {edit.confidence !== null && <Confidence value={edit.confidence} />}
      {edit.type === 'manual' && (
        <CommandButton name="delete" icon={Trash2} label={text.remove} size={14} className="ml-auto !size-7" />
      )}
    </div>
  )
}

function Confidence({ value }: { value: number }) {
  const parts = Math.max(1, Math.round(value * 5))
  return (
    <span className="ml-1 inline-flex h-4 items-center gap-1.5 text-xs text-faint" title={text.confidence}>
      <span className="flex gap-0.5" aria-hidden>
        {Array.from({ length: 5 }, (_, i) => (
          <span key={i} className={`h-2.5 w-1 rounded-full ${i < parts ? 'bg-accent' : 'bg-strong'}`} />
        ))}
      </span>
      {text.confidenceValue(value)} <span className="sr-only">{text.confident}</span>
    </span>
  )
}
