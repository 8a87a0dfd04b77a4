import { Upload } from 'lucide-react'
import { useEffect, useEffectEvent, useState, type ReactNode } from 'react'
import { inWindow } from '../api/desktop'
import { droppedFiles } from './droppedFiles'
import { bringsFiles } from './fileDrag'
import { isDropClaimed, useDesktopFiles } from './useDesktopFiles'

interface DropTargetProps {
  /** The text to show during a drag: "Drop to add clips". */
  text: string
  onFiles: (files: File[]) => void
  /** Receives the paths of linked files in the desktop window. Without it, the window accepts no files. */
  onPaths?: (paths: string[]) => void
  /** Called when a link is pasted outside of an input field. */
  onLink?: (link: string) => void
  children: ReactNode
}

/** Returns the text if it is a link and nothing else. */
function linkIn(text: string): string | null {
  const link = text.trim()
  return /^https?:\/\/\S+$/i.test(link) ? link : null
}

/** Accepts files dropped and links pasted anywhere on the page. */
export function DropTarget({ text, onFiles, onPaths, onLink, children }: DropTargetProps) {
  const [over, setOver] = useState(false)
  const [taken, setTaken] = useState(false)
  const receive = useEffectEvent(async (transfer: DataTransfer | null) => {
    if (inWindow()) return
    const files = await droppedFiles(transfer)
    if (files.length > 0) onFiles(files)
  })

  useDesktopFiles(onPaths)
  const paste = useEffectEvent((event: ClipboardEvent) => {
    const inField =
      event.target instanceof Element && event.target.closest('input, textarea, [contenteditable], [role=dialog]')

    const link = linkIn(event.clipboardData?.getData('text/plain') ?? '')
    if (link && !inField) onLink?.(link)
  })

  useEffect(() => {
    let depth = 0 // children fire dragenter and dragleave too
    const enter = (event: DragEvent) => {
      if (bringsFiles(event)) setOver(++depth > 0)
    }

    const leave = (event: DragEvent) => {
      if (bringsFiles(event)) setOver(--depth > 0)
    }

    // A part of the page that takes the files itself prevents the default of both events. In the desktop window, where
    // everything does, it claims the drag.
    const allow = (event: DragEvent) => {
      if (!bringsFiles(event)) return
      setTaken(inWindow() ? isDropClaimed() : event.defaultPrevented)
      event.preventDefault()
    }

    const drop = (event: DragEvent) => {
      depth = 0
      setOver(false)
      if (event.defaultPrevented) return
      if (!event.dataTransfer?.files.length) return
      event.preventDefault()
      void receive(event.dataTransfer)
    }

    const pasted = (event: ClipboardEvent) => paste(event)
    const listeners = [
      ['dragenter', enter],
      ['dragleave', leave],
      ['dragover', allow],
      ['drop', drop],
    ] as const

    for (const [type, listener] of listeners) window.addEventListener(type, listener)
    window.addEventListener('paste', pasted)
    return () => {
      for (const [type, listener] of listeners) window.removeEventListener(type, listener)
      window.removeEventListener('paste', pasted)
    }
  }, [])

  return (
    <>
      {children}
      {over && !taken && (!inWindow() || onPaths) && (
        <div className="pointer-events-none fixed inset-2 z-50 flex flex-col items-center justify-center gap-3 rounded-xl border-2 border-dashed border-accent bg-canvas/90 text-lg font-semibold">
          <Upload size={40} className="text-accent" aria-hidden />
          {text}
        </div>
      )}
    </>
  )
}
