import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { CircleAlert, Clapperboard, Download, FolderOpen, Trash2, X } from 'lucide-react'
import { useState } from 'react'
import { flushSync } from 'react-dom'
import { toast } from 'sonner'
import { captionFile } from '../../api/captions'
import { messageOf } from '../../api/client'
import { inWindow, saveExport, showSavedExport } from '../../api/desktop'
import {
  cancelExport,
  deleteExport,
  downloadURL,
  exportsQuery,
  isUnderWay,
  type Export,
  type ExportRange,
} from '../../api/exports'
import { chaptersFile } from '../../api/markers'
import { restoreTrashed } from '../../api/trash'
import { exportText as text } from '../../text/editor/export'
import { trashText } from '../../text/editor/trash'
import { bytes, relativeTime } from '../../text/format'
import { Button, IconButton } from '../../ui/Button'
import { Notice } from '../../ui/Notice'
import { Progress } from '../../ui/Progress'
import { timeLeft } from '../edits/analysisSettings'
import { useCommand } from '../commands/useCommand'
import { useEdits, useLayout, useMarkers, useProject } from '../state/contexts'
import { refreshExports } from '../state/refresh'
import { timecode } from '../plan/timecode'
import { Trash } from '../trash/Trash'
import { rangeTotals, stillFits } from './exportRange'
import { ExportPlayer, ExportThumbnail } from './ExportPlayer'
import { renderNotes, retentionNote } from './exportSummary'
import { ShortsList } from './ShortsList'

/** The exports of the project, newest first. */
export function ExportsPane() {
  const { project } = useProject()
  const start = useCommand('export')
  const exports = useQuery(exportsQuery(project.uuid))
  const captionFiles = <TextFiles />
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
          title={text.loadFailed}
          action={
            <Button size="sm" onClick={() => void exports.refetch()}>
              {text.tryAgain}
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
      <>
        <ShortsList />
        <div className="flex flex-1 flex-col items-center justify-center gap-3 p-6 text-center">
          <Clapperboard size={28} className="text-faint" aria-hidden />
          <p className="text-sm text-muted">{text.empty}</p>
          <Button variant="primary" disabled={!start.enabled} onClick={start.run}>
            {text.export}
          </Button>
        </div>
        <Trash project={project.uuid} />
        {captionFiles}
      </>
    )
  }

  return (
    <>
      <ShortsList />
      <ul className="min-h-0 flex-1 overflow-y-auto p-2" aria-label={text.list}>
        {exports.data.map((e) => (
          <ExportRow key={e.uuid} item={e} now={exports.dataUpdatedAt} />
        ))}
      </ul>
      <Trash project={project.uuid} />
      {captionFiles}
    </>
  )
}

// TextFiles offers the captions and chapters of the edited video for download.
function TextFiles() {
  return (
    <div className="shrink-0 border-t border-line px-4 py-2 empty:hidden">
      <TextLinks range={null} />
    </div>
  )
}

// TextLinks are the captions and chapters of a range of the project, or of all of it.
function TextLinks({ range }: { range: ExportRange | null }) {
  const { uuid: project, active_run_id } = useProject().project
  const { markers } = useMarkers()
  const chapters = markers.some((m) => m.kind === 'chapter')
  if (!active_run_id && !chapters) return null
  const link = 'font-medium text-accent hover:underline'
  return (
    <p className="flex items-center gap-3 text-xs text-muted">
      <span className="flex-1">{text.captionFiles}</span>
      {active_run_id &&
        (['srt', 'vtt', 'txt'] as const).map((kind) => (
          <a key={kind} href={captionFile(project, kind, range)} download className={link}>
            .{kind}
          </a>
        ))}
      {chapters && (
        <>
          <span>{text.chapters}</span>
          {(['txt', 'vtt'] as const).map((kind) => (
            <a
              key={kind}
              href={chaptersFile(project, kind, range)}
              download
              aria-label={text.chapterFile(kind)}
              className={link}
            >
              .{kind}
            </a>
          ))}
        </>
      )}
    </p>
  )
}

// RangeFiles offers the captions and chapters of an exported range, as long as their times fit the video.
function RangeFiles({ item, range }: { item: Export; range: ExportRange }) {
  const { edits, loaded } = useEdits()
  const { rate, lengths } = useLayout()
  if (!loaded) return null
  if (stillFits(rangeTotals(rate, lengths, edits, range), item.duration_ms)) return <TextLinks range={range} />
  return <p className="text-xs text-muted">{text.rangeChanged}</p>
}

// download saves a video: the desktop app asks for the path, a browser downloads the file. It reports whether the desktop app
// saved a file.
async function download(uuid: string): Promise<boolean> {
  if (inWindow()) {
    const path = await saveExport(uuid)
    if (path === null) return false
    const show = () => void showSavedExport(uuid).catch((error: unknown) => toast.error(messageOf(error)))
    toast.success(text.fileSaved, { description: path, action: { label: text.showInFolder, onClick: show } })
    return true
  }

  const { url, filename } = await downloadURL(uuid)
  const link = document.createElement('a')
  link.href = url
  link.download = filename
  link.click()
  return false
}

// ExportRow shows an export; now is when its state was loaded, in milliseconds since the epoch.
function ExportRow({ item, now }: { item: Export; now: number }) {
  const queryClient = useQueryClient()
  const refresh = () => refreshExports(queryClient, item.project_uuid)
  const fail = (error: unknown) => toast.error(messageOf(error))
  const [saved, setSaved] = useState(false)
  const save = useMutation({
    mutationFn: () => download(item.uuid),
    onSuccess: (written) => written && setSaved(true),
    onError: fail,
  })

  const cancel = useMutation({ mutationFn: () => cancelExport(item.uuid), onSettled: refresh, onError: fail })
  // Unlike the state of the mutation, which comes a timer later, this is set before the request.
  const [deleted, setDeleted] = useState(false)
  const remove = useMutation({
    mutationFn: () => deleteExport(item.uuid),
    onSettled: refresh,
    onSuccess: () => {
      const undo = () => void restoreTrashed(item.project_uuid, item.uuid).catch(fail).finally(refresh)
      toast.success(trashText.deleted(item.name), { action: { label: trashText.undo, onClick: undo } })
    },
    onError: (error) => {
      setDeleted(false)
      fail(error)
    },
  })

  const onDelete = () => {
    flushSync(() => setDeleted(true))
    remove.mutate()
  }

  const show = useMutation({ mutationFn: () => showSavedExport(item.uuid), onError: fail })
  const [playing, setPlaying] = useState(false)
  const done = item.status === 'completed'
  const { range } = item.export_settings
  return (
    <li className="rounded-md p-2 hover:bg-hover" data-export={item.uuid} data-status={item.status}>
      <div className="flex items-center gap-3">
        {done ? (
          <ExportThumbnail item={item} deleted={deleted} onPlay={() => setPlaying(true)} />
        ) : (
          <StatusIcon status={item.status} />
        )}
        <div className="min-w-0 flex-1">
          <p dir="auto" className="truncate text-left text-sm font-medium">
            {item.name}
          </p>
          <Detail item={item} now={now} />
        </div>
        {isUnderWay(item) && (
          <IconButton label={text.cancel} disabled={cancel.isPending} onClick={() => cancel.mutate()}>
            <X size={16} />
          </IconButton>
        )}
        {!isUnderWay(item) && (
          <IconButton label={text.delete} disabled={remove.isPending} onClick={onDelete}>
            <Trash2 size={14} />
          </IconButton>
        )}
      </div>
      {done && (
        <div className="mt-2 flex flex-col items-start gap-2">
          <div className="flex flex-wrap gap-2">
            <Button variant="primary" disabled={save.isPending} onClick={() => save.mutate()}>
              <Download size={14} aria-hidden /> {inWindow() ? text.saveAs : text.download}
            </Button>
            {saved && (
              <Button disabled={show.isPending} onClick={() => show.mutate()}>
                <FolderOpen size={14} aria-hidden /> {text.showInFolder}
              </Button>
            )}
          </div>
          <RenderNotes item={item} />
          {range && <RangeFiles item={item} range={range} />}
        </div>
      )}
      {isUnderWay(item) && (
        <Progress
          value={item.status === 'queued' ? null : item.progress}
          label={text.renderingLabel(item.name)}
          className="mt-2"
        />
      )}
      {playing && <ExportPlayer item={item} onClose={() => setPlaying(false)} />}
    </li>
  )
}

// RenderNotes lists how the video was rendered and how long it is kept.
function RenderNotes({ item }: { item: Export }) {
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

const stepLabel = (step: string | null) => text.steps[step as keyof typeof text.steps] ?? text.steps.render

// Rendering shows the progress of a render and, once an estimate is possible, the remaining time.
function Rendering({ item, now }: { item: Export; now: number }) {
  // The estimate uses only the progress since this page opened.
  const [start] = useState({ from: item.progress, since: now })
  const [last, setLast] = useState({ progress: item.progress, at: now })
  if (last.progress !== item.progress) setLast({ progress: item.progress, at: now })
  const left = timeLeft({ ...start, ...last }, now)
  return <p className="text-xs text-accent">{text.progress(stepLabel(item.step), item.progress, left)}</p>
}

function Detail({ item, now }: { item: Export; now: number }) {
  const small = 'text-xs'
  switch (item.status) {
    case 'queued':
      return <p className={`${small} text-faint`}>{item.waits_for_clips ? text.waits : text.queued}</p>
    case 'rendering':
      return <Rendering item={item} now={now} />
    case 'failed':
      return <p className="text-xs text-danger first-letter:uppercase">{text.failed(item.error)}</p>
    case 'cancelled':
      return <p className={`${small} text-faint`}>{text.cancelled}</p>
    case 'expired':
      return <p className={`${small} text-faint`}>{text.expired}</p>
    case 'completed':
      return (
        <p className={`${small} text-faint`}>
          {[
            item.duration_ms !== null && timecode(item.duration_ms),
            item.width && `${item.width}×${item.height}`,
            item.size_bytes !== null && bytes(item.size_bytes),
            relativeTime(item.created_at),
          ]
            .filter(Boolean)
            .map((fact) => String(fact).replaceAll(' ', '\u00a0'))
            .join(' · ')}
        </p>
      )
  }
}
