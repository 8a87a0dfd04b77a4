import { useQueryClient } from '@tanstack/react-query'
import { clipsQuery, importClip } from '../../api/clips'
import { LinkDialog } from '../../ui/LinkDialog'
import { useEditorStore } from '../state/store'

/** Asks for the address of a recording; open while the editor's store holds one to begin with. */
export function ImportDialog({ project }: { project: string }) {
  const queryClient = useQueryClient()
  const importing = useEditorStore((s) => s.importing)
  const set = useEditorStore((s) => s.set)
  const start = async (url: string) => {
    const clip = await importClip(project, url)
    queryClient.setQueryData(
      clipsQuery(project).queryKey,
      (list) => list && [...list.filter((c) => c.uuid !== clip.uuid), clip],
    )
    void queryClient.invalidateQueries({ queryKey: ['project', project] })
    set({ importing: null, leftTab: 'clips' })
  }
  return (
    <LinkDialog
      link={importing}
      onOpenChange={(open) => set({ importing: open ? '' : null })}
      title="Add a clip from a link"
      description="Roughcut downloads the recording for you. Links to video files work as they are; pages of video sites need yt-dlp on the server."
      action="Add clip"
      placeholder="https://example.org/talk.mp4"
      start={start}
    />
  )
}
