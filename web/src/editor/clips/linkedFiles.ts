import { toast } from 'sonner'
import { messageOf } from '../../api/client'
import { clipsQuery } from '../../api/clips'
import { linkClip } from '../../api/desktop'
import { fileName } from '../../api/fileName'
import { projectQuery } from '../../api/projects'
import { queryClient } from '../../api/queryClient'
import { clipsText } from '../../text/editor/clips'

/** Adds recordings as linked files, one after the other to keep their order. */
export async function addLinkedFiles(project: string, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    try {
      const clip = await linkClip(project, path)
      queryClient.setQueryData(
        clipsQuery(project).queryKey,
        (list) => list && [...list.filter((c) => c.uuid !== clip.uuid), clip],
      )
    } catch (error) {
      toast.error(clipsText.notAdded(fileName(path)), { description: messageOf(error) })
    }
  }

  void queryClient.invalidateQueries({ queryKey: clipsQuery(project).queryKey })
  void queryClient.invalidateQueries({ queryKey: projectQuery(project).queryKey })
}
