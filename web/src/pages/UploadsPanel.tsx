import { ChevronDown, ChevronUp } from 'lucide-react'
import { useState } from 'react'
import { count, formatLength, percent } from '../editor/format'
import { UploadRow } from '../editor/UploadRow'
import { useUploads, type Upload } from '../editor/uploads'
import { Button, IconButton } from '../ui/Button'
import { Progress } from '../ui/Progress'

/** What is on its way to the server, in a corner of the page; nothing while there is nothing. */
export function UploadsPanel() {
  const items = useUploads((s) => s.items)
  const [open, setOpen] = useState(true)
  if (items.length === 0) return null
  const failed = items.filter((u) => u.status === 'failed')
  const active = items.filter((u) => u.status !== 'failed')
  const { retry, cancel } = useUploads.getState()
  return (
    <section
      aria-label="Uploads"
      className="fixed right-4 bottom-4 z-30 flex max-h-[min(420px,60%)] w-[min(360px,calc(100%-32px))] flex-col overflow-hidden rounded-xl border border-line bg-surface shadow-pop"
    >
      <div className="flex shrink-0 items-center gap-2 border-b border-line py-1 pr-1 pl-4">
        <p className="min-w-0 flex-1 truncate text-sm font-medium" role="status">
          {active.length > 0 ? `Uploading ${count(active.length, 'file')}` : `${count(failed.length, 'upload')} failed`}
          {active.length > 0 && <span className="text-faint">{summary(active)}</span>}
        </p>
        <IconButton
          label={open ? 'Hide the uploads' : 'Show the uploads'}
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          {open ? <ChevronDown size={16} /> : <ChevronUp size={16} />}
        </IconButton>
      </div>
      {active.length > 0 && !open && <Progress value={doneOf(active)} label="All uploads" className="!rounded-none" />}
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
                Try all again
              </Button>
              <Button size="sm" variant="quiet" onClick={() => failed.forEach((u) => cancel(u.id))}>
                Clear {failed.length} errors
              </Button>
            </div>
          )}
        </>
      )}
    </section>
  )
}

const total = (items: readonly Upload[], of: (u: Upload) => number) => items.reduce((sum, u) => sum + of(u), 0)
const doneOf = (items: readonly Upload[]) =>
  percent(
    total(items, (u) => u.sent),
    total(items, (u) => u.file.size),
  )

function summary(active: readonly Upload[]): string {
  const speed = total(active, (u) => (u.status === 'sending' ? u.speed : 0))
  const leftMs = speed > 0 ? (total(active, (u) => u.file.size - u.sent) / speed) * 1000 : 0
  return ` · ${doneOf(active)}%${leftMs > 2000 ? ` · ${formatLength(leftMs)} left` : ''}`
}
