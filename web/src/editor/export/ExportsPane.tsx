import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { CircleAlert, CircleCheck, Clapperboard, Download, Trash2, X } from 'lucide-react'
import { useState } from 'react'
import { toast } from 'sonner'
import { messageOf } from '../../api/client'
import { cancelExport, deleteExport, downloadURL, exportsQuery, isUnderWay, type Export } from '../../api/exports'
import { inWindow, saveExport } from '../../api/desktop'
import { Button, IconButton } from '../../ui/Button'
import { Notice } from '../../ui/Notice'
import { Progress } from '../../ui/Progress'
import { captionFile } from '../../api/captions'
import { renderNotes, retentionNote } from './exportSummary'
import { timecode } from '../timeline/timecode'
import { formatAge, formatRoughly, formatSize } from '../format'
import { EXPORT_STEPS, timeLeft } from '../analysis/analysisSettings'
import { useProject } from '../state/contexts'
import { useCommand } from '../commands/useCommand'

/** Every export of the project, newest first. */
export function ExportsPane() {
  const { project } = useProject()
  const start = useCommand('export')
  const exports = useQuery(exportsQuery(project.uuid))
  if (exports.isPending)
    return (
      <div className="space-y-2 p-3">
        {[0, 1, 2].map((i) => (
          <div key={i} className="skeleton h-14" />
        ))}
      </div>
    )
  if (exports.isError) {
    return (
      <div className="p-3">
        <Notice
          tone="danger"
          title="The exports could not be listed"
          action={
            <Button size="sm" onClick={() => void exports.refetch()}>
              Try again
            </Button>
          }
        >
          {messageOf(exports.error)}
        </Notice>
      </div>
    )
  }
  if (exports.data.length === 0) {
    return (
      <div className="flex flex-1 flex-col items-center justify-center gap-3 p-6 text-center">
        <Clapperboard size={28} className="text-faint" aria-hidden />
        <p className="text-sm text-muted">
          An export is the finished video: your recording without what is cut. It is rendered here while you go on
          working.
        </p>
        <Button variant="primary" disabled={!start.enabled} onClick={start.run}>
          Export…
        </Button>
      </div>
    )
  }
  return (
    <>
      <ul className="min-h-0 flex-1 overflow-y-auto p-2" aria-label="Exports">
        {exports.data.map((e) => (
          <ExportRow key={e.uuid} item={e} now={exports.dataUpdatedAt} />
        ))}
      </ul>
      {project.active_run_id && <CaptionFiles project={project.uuid} />}
    </>
  )
}

// CaptionFiles offers the captions of the edited video as files, to be uploaded beside it.
function CaptionFiles({ project }: { project: string }) {
  return (
    <p className="flex shrink-0 items-center gap-3 border-t border-line px-4 py-2 text-xs text-muted">
      <span className="flex-1">Captions as they are now</span>
      {(['srt', 'vtt', 'txt'] as const).map((kind) => (
        <a key={kind} href={captionFile(project, kind)} download className="font-medium text-accent hover:underline">
          .{kind}
        </a>
      ))}
    </p>
  )
}

/** Lets the person save a video: where they choose in the desktop window, else as their browser does. */
async function download(uuid: string): Promise<void> {
  if (inWindow()) {
    const path = await saveExport(uuid)
    if (path !== null) toast.success('The video is saved', { description: path })
    return
  }
  const { url, filename } = await downloadURL(uuid)
  const link = document.createElement('a')
  link.href = url
  link.download = filename
  link.click()
}

// ExportRow shows an export as it was at a moment, in milliseconds since the epoch.
function ExportRow({ item, now }: { item: Export; now: number }) {
  const queryClient = useQueryClient()
  const refresh = () => void queryClient.invalidateQueries({ queryKey: ['exports', item.project_uuid] })
  const fail = (error: unknown) => toast.error(messageOf(error))
  const save = useMutation({ mutationFn: () => download(item.uuid), onError: fail })
  const cancel = useMutation({ mutationFn: () => cancelExport(item.uuid), onSettled: refresh, onError: fail })
  const remove = useMutation({ mutationFn: () => deleteExport(item.uuid), onSettled: refresh, onError: fail })
  const done = item.status === 'completed'
  return (
    <li className="rounded-md p-2 hover:bg-hover" data-export={item.uuid} data-status={item.status}>
      <div className="flex items-center gap-3">
        <StatusIcon status={item.status} />
        <div className="min-w-0 flex-1">
          <p dir="auto" className="truncate text-left text-sm font-medium">
            {item.name}
          </p>
          <Detail item={item} now={now} />
        </div>
        {isUnderWay(item) && (
          <IconButton label="Cancel the export" disabled={cancel.isPending} onClick={() => cancel.mutate()}>
            <X size={16} />
          </IconButton>
        )}
        {!isUnderWay(item) && (
          <IconButton label="Delete the export" disabled={remove.isPending} onClick={() => remove.mutate()}>
            <Trash2 size={14} />
          </IconButton>
        )}
      </div>
      {done && (
        <div className="mt-2 ml-11 flex flex-col items-start gap-2">
          <HowMade item={item} />
          <Button variant="primary" disabled={save.isPending} onClick={() => save.mutate()}>
            <Download size={14} aria-hidden /> {inWindow() ? 'Save as…' : 'Download'}
          </Button>
        </div>
      )}
      {isUnderWay(item) && (
        <Progress
          value={item.status === 'queued' ? null : item.progress}
          label={`Rendering ${item.name}`}
          className="mt-2"
        />
      )}
    </li>
  )
}

// HowMade says in words how the video came about and how long it is kept.
function HowMade({ item }: { item: Export }) {
  const lines = [
    ...(item.rendering ? renderNotes(item.rendering) : []),
    ...(item.expires_at ? [retentionNote(item.expires_at)] : []),
  ]
  return (
    <ul className="flex flex-col gap-1 text-xs text-muted">
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  )
}

function StatusIcon({ status }: { status: Export['status'] }) {
  const box = 'inline-flex size-8 shrink-0 items-center justify-center rounded-md bg-raised'
  if (status === 'completed')
    return (
      <span className={`${box} text-accent`}>
        <CircleCheck size={16} aria-hidden />
      </span>
    )
  if (status === 'failed')
    return (
      <span className={`${box} text-danger`}>
        <CircleAlert size={16} aria-hidden />
      </span>
    )
  return (
    <span className={`${box} text-muted`}>
      <Clapperboard size={16} aria-hidden />
    </span>
  )
}

// Rendering says how far a rendering is, and about how long it still takes once that can be said.
function Rendering({ item, now }: { item: Export; now: number }) {
  // What was done before this page looked is not counted.
  const [begun] = useState({ at: now, progress: item.progress })
  const left = timeLeft((100 * (item.progress - begun.progress)) / Math.max(100 - begun.progress, 1), now - begun.at)
  return (
    <p className="text-xs text-accent">
      {EXPORT_STEPS[item.step ?? ''] ?? 'Rendering'} · {item.progress} %
      {left !== null && ` · about ${formatRoughly(left)} left`}
    </p>
  )
}

function Detail({ item, now }: { item: Export; now: number }) {
  const small = 'text-xs'
  switch (item.status) {
    case 'queued':
      return <p className={`${small} text-faint`}>Waiting for its turn</p>
    case 'rendering':
      return <Rendering item={item} now={now} />
    case 'failed':
      return (
        <p className="text-xs text-danger first-letter:uppercase">
          {item.error ?? 'It could not be rendered.'} Your cuts are safe: export again.
        </p>
      )
    case 'cancelled':
      return <p className={`${small} text-faint`}>Cancelled</p>
    case 'expired':
      return <p className={`${small} text-faint`}>Expired: the file was deleted. Export again to get it back.</p>
    case 'completed':
      return (
        <p className={`${small} text-faint`}>
          {[
            item.duration_ms !== null && timecode(item.duration_ms),
            item.width && `${item.width}×${item.height}`,
            item.size_bytes !== null && formatSize(item.size_bytes),
            formatAge(item.created_at),
          ]
            .filter(Boolean)
            .join(' · ')}
        </p>
      )
  }
}
