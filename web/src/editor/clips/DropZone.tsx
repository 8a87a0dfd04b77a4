import type { ReactNode } from 'react'
import { clipsText as text } from '../../text/editor/clips'
import { DropTarget } from '../../ui/DropTarget'
import { useEditorStore } from '../state/store'
import { useAddRecordings } from './useAddRecordings'

/** Adds files that are dropped on the page, and links that are pasted there, as clips. */
export function DropZone({ children }: { children: ReactNode }) {
  const set = useEditorStore((s) => s.set)
  const add = useAddRecordings()
  return (
    <DropTarget text={text.drop} onLink={(importing) => set({ importing })} {...add}>
      {children}
    </DropTarget>
  )
}
