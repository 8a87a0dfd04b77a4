import { useVirtualizer } from '@tanstack/react-virtual'
import { Play, Trash2 } from 'lucide-react'
import { Switch } from 'radix-ui'
import { useEffect, useRef } from 'react'
import type { Edit, EditType } from '../api/edits'
import { Button, IconButton } from '../ui/Button'
import { Tip } from '../ui/Tip'
import { KIND_NAMES, KINDS, savedBy } from './cuts'
import { formatLength, formatTime } from './format'
import { useModel } from './model'
import { useEditorStore } from './store'
import { useCutCommands } from './useCommands'

const KIND_LOOK: Record<EditType, string> = { silence: 'kind-silence', false_start: 'kind-false_start', filler: 'kind-filler', manual: 'kind-manual' }

export function KindSwatch({ kind, off }: { kind: EditType; off?: boolean }) {
  return <span aria-hidden className={`${KIND_LOOK[kind]} inline-block size-4 shrink-0 rounded-sm ${off ? 'border border-dashed border-(--kind)' : 'swatch'}`} />
}

/** Height of a row that is not selected, in pixels; the selected one is measured. */
const ROW = 52

/** Every proposed cut with its reason, in the order of the timeline. */
export function CutList() {
  const { edits, editsLoaded } = useModel()
  const scroller = useRef<HTMLDivElement>(null)
  const selected = useEditorStore((s) => s.selected)
  // eslint-disable-next-line react-hooks/incompatible-library -- rows are cheap and keep no state
  const rows = useVirtualizer({ count: edits.length, getScrollElement: () => scroller.current, estimateSize: () => ROW, overscan: 8, getItemKey: (i) => edits[i]!.uuid })
  const index = edits.findIndex((e) => e.uuid === selected)
  useEffect(() => {
    if (index >= 0) rows.scrollToIndex(index, { align: 'auto' })
  }, [index, rows])

  if (!editsLoaded) return <div className="flex-1 space-y-2 p-3">{Array.from({ length: 5 }, (_, i) => <div key={i} className="skeleton h-12" />)}</div>
  if (edits.length === 0) {
    return <p className="flex-1 p-6 text-center text-sm text-muted">Nothing to cut was found with these settings. Raise the pacing to cut shorter pauses, or drag across the waveform to cut by hand.</p>
  }
  return (
    <>
      <KindBar />
      <div ref={scroller} className="min-h-0 flex-1 overflow-y-auto focus-visible:-outline-offset-2" role="listbox" aria-label="Cuts" aria-activedescendant={selected ? `cut-${selected}` : undefined} tabIndex={0}>
        <div className="relative" style={{ height: rows.getTotalSize() }}>
          {rows.getVirtualItems().map((row) => {
            const edit = edits[row.index]!
            return <Row key={edit.uuid} edit={edit} index={row.index} selected={edit.uuid === selected} top={row.start} measure={rows.measureElement} />
          })}
        </div>
      </div>
      {!selected && <p className="border-t border-line px-3 py-2 text-xs text-faint">↑ and ↓ go through the cuts, X rejects or takes one.</p>}
    </>
  )
}

function KindBar() {
  const { edits } = useModel()
  const { toggleKind } = useCutCommands()
  const present = KINDS.filter((kind) => edits.some((e) => e.type === kind))
  return (
    <div className="border-b border-line py-1">
      {present.map((kind) => {
        const all = edits.filter((e) => e.type === kind)
        const on = all.filter((e) => e.active).length
        return (
          <div key={kind} className="flex h-7 items-center gap-2 px-3 text-xs">
            <KindSwatch kind={kind} />
            <span className="font-medium">{KIND_NAMES[kind][1]}</span>
            <span className="text-faint">
              {on} of {all.length}
              {on > 0 && `, ${formatLength(savedBy(edits, kind))}`}
            </span>
            <Toggle className="ml-auto" label={`All ${KIND_NAMES[kind][1].toLowerCase()}`} checked={on > 0} mixed={on > 0 && on < all.length} onChange={() => toggleKind(kind, on < all.length)} />
          </div>
        )
      })}
    </div>
  )
}

interface ToggleProps {
  label: string
  checked: boolean
  mixed?: boolean
  onChange: () => void
  className?: string
}

function Toggle({ label, checked, mixed, onChange, className = '' }: ToggleProps) {
  return (
    <Switch.Root
      aria-label={label}
      checked={checked}
      onCheckedChange={onChange}
      tabIndex={-1}
      className={`relative inline-flex h-4 w-7 shrink-0 items-center rounded-full bg-strong transition-colors data-[state=checked]:bg-accent ${mixed ? '!bg-accent/50' : ''} ${className}`}
    >
      <Switch.Thumb className={`block size-3 rounded-full bg-surface transition-transform ${mixed ? 'translate-x-2' : 'translate-x-0.5 data-[state=checked]:translate-x-3.5'}`} />
    </Switch.Root>
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
  const { goTo, toggle } = useCutCommands()
  return (
    <div
      ref={measure}
      data-index={index}
      id={`cut-${edit.uuid}`}
      role="option"
      aria-selected={selected}
      data-cut={edit.uuid}
      data-active={edit.active}
      onClick={() => goTo(edit)}
      style={{ transform: `translateY(${top}px)` }}
      className={`absolute inset-x-0 flex gap-3 border-l-2 px-3 py-1.5 ${selected ? 'border-accent bg-accent-soft' : 'border-transparent hover:bg-hover'}`}
    >
      <span className="pt-0.5">
        <KindSwatch kind={edit.type} off={!edit.active} />
      </span>
      <div className="min-w-0 flex-1">
        <div className={`flex items-baseline gap-2 text-xs leading-5 ${edit.active ? '' : 'opacity-60'}`}>
          <span className="font-semibold text-ink">{formatTime(edit.start_ms)}</span>
          <span className="text-muted">{KIND_NAMES[edit.type][0]}</span>
          <span className="ml-auto text-faint">{formatLength(edit.end_ms - edit.start_ms)}</span>
        </div>
        <p className={`text-xs leading-5 text-muted ${selected ? '' : 'truncate'} ${edit.active ? '' : 'line-through opacity-60'}`}>{edit.reason || KIND_NAMES[edit.type][0]}</p>
        {selected && <Inspector edit={edit} />}
      </div>
      <span className="pt-0.5">
        <Toggle label={`${KIND_NAMES[edit.type][0]} at ${formatTime(edit.start_ms)}`} checked={edit.active} onChange={() => toggle(edit)} />
      </span>
    </div>
  )
}

// Inspector plays the selected cut before and after, and says how sure the analysis is of it.
function Inspector({ edit }: { edit: Edit }) {
  const { compare, remove } = useCutCommands()
  return (
    <div className="mt-1 mb-0.5 flex items-center gap-1.5" onClick={(e) => e.stopPropagation()}>
      <Tip text="Play it as it was" keys="B">
        <Button size="sm" tabIndex={-1} onClick={() => compare(edit, 'before')}>
          <Play size={12} aria-hidden /> Before
        </Button>
      </Tip>
      <Tip text="Play it cut" keys="A">
        <Button size="sm" tabIndex={-1} onClick={() => compare(edit, 'after')}>
          <Play size={12} aria-hidden /> After
        </Button>
      </Tip>
      {edit.confidence !== null && <Confidence value={edit.confidence} />}
      {edit.type === 'manual' && (
        <IconButton label="Remove this cut" keys="Del" onClick={remove} className="ml-auto !size-7">
          <Trash2 size={14} />
        </IconButton>
      )}
    </div>
  )
}

function Confidence({ value }: { value: number }) {
  const parts = Math.max(1, Math.round(value * 5))
  return (
    <span className="ml-1 inline-flex h-4 items-center gap-1.5 text-xs text-faint" title="How sure the analysis is">
      <span className="flex gap-0.5" aria-hidden>
        {Array.from({ length: 5 }, (_, i) => (
          <span key={i} className={`h-2.5 w-1 rounded-full ${i < parts ? 'bg-accent' : 'bg-strong'}`} />
        ))}
      </span>
      {Math.round(value * 100)} %<span className="sr-only"> sure</span>
    </span>
  )
}
