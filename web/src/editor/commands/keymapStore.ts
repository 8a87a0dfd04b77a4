import { create } from 'zustand'
import { changesOf, keymapOf, type Keymap } from './keymap'

interface KeymapStore {
  map: Keymap
  change: (map: Keymap) => void
}

/** Local storage key of the changed shortcuts. */
const STORAGE_KEY = 'roughcut.keys'

/** The shortcuts of the editor, stored in this browser. */
export const useKeymap = create<KeymapStore>()((set) => ({
  map: keymapOf(readStored()),
  change: (map) => {
    const changes = changesOf(map)
    try {
      if (changes) localStorage.setItem(STORAGE_KEY, changes)
      else localStorage.removeItem(STORAGE_KEY)
    } catch {
      // Storage is blocked: the shortcuts last until the page is closed.
    }
    set({ map })
  },
}))

function readStored(): string | null {
  try {
    return localStorage.getItem(STORAGE_KEY)
  } catch {
    return null
  }
}
