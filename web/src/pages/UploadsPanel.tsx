import { ChevronDown, ChevronUp } from 'lucide-react'
import { useState } from 'react'
import { UploadRow } from '../editor/clips/UploadRow'
import { useUploads, type Upload } from '../editor/state/uploads'
import { percent, roughDuration, wholePercent } from '../text/format'
import { shellText } from '../text/shell'
import { Button, IconButton } from '../ui/Button'
import { Progress } from '../ui/Progress'

/** The uploads in a corner of the page; renders nothing without uploads. */
export function UploadsPanel() {
  const items = useUploads((s) => s.items)
  const [open, setOpen] = useState(true)
  if (items.length === 0) return null
  const failed = items.filter((u) => u.status === 'failed')
  const active = items.filter((u) => u.status !== 'failed')
  const { retry, cancel } = useUploads.getState()
  return (
    <section
      aria-label={shellText.uploads}
      className="fixed right-4 bottom-4 z-30 flex max-h-[min(420px,60%)] w-[min(360px,calc(100%-32px))] flex-col overflow-hidden rounded-xl border border-line bg-surface shadow-pop"
    >
      <div className="flex shrink-0 items-center gap-2 border-b border-line py-1 pr-1 pl-4">
        <p className="min-w-0 flex-1 truncate text-sm font-medium" role="status">
          {active.length > 0 ? shellText.uploading(active.length) : shellText.uploadsFailed(failed.length)}
          {active.length > 0 && <span className="text-faint">{progressSummary(active)}</span>}
        </p>
        <IconButton
          label={open ? shellText.hideUploads : shellText.showUploads}
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          {open ? <ChevronDown size={16} /> : <ChevronUp size={16} />}
        </IconButton>
      </div>
      {active.length > 0 && !open && (
        <Progress value={doneOf(active)} label={shellText.allUploads} className="rounded-none" />
      )}
      {open && (
        <>
          <ul className="min-h-0 overflow-y-auto p-2">
            {items.map((u) => (
              <UploadRow key={u.id} upload={u} />
            ))}
          </ul>
          {failed.length > 1 && (
            <div className="flex shrink-0 gap-2 border-t border-line p-2">
              <Button size="sm" onClick={() => failed.forEach((u) => retry(u.id))}>
                {shellText.retryAll}
              </Button>
              <Button size="sm" variant="quiet" onClick={() => failed.forEach((u) => cancel(u.id))}>
                {shellText.clearErrors(failed.length)}
              </Button>
            </div>
          )}
        </>
      )}
    </section>
  )
}

const sumOf = (items: readonly Upload[], of: (u: Upload) => number) => items.reduce((sum, u) => sum + of(u), 0)
const doneOf = (items: readonly Upload[]) =>
  wholePercent(
    sumOf(items, (u) => u.sent),
    sumOf(items, (u) => u.file.size),
  )

function progressSummary(active: readonly Upload[]): string {
  const speed = sumOf(active, (u) => (u.status === 'sending' ? u.speed : 0))
  const leftMs = speed > 0 ? (sumOf(active, (u) => u.file.size - u.sent) / speed) * 1000 : 0
  return [percent(doneOf(active)), ...(leftMs > 2000 ? [shellText.timeLeft(roughDuration(leftMs))] : [])]
    .map((part) => ` · ${part}`)
    .join('')
}
