import type { KeyboardEvent, MouseEvent } from 'react'
import { useActions } from '../commands/useCommand'
import { hasParts, type ReviewRow } from '../edits/stretches'
import { useEdits } from '../state/contexts'
import { useEditorStore } from '../state/store'
import { useSelectedRow } from '../state/useSelectedRow'

/**
 * Chooses several cuts of a list: Ctrl and a click adds or removes one, as does each click while choosing. Shift and a click or an
 * arrow key extends the range from the selected cut, Ctrl+A chooses all, and Escape none. Enter and the right arrow key show
 * the parts of the selected cut, and the left one hides them. onAnyKey handles the keys that apply around the list, too.
 */
export function useMultiSelect(list: readonly ReviewRow[]) {
  const { goTo } = useActions()
  const { rowOf } = useEdits()
  const current = useSelectedRow()
  const { choose, stopChoosing, select, open } = useEditorStore.getState()

  const stretchOf = (uuid: string | null | undefined) => rowOf.get(uuid ?? '')?.uuid
  const indexOf = (uuid: string | null | undefined) => list.findIndex((row) => row.uuid === stretchOf(uuid))
  const range = (a: number, b: number) => list.slice(Math.min(a, b), Math.max(a, b) + 1).map((row) => row.uuid)

  const onClick = (event: MouseEvent, row: ReviewRow) => {
    const { selected, chosen, choosing } = useEditorStore.getState()
    if (event.shiftKey && indexOf(selected) >= 0) return choose(range(indexOf(selected), indexOf(row.uuid)))
    if (!event.ctrlKey && !event.metaKey && !choosing) return goTo(row)
    const now = chosen.length > 0 || choosing ? chosen : list[indexOf(selected)] ? [list[indexOf(selected)]!.uuid] : []
    const uuid = stretchOf(row.uuid) ?? row.uuid
    if (now.length === 0 && !choosing) goTo(row)
    choose(now.includes(uuid) ? now.filter((u) => u !== uuid) : [...now, uuid])
  }

  // turn shows or hides the parts of the selected cut, and reports whether it did.
  const turn = (key: string): boolean => {
    const stretch = rowOf.get(current?.uuid ?? '')
    if (!stretch || !hasParts(stretch)) return false
    const opened = useEditorStore.getState().opened.includes(stretch.uuid)
    if (key === 'ArrowLeft' && !opened) return false
    if (key === 'ArrowRight' && opened) return false
    open(stretch.uuid, key === 'ArrowRight' || (key === 'Enter' && !opened))
    if (current?.part) select(stretch.uuid)
    return true
  }

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const { selected, chosen } = useEditorStore.getState()
    const by = event.shiftKey ? { ArrowDown: 1, ArrowUp: -1 }[event.key] : undefined
    const plain = !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey
    if (by !== undefined && list.length > 0) {
      const anchor = Math.max(indexOf(selected), 0)
      // The range ends at the chosen cut that is farthest from the selected one.
      const [first, last] = [indexOf(chosen[0]), indexOf(chosen.at(-1))]
      const focus = first < 0 ? anchor : first === anchor ? last : first
      choose(range(anchor, Math.min(Math.max(focus + by, 0), list.length - 1)))
    } else if (!plain || !TURNING.has(event.key) || !turn(event.key)) return
    event.preventDefault()
  }

  const onAnyKey = (event: KeyboardEvent<HTMLElement>) => {
    const { chosen, choosing } = useEditorStore.getState()
    // React brings the keys of open menus and popovers here, too.
    if (event.target instanceof Element && event.target.closest('[role=dialog], [role=menu]')) return
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'a') choose(list.map((row) => row.uuid))
    else if (event.key === 'Escape' && (chosen.length > 0 || choosing)) stopChoosing()
    else return
    event.preventDefault()
  }

  return { onClick, onKeyDown, onAnyKey }
}

const TURNING: ReadonlySet<string> = new Set(['Enter', 'ArrowRight', 'ArrowLeft'])
