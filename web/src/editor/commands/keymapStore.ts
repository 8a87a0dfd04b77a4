import { create } from 'zustand'
import { browserStorage } from '../../api/storage'
import { changesOf, keymapOf, type Keymap } from './keymap'

interface KeymapStore {
  map: Keymap
  change: (map: Keymap) => void
}

/** Local storage key of the changed shortcuts. */
const STORAGE_KEY = 'roughcut.keys'

/** The shortcuts of the editor, stored in this browser. */
export const useKeymap = create<KeymapStore>()((set) => ({
  map: keymapOf(browserStorage.getItem(STORAGE_KEY)),
  change: (map) => {
    const changes = changesOf(map)
    if (changes) browserStorage.setItem(STORAGE_KEY, changes)
    else browserStorage.removeItem(STORAGE_KEY)
    set({ map })
  },
}))
