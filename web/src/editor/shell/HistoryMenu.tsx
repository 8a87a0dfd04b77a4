import { History } from 'lucide-react'
import { Popover } from 'radix-ui'
import { useState } from 'react'
import { reviewText } from '../../text/editor/review'
import { shellText as text } from '../../text/editor/shell'
import { relativeTime } from '../../text/format'
import { IconButton } from '../../ui/Button'
import { PopoverPanel } from '../../ui/PopoverPanel'
import { Drafts } from '../review/Drafts'
import type { HistoryItem } from '../edits/editHistory'
import { useHistory, useLayout, useSaveState } from '../state/contexts'

/** The changes of the project, newest first, and the drafts. Choosing a change undoes or redoes all changes in between. */
export function HistoryMenu() {
  const [open, setOpen] = useState(false)
  const { past, future } = useSaveState()
  const { totalMs } = useLayout()
  const newest = past.at(-1)?.uuid ?? null
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger asChild>
        <IconButton label={text.history}>
          <History size={16} aria-hidden />
        </IconButton>
      </Popover.Trigger>
      <PopoverPanel
        aria-label={text.history}
        className="max-h-(--radix-popover-content-available-height) w-88 overflow-y-auto p-3"
      >
        <h2 className="mb-1 text-sm font-semibold">{text.history}</h2>
        {past.length + future.length === 0 ? (
          <p className="text-xs text-muted">{text.historyEmpty}</p>
        ) : (
          <>
            <p className="text-xs text-muted">{text.historyHint}</p>
            <ol className="mt-2 max-h-72 overflow-y-auto" aria-label={text.history}>
              {future.map((item) => (
                <Row key={item.uuid} item={item} current={false} undone />
              ))}
              {past.toReversed().map((item) => (
                <Row key={item.uuid} item={item} current={item.uuid === newest} />
              ))}
              <Row item={null} current={newest === null} />
            </ol>
          </>
        )}
        {totalMs > 0 && (
          <section aria-label={reviewText.drafts} className="mt-3 border-t border-line pt-3">
            <h2 className="mb-2 text-sm font-semibold">{reviewText.drafts}</h2>
            <Drafts applied={() => setOpen(false)} />
          </section>
        )}
      </PopoverPanel>
    </Popover.Root>
  )
}

// Row is a change; null is the state before all changes.
function Row({ item, current, undone = false }: { item: HistoryItem | null; current: boolean; undone?: boolean }) {
  const { history } = useHistory()
  const label = item?.label ?? text.historyStart
  return (
    <li>
      <button
        type="button"
        aria-current={current ? 'step' : undefined}
        className={`flex w-full items-baseline gap-2 rounded-md px-2 py-1.5 text-left text-sm hover:bg-hover aria-[current=step]:bg-accent-soft ${undone ? 'text-faint' : ''}`}
        onClick={() => history.goTo(item?.uuid ?? null)}
      >
        <span className="min-w-0 flex-1 truncate first-letter:uppercase">{label}</span>
        {undone && <span className="sr-only">{text.historyUndone}</span>}
        {item && <span className="shrink-0 text-xs text-muted">{relativeTime(new Date(item.at).toISOString())}</span>}
      </button>
    </li>
  )
}
