import { FileVideo, Upload } from 'lucide-react'
import { useEffect, useState, type ReactNode } from 'react'
import { inWindow } from '../api/desktop'
import { AddClips, AddLink, UploadRow, useProjectUploads } from './ClipsPane'
import { addReferences } from './references'
import { useEditorStore } from './store'
import { useHandedFiles } from './useHandedFiles'
import { useUploads } from './uploads'

/** The link in a text, where it is nothing but one. */
function linkIn(text: string): string | null {
  const link = text.trim()
  return /^https?:\/\/\S+$/i.test(link) ? link : null
}

/** Takes files that are dropped anywhere on the page, and links that are pasted there. */
export function DropZone({ project, children }: { project: string; children: ReactNode }) {
  const [over, setOver] = useState(false)
  const add = useUploads((s) => s.add)
  const set = useEditorStore((s) => s.set)
  useHandedFiles((paths) => {
    set({ leftTab: 'clips' })
    void addReferences(project, paths)
  })
  useEffect(() => {
    let depth = 0 // enter and leave also come from children
    const files = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false
    const enter = (event: DragEvent) => {
      if (files(event)) setOver(++depth > 0)
    }
    const leave = (event: DragEvent) => {
      if (files(event)) setOver(--depth > 0)
    }
    const allow = (event: DragEvent) => {
      if (files(event)) event.preventDefault()
    }
    const drop = (event: DragEvent) => {
      depth = 0
      setOver(false)
      const dropped = [...(event.dataTransfer?.files ?? [])]
      if (dropped.length === 0) return
      event.preventDefault()
      if (inWindow()) return // the window hands their paths over
      add(project, dropped)
      set({ leftTab: 'clips' })
    }
    const listeners = [['dragenter', enter], ['dragleave', leave], ['dragover', allow], ['drop', drop]] as const
    for (const [type, listener] of listeners) window.addEventListener(type, listener)
    return () => {
      for (const [type, listener] of listeners) window.removeEventListener(type, listener)
    }
  }, [add, project, set])
  useEffect(() => {
    const paste = (event: ClipboardEvent) => {
      const writing = event.target instanceof Element && event.target.closest('input, textarea, [contenteditable], [role=dialog]')
      const link = linkIn(event.clipboardData?.getData('text/plain') ?? '')
      if (link && !writing) set({ importing: link })
    }
    window.addEventListener('paste', paste)
    return () => window.removeEventListener('paste', paste)
  }, [set])
  return (
    <>
      {children}
      {over && (
        <div className="pointer-events-none fixed inset-2 z-50 flex flex-col items-center justify-center gap-3 rounded-xl border-2 border-dashed border-accent bg-canvas/90 text-lg font-semibold">
          <Upload size={40} className="text-accent" aria-hidden />
          Drop to add clips
        </div>
      )}
    </>
  )
}

/** What a project without clips shows instead of a picture. */
export function FirstClips({ project }: { project: string }) {
  const uploads = useProjectUploads(project)
  return (
    <section aria-label="Add your recording" className="flex min-h-0 flex-1 flex-col items-center justify-center overflow-y-auto p-6">
      <div className="flex w-full max-w-xl flex-col items-center rounded-xl border-2 border-dashed border-strong bg-surface px-8 py-10 text-center">
        <span className="inline-flex size-14 items-center justify-center rounded-xl bg-accent-soft text-accent">
          <FileVideo size={28} aria-hidden />
        </span>
        <h1 className="mt-4 text-lg font-semibold tracking-tight">Drop your recording here</h1>
        <p className="mt-1 max-w-md text-sm text-muted">MP4, MOV, MKV, WebM, AVI and more, straight from the phone, camera or screen recorder. Several files become clips of one video, in order.</p>
        <div className="mt-5 flex flex-wrap justify-center gap-2">
          <AddClips project={project} look="primary" size="lg" label="Choose files" />
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
        {inWindow() ? 'Your recordings stay where they are and are never changed. Nothing leaves this machine.' : 'Your original is never changed, and nothing leaves this machine.'}
      </p>
    </section>
  )
}
