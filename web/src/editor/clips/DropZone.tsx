import { FileVideo } from 'lucide-react'
import type { ReactNode } from 'react'
import { DropTarget } from '../../ui/DropTarget'
import { inWindow } from '../../api/desktop'
import { AddClips, AddLink, useProjectUploads } from './ClipsPane'
import { addLinkedFiles } from './linkedFiles'
import { useEditorStore } from '../state/store'
import { UploadRow } from './UploadRow'
import { useUploads } from './uploads'

/** Makes clips of files that are dropped anywhere on the page, and of links that are pasted there. */
export function DropZone({ project, children }: { project: string; children: ReactNode }) {
  const add = useUploads((s) => s.add)
  const set = useEditorStore((s) => s.set)
  const addFiles = (files: File[]) => {
    add(project, files)
    set({ leftTab: 'clips' })
  }
  const addPaths = (paths: string[]) => {
    void addLinkedFiles(project, paths)
    set({ leftTab: 'clips' })
  }
  return (
    <DropTarget
      text="Drop to add clips"
      onFiles={addFiles}
      onPaths={addPaths}
      onLink={(importing) => set({ importing })}
    >
      {children}
    </DropTarget>
  )
}

/** What a project without clips shows instead of a picture. */
export function FirstClips({ project }: { project: string }) {
  const uploads = useProjectUploads(project)
  return (
    <section
      aria-label="Add your recording"
      className="flex min-h-0 flex-1 flex-col items-center justify-center overflow-y-auto p-6"
    >
      <div className="flex w-full max-w-xl flex-col items-center rounded-xl border-2 border-dashed border-strong bg-surface px-8 py-10 text-center">
        <span className="inline-flex size-14 items-center justify-center rounded-xl bg-accent-soft text-accent">
          <FileVideo size={28} aria-hidden />
        </span>
        <h1 className="mt-4 text-lg font-semibold tracking-tight">Drop your recording here</h1>
        <p className="mt-1 max-w-md text-sm text-muted">
          MP4, MOV, MKV, WebM, AVI and more, straight from the phone, camera or screen recorder. Several files become
          clips of one video, in order.
        </p>
        <div className="mt-5 flex flex-wrap justify-center gap-2">
          <AddClips project={project} variant="primary" size="lg" label="Choose files" />
          <AddLink size="lg" />
        </div>
        {uploads.length > 0 && (
          <ul className="mt-6 w-full text-left" aria-label="Uploads">
            {uploads.map((u) => (
              <UploadRow key={u.id} upload={u} />
            ))}
          </ul>
        )}
      </div>
      <p className="mt-4 max-w-xl text-center text-xs text-faint">
        {inWindow()
          ? 'Your recordings stay where they are and are never changed. Nothing leaves this machine.'
          : 'Your original is never changed, and nothing leaves this machine.'}
      </p>
    </section>
  )
}
