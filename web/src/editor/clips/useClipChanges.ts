import { useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { toast } from 'sonner'
import { messageOf } from '../../api/client'
import { orderClips, renameClip, type Clip } from '../../api/clips'
import { queryKeys } from '../../api/keys'
import { clipsText as text } from '../../text/editor/clips'
import { useHistory, useProject } from '../state/contexts'
import { movedTo } from './order'

/** Undoable changes of the order and the names of clips. */
export function useClipChanges() {
  const { project, clips } = useProject()
  const { history } = useHistory()
  const queryClient = useQueryClient()
  return useMemo(() => {
    const { uuid } = project
    const refresh = () => {
      for (const queryKey of [
        queryKeys.clips(uuid),
        queryKeys.project(uuid),
        queryKeys.anyRun(uuid),
        queryKeys.edits(uuid),
        queryKeys.takeGroups(uuid),
        queryKeys.markers(uuid),
        queryKeys.drafts(uuid),
        queryKeys.allCaptionLines(uuid),
      ])
        void queryClient.invalidateQueries({ queryKey })
    }
    const perform = (label: string, change: () => Promise<unknown>, back: () => Promise<unknown>, failed: string) => {
      change()
        .then(() => history.record(label, change, back))
        .catch((error: unknown) => toast.error(failed, { description: messageOf(error) }))
    }
    return {
      /** Moves a clip to an index in the display order. */
      move: (clip: Clip, index: number) => {
        const before = clips.map((c) => c.uuid)
        const after = movedTo(before, clip.uuid, index)
        if (after.every((id, i) => id === before[i])) return
        const to = (order: string[]) => () => orderClips(uuid, order).finally(refresh)
        perform(text.moveLabel, to(after), to(before), text.moveFailed)
      },
      rename: (clip: Clip, name: string) => {
        if (name.trim() === '' || name.trim() === clip.name) return
        const to = (name: string) => () => renameClip(clip.uuid, name).finally(refresh)
        perform(text.renameLabel, to(name.trim()), to(clip.name), text.renameFailed)
      },
    }
  }, [project, clips, history, queryClient])
}
