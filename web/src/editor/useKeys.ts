import { useEffect } from 'react'
import { useModel } from './model'
import { stepFrames } from './playback'
import { useEditorStore } from './store'
import { useCutCommands } from './useCommands'

/** All keys of the editor with what they do, as the help shows them. */
export const KEYS: readonly (readonly [group: string, keys: readonly (readonly [keys: string, does: string])[]])[] = [
  ['Play', [
    ['Space  K', 'Play or pause'],
    ['L  J', 'Forward, backward; again is faster'],
    ['←  →', 'One frame back or on'],
    ['Shift ←  →', 'One second back or on'],
    ['Home  End', 'To the start, to the end'],
    ['P', 'Skip cuts, or play all'],
  ]],
  ['Cuts', [
    ['↑  ↓', 'Previous, next cut'],
    ['X', 'Reject or take the selected cut'],
    ['B  A', 'Play the cut before, after'],
    ['I  O', 'Mark in, mark out'],
    ['Delete', 'Cut what is marked, or remove the selected cut'],
    ['Esc', 'Unmark'],
  ]],
  ['Everything', [
    ['Ctrl Z', 'Undo'],
    ['Ctrl Shift Z', 'Redo'],
    ['+  −  Z', 'Zoom in, out, show everything'],
    ['E', 'Export'],
    ['?', 'These keys'],
  ]],
]

const zoom = (factor: number) => window.dispatchEvent(new CustomEvent('roughcut:zoom', { detail: factor }))

// Keys belong to the editor unless the person writes, turns a slider, or a dialog is open.
function isTaken(event: KeyboardEvent): boolean {
  const target = event.target instanceof Element ? event.target : null
  if (document.querySelector('[role=dialog], [role=alertdialog], [role=menu]')) return true
  if (target?.closest('textarea, select, [contenteditable], [role=slider], input:not([type=range], [type=checkbox])')) return true
  // Space and Enter work a focused button, not the player, unless the button is one of the list's switches.
  return (event.key === ' ' || event.key === 'Enter') && target?.closest('button:not([role=switch]), a, input') != null
}

export function useKeys(): void {
  const model = useModel()
  const commands = useCutCommands()
  useEffect(() => {
    const { player, book, layout, rates, totalMs, edits } = model
    const { set, mark } = useEditorStore.getState()
    const at = () => player?.position() ?? 0
    const seek = (ms: number) => {
      player?.pause()
      player?.seek(ms)
    }
    const chosen = () => edits.find((e) => e.uuid === useEditorStore.getState().selected)
    const markTo = (start: boolean) => {
      const { selection } = useEditorStore.getState()
      const ms = Math.round(at())
      const other = start ? (selection?.endMs ?? totalMs) : (selection?.startMs ?? 0)
      if (start ? ms < other : ms > other) mark(start ? { startMs: ms, endMs: other } : { startMs: other, endMs: ms })
    }
    const plain: Record<string, () => void> = {
      ' ': () => player?.toggle(),
      k: () => player?.toggle(),
      l: () => player?.shuttle(1),
      j: () => player?.shuttle(-1),
      ArrowLeft: () => seek(stepFrames(layout, rates, at(), -1)),
      ArrowRight: () => seek(stepFrames(layout, rates, at(), 1)),
      'shift ArrowLeft': () => seek(at() - 1000),
      'shift ArrowRight': () => seek(at() + 1000),
      Home: () => seek(0),
      End: () => seek(totalMs),
      ArrowUp: () => commands.step(-1),
      ArrowDown: () => commands.step(1),
      x: commands.toggleSelected,
      p: () => set({ skipCuts: !useEditorStore.getState().skipCuts }),
      b: () => chosen() && commands.compare(chosen()!, 'before'),
      a: () => chosen() && commands.compare(chosen()!, 'after'),
      i: () => markTo(true),
      o: () => markTo(false),
      Delete: commands.remove,
      Backspace: commands.remove,
      Escape: () => mark(null),
      z: () => zoom(0),
      '+': () => zoom(1.6),
      '=': () => zoom(1.6),
      '-': () => zoom(1 / 1.6),
      e: () => set({ exporting: true }),
      '?': () => set({ help: true }),
      'ctrl z': () => book.undo(),
      'ctrl shift z': () => book.redo(),
      'ctrl y': () => book.redo(),
      'ctrl s': () => undefined, // everything is saved already
    }
    const onKey = (event: KeyboardEvent) => {
      if (isTaken(event) || event.altKey) return
      const key = event.key.length === 1 ? event.key.toLowerCase() : event.key
      const ctrl = event.ctrlKey || event.metaKey
      const shift = event.shiftKey && (ctrl || key.length > 1)
      const action = plain[`${ctrl ? 'ctrl ' : ''}${shift ? 'shift ' : ''}${key}`]
      if (!action) return
      event.preventDefault()
      action()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [model, commands])
}
