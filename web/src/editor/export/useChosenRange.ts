import { useMemo, useState } from 'react'
import type { Short } from '../../api/shorts'
import { useLayout, useShorts } from '../state/contexts'
import { useEditorStore } from '../state/store'
import { rangeOf, WHOLE, type RangeChoice } from './exportRange'

/** The choice of a range in a dialog: at first the selected short, otherwise the whole project. */
export function useChosenRange() {
  const { totalMs } = useLayout()
  const { shorts } = useShorts()
  const [selection] = useState(() => useEditorStore.getState().selection)
  const [choice, setChoice] = useState(() => choiceAtFirst(shorts))
  const short = (choice.kind === 'short' && shorts.find((s) => s.uuid === choice.short)) || null
  const chosen = useMemo(() => rangeOf(choice, selection, totalMs, short), [choice, selection, totalMs, short])
  return { choice, setChoice, selection, short, chosen, totalMs }
}

function choiceAtFirst(shorts: readonly Short[]): RangeChoice {
  const { selected } = useEditorStore.getState()
  return shorts.some((s) => s.uuid === selected) ? { ...WHOLE, kind: 'short', short: selected } : WHOLE
}
