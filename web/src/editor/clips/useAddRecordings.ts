import { queueAnalysis } from '../state/analysisQueue'
import { useProject } from '../state/contexts'
import { useEditorStore } from '../state/store'
import { takeRecordings } from './droppedFiles'
import { addLinkedFiles } from './linkedFiles'
import { useUploads } from '../state/uploads'

/** Adds recordings to the project as clips. The first ones of a project are also analyzed. */
export function useAddRecordings(): { onFiles: (files: File[]) => Promise<void>; onPaths: (paths: string[]) => void } {
  const add = useUploads((s) => s.add)
  const set = useEditorStore((s) => s.set)
  const { project, clips } = useProject()
  return {
    onFiles: async (files) => {
      const { recordings, images } = await takeRecordings(files)
      if (images.length > 0 && clips.length > 0) set({ leftTab: 'assets' })
      if (recordings.length === 0) return
      add(project.uuid, recordings)
      if (clips.length === 0) void queueAnalysis(project.uuid)
      set({ leftTab: 'clips' })
    },
    onPaths: (paths) => {
      const added = addLinkedFiles(project.uuid, paths)
      if (clips.length === 0) void added.then(() => queueAnalysis(project.uuid))
      set({ leftTab: 'clips' })
    },
  }
}
