import type { ReactNode } from 'react'
import { clipsText as text } from '../../text/editor/clips'
import { DropTarget } from '../../ui/DropTarget'
import { useEditorStore } from '../state/store'
import { useAddRecordings } from './useAddRecordings'

interface DropZoneProps {
  /** Receives the paths of the desktop window instead of the project. */
  onPaths?: ((paths: string[]) => void) | undefined
  children: ReactNode
}

/** Adds files that are dropped on the page, and links that are pasted there, as clips. */
export function DropZone({ onPaths, children }: DropZoneProps) {
  const set = useEditorStore((s) => s.set)
  const add = useAddRecordings()
  return (
    <DropTarget text={text.drop} onLink={(importing) => set({ importing })} {...add} onPaths={onPaths ?? add.onPaths}>
      {children}
    </DropTarget>
  )
}
