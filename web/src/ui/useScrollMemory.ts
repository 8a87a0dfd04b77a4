import type { Virtualizer } from '@tanstack/react-virtual'
import { useLayoutEffect } from 'react'
import { useProject } from '../editor/state/contexts'

/** The first visible row of each list, by project and list name. */
const positions = new Map<string, number>()

/** Restores the scroll position of a list after its tab was hidden or the layout changed. */
export function useScrollMemory(name: string, rows: Virtualizer<HTMLDivElement, Element>): void {
  const { project } = useProject()
  const key = `${project.uuid}/${name}`
  useLayoutEffect(() => {
    const row = positions.get(key)
    if (row) rows.scrollToIndex(row, { align: 'start' })
    return () => {
      positions.set(key, rows.getVirtualItemForOffset(rows.scrollOffset ?? 0)?.index ?? 0)
    }
  }, [key, rows])
}
