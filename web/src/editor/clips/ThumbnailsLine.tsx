import { useMutation, useQueryClient } from '@tanstack/react-query'
import { toast } from 'sonner'
import { messageOf } from '../../api/client'
import { allClips, retrySprite, type Clip } from '../../api/clips'
import { clipsText as text } from '../../text/editor/clips'
import { Button } from '../../ui/Button'

/** Why a ready clip has no thumbnails, with a button that makes them again. A missing linked file is a problem to solve first. */
export function ThumbnailsLine({ clip }: { clip: Clip }) {
  const queryClient = useQueryClient()
  const retry = useMutation({
    mutationFn: () => retrySprite(clip.uuid),
    onError: (error) => toast.error(text.thumbnailsFailed, { description: messageOf(error) }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: allClips.queryKey }),
  })

  if (clip.sprite_pending) return <span className="block text-xs text-faint">{text.makingThumbnails}</span>
  if (!clip.sprite_error || (clip.reference && clip.reference.state !== 'present')) return null
  return (
    <span data-thumbnails="failed" className="flex flex-col items-start gap-1 text-xs text-faint">
      <span>
        {text.noThumbnails} {clip.sprite_error}
      </span>
      <Button size="sm" disabled={retry.isPending} onClick={() => retry.mutate()}>
        {text.tryAgain}
      </Button>
    </span>
  )
}
