import { useMutation, useQueryClient } from '@tanstack/react-query'
import { FileQuestion, HardDrive } from 'lucide-react'
import { toast } from 'sonner'
import { messageOf } from '../../api/client'
import type { Clip } from '../../api/clips'
import { chooseFiles, fileName, inWindow, relinkClip } from '../../api/desktop'
import { Button } from '../../ui/Button'
import { Dialog } from '../../ui/Dialog'
import { Notice } from '../../ui/Notice'

/** Where the recording of a clip lies that is not kept by Roughcut, and what to do when it does not lie there any more. */
export function LinkedFileLine({ clip, onFind }: { clip: Clip; onFind: () => void }) {
  const reference = clip.reference
  if (!reference) return null
  if (reference.state === 'present') {
    return (
      <span className="flex items-center gap-1 text-xs text-faint" title={reference.path}>
        <HardDrive size={12} className="shrink-0" aria-hidden />
        <span className="shrink-0">Stays at</span>
        {/* The end of a path says more than its beginning. */}
        <span className="min-w-0 truncate [direction:rtl]">
          <bdi>{reference.path}</bdi>
        </span>
      </span>
    )
  }
  return (
    <span className="mt-1 flex items-center gap-2 text-xs text-danger">
      <FileQuestion size={12} className="shrink-0" aria-hidden />
      <span className="min-w-0 flex-1">{reference.state === 'missing' ? 'Not where it was' : 'Another file now'}</span>
      <Button size="sm" onClick={onFind}>
        Find it…
      </Button>
    </span>
  )
}

/** Asks where the recording of a clip is now. */
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
      void queryClient.invalidateQueries({ queryKey: ['clips'] })
      toast.success(`${clip.name} is found again`)
      onOpenChange(false)
    },
  })
  const reference = clip.reference
  if (!reference) return null
  const gone = reference.state === 'missing'
  return (
    <Dialog
      open={open}
      onOpenChange={(now) => {
        relink.reset()
        onOpenChange(now)
      }}
      title={gone ? 'Where is the recording now?' : 'This is another file now'}
      description={
        gone
          ? 'It was moved, renamed, or is on a disk that is not connected.'
          : 'What is there now is not the recording that the clip was made of.'
      }
    >
      <div className="flex flex-col gap-5 text-sm">
        <dl className="rounded-lg border border-line bg-raised p-3">
          <dt className="text-xs text-faint">{gone ? 'It was at' : 'The clip was made of'}</dt>
          <dd className="mt-0.5 break-all select-text">{reference.path}</dd>
        </dl>
        <p className="text-muted">
          Your cuts and transcript are safe, and you can go on editing. Only exports need the recording itself.
        </p>
        {relink.isError && (
          <Notice tone="danger" title={`${fileName(reference.path)} was not found again`}>
            {messageOf(relink.error)}
          </Notice>
        )}
        {inWindow() ? (
          <div className="flex justify-end gap-2">
            <Button size="lg" onClick={() => onOpenChange(false)}>
              Not now
            </Button>
            <Button size="lg" variant="primary" disabled={relink.isPending} onClick={() => relink.mutate()}>
              {relink.isPending ? 'Choosing…' : 'Choose the file…'}
            </Button>
          </div>
        ) : (
          <Notice title="Put the file back, or open Roughcut in its desktop window to say where it is." />
        )}
      </div>
    </Dialog>
  )
}
