import { useMutation, useQueryClient } from '@tanstack/react-query'
import { FileQuestion, HardDrive } from 'lucide-react'
import { toast } from 'sonner'
import { messageOf } from '../../api/client'
import type { Clip } from '../../api/clips'
import { chooseFiles, inWindow, relinkClip } from '../../api/desktop'
import { fileName } from '../../api/fileName'
import { allClips } from '../../api/clips'
import { clipsText as text } from '../../text/editor/clips'
import { Button } from '../../ui/Button'
import { Dialog } from '../../ui/Dialog'
import { Notice } from '../../ui/Notice'

/** The path of a linked file, or a button that locates a missing one. */
export function LinkedFileLine({ clip, onLocate }: { clip: Clip; onLocate: () => void }) {
  const file = clip.reference
  if (!file) return null
  if (file.state === 'present') {
    return (
      <span className="flex items-center gap-1 text-xs text-faint" title={file.path}>
        <HardDrive size={12} className="shrink-0" aria-hidden />
        <span className="shrink-0">{text.linkedFile}</span>
        {/* A long path is truncated at the start: its end tells more. */}
        <span className="min-w-0 truncate [direction:rtl]">
          <bdi>{file.path}</bdi>
        </span>
      </span>
    )
  }

  return (
    <span className="mt-1 flex items-center gap-2 text-xs text-danger">
      <FileQuestion size={12} className="shrink-0" aria-hidden />
      <span className="min-w-0 flex-1">{file.state === 'missing' ? text.missing : text.replaced}</span>
      <Button size="sm" onClick={onLocate}>
        {text.locate}
      </Button>
    </span>
  )
}

/** Locates the recording of a clip whose linked file is missing or has changed. */
export function RelinkDialog({
  clip,
  open,
  onOpenChange,
}: {
  clip: Clip
  open: boolean
  onOpenChange: (open: boolean) => void
}) {
  const queryClient = useQueryClient()
  const relink = useMutation({
    mutationFn: async () => {
      const [path] = await chooseFiles()
      return path === undefined ? null : relinkClip(clip.uuid, path)
    },
    onSuccess: (found) => {
      if (!found) return
      void queryClient.invalidateQueries({ queryKey: allClips.queryKey })
      toast.success(text.relinked(clip.name))
      onOpenChange(false)
    },
  })

  const file = clip.reference
  if (!file) return null
  const missing = file.state === 'missing'
  return (
    <Dialog
      open={open}
      onOpenChange={(now) => {
        relink.reset()
        onOpenChange(now)
      }}
      title={missing ? text.missingTitle : text.replacedTitle}
      description={missing ? text.missingDetail : text.replacedDetail}
    >
      <div className="flex flex-col gap-5 text-sm">
        <dl className="rounded-lg border border-line bg-raised p-3">
          <dt className="text-xs text-faint">{missing ? text.lastPath : text.originalPath}</dt>
          <dd className="mt-0.5 break-all select-text">{file.path}</dd>
        </dl>
        <p className="text-muted">{text.linkSafe}</p>
        {relink.isError && (
          <Notice tone="danger" title={text.relinkFailed(fileName(file.path))}>
            {messageOf(relink.error)}
          </Notice>
        )}
        {inWindow() ? (
          <div className="flex justify-end gap-2">
            <Button size="lg" onClick={() => onOpenChange(false)}>
              {text.notNow}
            </Button>
            <Button size="lg" variant="primary" disabled={relink.isPending} onClick={() => relink.mutate()}>
              {relink.isPending ? text.choosing : text.chooseFile}
            </Button>
          </div>
        ) : (
          <Notice title={text.relinkInWindow} />
        )}
      </div>
    </Dialog>
  )
}
