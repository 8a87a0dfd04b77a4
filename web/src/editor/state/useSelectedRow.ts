import { useMemo } from 'react'
import { selectedRow, type ReviewRow } from '../edits/stretches'
import { useEdits } from './contexts'
import { useEditorStore } from './store'

/** What the selected cut stands for: its stretch, or a part of it; undefined without a selected cut. */
export function useSelectedRow(): ReviewRow | undefined {
  const { edits, rowOf } = useEdits()
  const selected = useEditorStore((s) => s.selected)
  const part = useEditorStore((s) => s.part)
  return useMemo(() => selectedRow({ edits, rowOf }, { selected, part }), [edits, rowOf, selected, part])
}
