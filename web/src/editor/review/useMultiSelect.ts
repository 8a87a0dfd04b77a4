import type { KeyboardEvent, MouseEvent } from 'react'
import type { Edit } from '../../api/edits'
import { useActions } from '../commands/useCommand'
import { useEditorStore } from '../state/store'

/**
 * Chooses several cuts of a list: Ctrl and a click adds or removes one, as does each click while choosing. Shift and a click or an
 * arrow key extends the range from the selected cut, Ctrl+A chooses all, and Escape none.
 */
export function useMultiSelect(list: readonly Edit[]) {
  const { goTo } = useActions()
  const { choose, stopChoosing } = useEditorStore.getState()

  const indexOf = (uuid: string | null | undefined) => list.findIndex((e) => e.uuid === uuid)
  const range = (a: number, b: number) => list.slice(Math.min(a, b), Math.max(a, b) + 1).map((e) => e.uuid)

  const onClick = (event: MouseEvent, edit: Edit) => {
    const { selected, chosen, choosing } = useEditorStore.getState()
    if (event.shiftKey && indexOf(selected) >= 0) return choose(range(indexOf(selected), indexOf(edit.uuid)))
    if (!event.ctrlKey && !event.metaKey && !choosing) return goTo(edit)
    const now = chosen.length > 0 || choosing ? chosen : list.filter((e) => e.uuid === selected).map((e) => e.uuid)
    if (now.length === 0 && !choosing) goTo(edit)
    choose(now.includes(edit.uuid) ? now.filter((u) => u !== edit.uuid) : [...now, edit.uuid])
  }

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const { selected, chosen, choosing } = useEditorStore.getState()
    const ctrl = event.ctrlKey || event.metaKey
    const by = event.shiftKey ? { ArrowDown: 1, ArrowUp: -1 }[event.key] : undefined
    if (ctrl && event.key.toLowerCase() === 'a') choose(list.map((e) => e.uuid))
    else if (event.key === 'Escape' && (chosen.length > 0 || choosing)) stopChoosing()
    else if (by !== undefined && list.length > 0) {
      const anchor = Math.max(indexOf(selected), 0)
      // The range ends at the chosen cut that is farthest from the selected one.
      const [first, last] = [indexOf(chosen[0]), indexOf(chosen.at(-1))]
      const focus = first < 0 ? anchor : first === anchor ? last : first
      choose(range(anchor, Math.min(Math.max(focus + by, 0), list.length - 1)))
    } else return
    event.preventDefault()
  }

  return { onClick, onKeyDown }
}
