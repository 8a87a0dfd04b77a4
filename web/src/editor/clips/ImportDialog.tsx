import { useQueryClient } from '@tanstack/react-query'
import { clipsQuery, importClip } from '../../api/clips'
import { projectQuery } from '../../api/projects'
import { clipsText as text } from '../../text/editor/clips'
import { LinkDialog } from '../../ui/LinkDialog'
import { useEditorStore } from '../state/store'

/** Imports a recording from a link; open while the editor store holds an initial link. */
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

    void queryClient.invalidateQueries({ queryKey: projectQuery(project).queryKey })
    set({ importing: null, leftTab: 'clips' })
  }

  return (
    <LinkDialog
      link={importing}
      onOpenChange={(open) => set({ importing: open ? '' : null })}
      title={text.importTitle}
      description={text.importDetail}
      action={text.import}
      placeholder={text.importPlaceholder}
      start={start}
    />
  )
}
