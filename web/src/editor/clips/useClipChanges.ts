import { useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { toast } from 'sonner'
import { runsQuery } from '../../api/analysis'
import { messageOf } from '../../api/client'
import { chooseTracks, clipsQuery, deleteClip, duplicateClip, orderClips, renameClip, type Clip } from '../../api/clips'
import { restoreTrashed } from '../../api/trash'
import { clipsText as text } from '../../text/editor/clips'
import { trashText } from '../../text/editor/trash'
import { useHistory, useProject } from '../state/contexts'
import { refetch, refreshClips } from '../state/refresh'
import { frameDuplicates } from '../state/duplicates'
import { movedTo } from './order'

/** Undoable changes of clips. */
export function useClipChanges() {
  const { project, clips } = useProject()
  const { history } = useHistory()
  const queryClient = useQueryClient()
  return useMemo(() => {
    const { uuid } = project
    const refresh = () => refreshClips(queryClient, uuid)
    const names = (uuids: readonly string[]) => clips.filter((c) => uuids.includes(c.uuid)).map((c) => c.name)
    const fail = (title: string) => (error: unknown) => toast.error(title, { description: messageOf(error) })
    return {
      /** Moves clips together to the place of the clip at an index in the display order. */
      move: (moved: readonly string[], index: number) => {
        const before = clips.map((c) => c.uuid)
        const after = movedTo(before, moved, index)
        if (after.every((id, i) => id === before[i])) return
        void history.request(text.moveLabel(names(moved)), (name) => orderClips(uuid, after, name).finally(refresh))
      },
      /** Moves clips to the trash. Clips without a recording are deleted. */
      remove: (uuids: readonly string[]) => {
        const removed = clips.filter((c) => uuids.includes(c.uuid))
        const unread = removed.filter((c) => c.status !== 'ready')
        Promise.all(unread.map((c) => deleteClip(c.uuid)))
          .catch(fail(text.removeFailed))
          .finally(refresh)

        const trashed = removed.filter((c) => c.status === 'ready')
        if (trashed.length === 0) return
        const restore = () =>
          inTurn(trashed, (c) => restoreTrashed(uuid, c.uuid))
            .catch(fail(text.restoreFailed))
            .finally(refresh)

        const [only] = trashed.length === 1 ? trashed : []
        const title = only ? trashText.deleted(only.name) : trashText.deletedClips(trashed.length)
        void history.request(text.removeLabel(trashed.map((c) => c.name)), async (name) => {
          await inTurn(trashed, (c) => deleteClip(c.uuid, name)).finally(refresh)
          const undo = () => history.takeBack(name.uuid) || void restore()
          const close = () => void toast.dismiss(notice)
          // The clips also come back by other ways than the button of the notice.
          const stop = history.subscribe(() => history.isDone(name.uuid) || close())
          const notice = toast.success(title, {
            action: { label: trashText.undo, onClick: undo },
            onDismiss: stop,
            onAutoClose: stop,
          })
        })
      },
      /** Adds a clip of the same recording with the same cuts behind a clip. */
      duplicate: (clip: Clip) => {
        void history.request(text.duplicateLabel(clip.name), (name) =>
          duplicateClip(clip.uuid, name)
            .then((made) => frameDuplicates([made]))
            .finally(refresh),
        )
      },
      /** Chooses the audio tracks that are heard, by their index. */
      hear: (clip: Clip, tracks: number[]) => {
        const chosen = (c: Clip) =>
          c.uuid === clip.uuid && c.tracks
            ? { ...c, tracks: c.tracks.map((t) => ({ ...t, heard: tracks.includes(t.index) })) }
            : c

        queryClient.setQueryData(clipsQuery(uuid).queryKey, (list) => list?.map(chosen))
        void history.request(text.tracksLabel(clip.name), (as) =>
          chooseTracks(clip.uuid, tracks, as).finally(() => {
            refresh()
            refetch(queryClient, uuid, runsQuery)
          }),
        )
      },
      rename: (clip: Clip, name: string) => {
        if (name.trim() === '' || name.trim() === clip.name) return
        void history.request(text.renameLabel(clip.name), (as) =>
          renameClip(clip.uuid, name.trim(), as).finally(refresh),
        )
      },
    }
  }, [project, clips, history, queryClient])
}

async function inTurn<T>(list: readonly T[], request: (item: T) => Promise<unknown>): Promise<void> {
  for (const item of list) await request(item)
}
