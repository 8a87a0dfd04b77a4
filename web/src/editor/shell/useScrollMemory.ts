import type { Virtualizer } from '@tanstack/react-virtual'
import { useLayoutEffect } from 'react'
import { useProject } from '../state/contexts'

/** The first row in sight of each list, by project and name. */
const kept = new Map<string, number>()

/** Brings a list back to the row where it was left, as when another tab was looked at or the window was arranged anew. */
export function useScrollMemory(name: string, rows: Virtualizer<HTMLDivElement, Element>): void {
  const { project } = useProject()
  const key = `${project.uuid}/${name}`
  useLayoutEffect(() => {
    const row = kept.get(key)
    if (row) rows.scrollToIndex(row, { align: 'start' })
    return () => {
      kept.set(key, rows.getVirtualItemForOffset(rows.scrollOffset ?? 0)?.index ?? 0)
    }
  }, [key, rows])
}
