import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useMemo, useRef, type ReactNode } from 'react'
import { reviewText as text } from '../../text/editor/review'
import { Button } from '../../ui/Button'
import { Kbd } from '../../ui/Tip'
import { useShortcut } from '../commands/useCommand'
import { reviewList } from '../edits/cuts'
import { indexOfCut, withParts } from '../edits/stretches'
import { groupOfRow } from '../edits/takes'
import { useScrollMemory } from '../../ui/useScrollMemory'
import { useEdits, useLayout, useTakeGroups } from '../state/contexts'
import { useHint } from '../state/hints'
import { UNFILTERED, useEditorStore } from '../state/store'
import { BulkBar } from './BulkBar'
import { CutMenu } from './CutMenu'
import { CutRow, idOf } from './CutRow'
import { noCutsText } from './emptyList'
import { KindBar } from './KindBar'
import { useMultiSelect } from './useMultiSelect'

/** Height of a row in pixels before it is measured. */
const ROW = 32

/** All cuts with their reasons, by time or with the least certain first, a row for each stretch, below `head` and their kinds. */
export function CutList({ head, kinds }: { head: ReactNode; kinds: boolean }) {
  const { rows: all, rowOf, loaded } = useEdits()
  const { ready } = useLayout()
  const scroller = useRef<HTMLDivElement>(null)
  const selected = useEditorStore((s) => s.selected)
  const review = useEditorStore((s) => s.review)
  const part = useEditorStore((s) => s.part)
  const opened = useEditorStore((s) => s.opened)
  const stretches = useMemo(() => reviewList(all, review), [all, review])
  const list = useMemo(() => withParts(stretches, opened), [stretches, opened])
  const chosen = useEditorStore((s) => s.chosen)
  const { onClick, onKeyDown, onAnyKey } = useMultiSelect(stretches)
  // eslint-disable-next-line react-hooks/incompatible-library -- rows have no state
  const rows = useVirtualizer({
    count: list.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 8,
    getItemKey: (i) => idOf(list[i]!),
  })

  useScrollMemory('cuts', rows)
  const index = indexOfCut(list, rowOf, { selected, part })
  const grouped = groupOfRow(useTakeGroups(), list[index]) !== undefined
  useEffect(() => {
    // The takes of a group can be taller than the list, which then starts with their row.
    if (index >= 0) rows.scrollToIndex(index, { align: grouped ? 'start' : 'auto' })
  }, [index, grouped, rows])

  const shown = rows.getVirtualItems()
  const active = shown.some((row) => row.index === index)

  if (!loaded)
    return (
      <>
        {head}
        <div className="flex-1 space-y-2 p-3">
          {Array.from({ length: 5 }, (_, i) => (
            <div key={i} className="skeleton h-12" />
          ))}
        </div>
      </>
    )
  if (all.length === 0) {
    return (
      <>
        {head}
        <p className="flex-1 p-6 text-center text-sm text-muted">{noCutsText(ready)}</p>
      </>
    )
  }

  return (
    // Keys that apply to all cuts work from the controls above them, too.
    <div className="contents" role="presentation" onKeyDown={onAnyKey}>
      {head}
      {kinds && <KindBar />}
      <CutMenu>
        <div
          ref={scroller}
          className="min-h-24 flex-1 overflow-y-auto focus-visible:-outline-offset-2"
          role="treegrid"
          aria-label={text.cuts}
          aria-rowcount={list.length}
          aria-multiselectable
          onKeyDown={onKeyDown}
          aria-activedescendant={active ? idOf(list[index]!) : undefined}
          tabIndex={0}
        >
          <div role="rowgroup" className="relative" style={{ height: rows.getTotalSize() }}>
            {shown.map((item) => {
              const row = list[item.index]!
              return (
                <CutRow
                  key={idOf(row)}
                  row={row}
                  index={item.index}
                  selected={item.index === index}
                  chosen={!row.part && chosen.includes(row.uuid)}
                  opened={opened.includes(row.uuid)}
                  onClick={onClick}
                  top={item.start}
                  measure={rows.measureElement}
                />
              )
            })}
          </div>
        </div>
      </CutMenu>
      {list.length === 0 && (
        <div className="flex flex-col items-start gap-2 p-4 text-sm text-muted">
          <p>{text.noneShown}</p>
          <Button size="sm" onClick={() => useEditorStore.getState().filter(UNFILTERED)}>
            {text.showAll}
          </Button>
        </div>
      )}
      <BulkBar list={stretches} />
      <Hint />
    </div>
  )
}

// Hint shows the shortcuts for going through the list, until a person has used them.
function Hint() {
  const shown = useHint('review')
  const [next, previous] = [useShortcut('next'), useShortcut('previous')]
  const [take, reject] = [useShortcut('take'), useShortcut('reject')]
  if (!shown || !next || !previous || !take || !reject) return null
  return (
    <p className="flex items-center gap-1 border-t border-line px-3 py-1.5 text-xs text-faint [@media(max-height:799px)]:hidden phone:hidden">
      <Kbd>{previous}</Kbd>
      <Kbd>{next}</Kbd> {text.hint.goThrough} <Kbd>{take}</Kbd> {text.hint.accept} <Kbd>{reject}</Kbd>{' '}
      {text.hint.reject}
    </p>
  )
}
