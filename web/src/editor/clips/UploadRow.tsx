import { CircleAlert, Film, Image, Music, RotateCw, X } from 'lucide-react'
import { clipsText as text } from '../../text/editor/clips'
import { wholePercent } from '../../text/format'
import { IconButton } from '../../ui/Button'
import { Progress } from '../../ui/Progress'
import { useUploads, type Upload } from '../state/uploads'

/** An upload with its progress or error. */
export function UploadRow({ upload }: { upload: Upload }) {
  const { cancel, retry } = useUploads.getState()
  const { file, status, sent } = upload
  const Icon =
    status === 'failed'
      ? CircleAlert
      : file.type.startsWith('image/')
        ? Image
        : file.type.startsWith('audio/')
          ? Music
          : Film

  return (
    <li className="flex items-center gap-3 rounded-md p-2" data-upload={upload.waiting ? 'reconnecting' : status}>
      <span
        className={`inline-flex size-8 shrink-0 items-center justify-center rounded-md bg-raised ${status === 'failed' ? 'text-danger' : 'text-muted'}`}
      >
        <Icon size={16} aria-hidden />
      </span>
      <div className="min-w-0 flex-1">
        <p dir="auto" className="truncate text-sm font-medium">
          {file.name}
        </p>
        {status === 'failed' ? (
          <p className="text-xs text-danger first-letter:uppercase">{upload.error}</p>
        ) : status === 'waiting' ? (
          <p className="text-xs text-faint">{text.waiting(file.size)}</p>
        ) : (
          <>
            <p className="mb-1 truncate text-xs text-faint">{stateOf(upload)}</p>
            <Progress value={wholePercent(sent, file.size)} label={text.uploading(file.name)} />
          </>
        )}
      </div>
      {status === 'failed' && (
        <IconButton label={text.tryAgain} onClick={() => retry(upload.id)}>
          <RotateCw size={14} />
        </IconButton>
      )}
      <IconButton label={status === 'failed' ? text.clearError : text.cancelUpload} onClick={() => cancel(upload.id)}>
        <X size={14} />
      </IconButton>
    </li>
  )
}

function stateOf({ file, sent, speed, waiting }: Upload): string {
  if (waiting) return text.reconnecting(sent)
  if (sent >= file.size) return text.checking
  const leftMs = speed > 0 ? ((file.size - sent) / speed) * 1000 : 0
  return text.sent(sent, file.size, leftMs > 2000 ? leftMs : null)
}
