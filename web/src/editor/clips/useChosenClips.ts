import { useState, type KeyboardEvent, type MouseEvent } from 'react'
import { useProject } from '../state/contexts'

/** The clips that are chosen together, and how pointer and keys choose them. */
export interface ChosenClips {
  /** In display order; empty or at least two. */
  chosen: readonly string[]
  /** The chosen clips if a clip is among them, otherwise that clip alone. */
  with: (uuid: string) => readonly string[]
  clear: () => void
  /** Chooses with Ctrl or Shift. Returns false for a click without them, which clears the choice. */
  onClick: (event: MouseEvent, uuid: string) => boolean
  /** Handles Ctrl+A and Escape. Returns false for other keys. */
  onKeyDown: (event: KeyboardEvent) => boolean
}

/**
 * Chooses several clips of the list: Ctrl and a click adds or removes one, Shift and a click extends the range from the last
 * clicked clip, Ctrl+A chooses all, and Escape none.
 */
export function useChosenClips(): ChosenClips {
  const { clips } = useProject()
  const [anchor, setAnchor] = useState<string | null>(null)
  const [picked, setPicked] = useState<readonly string[]>([])
  const order = clips.map((c) => c.uuid)
  const found = order.filter((uuid) => picked.includes(uuid))
  const chosen = found.length > 1 ? found : []
  const clear = () => setPicked([])
  return {
    chosen,
    with: (uuid) => (chosen.includes(uuid) ? chosen : [uuid]),
    clear,
    onClick: (event, uuid) => {
      const ctrl = event.ctrlKey || event.metaKey
      const from = anchor === null ? -1 : order.indexOf(anchor)
      if (event.shiftKey && from >= 0) {
        const to = order.indexOf(uuid)
        setPicked(order.slice(Math.min(from, to), Math.max(from, to) + 1))
        return true
      }

      setAnchor(uuid)
      if (!ctrl) {
        setPicked([uuid])
        return false
      }

      setPicked(picked.includes(uuid) ? picked.filter((other) => other !== uuid) : [...picked, uuid])
      return true
    },
    onKeyDown: (event) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'a') setPicked(order)
      else if (event.key === 'Escape' && chosen.length > 0) clear()
      else return false
      return true
    },
  }
}
