import type { Short } from '../../api/shorts'
import { useShorts } from './contexts'
import { useEditorStore } from './store'

/** The short whose options the page shows: in the export dialog its range, otherwise the selected short; null without a short. */
export function useShownShort(): Short | null {
  const { shorts } = useShorts()
  const uuid = useEditorStore((s) => (s.exportedShort === undefined ? s.selected : s.exportedShort))
  return shorts.find((s) => s.uuid === uuid) ?? null
}
