import { create } from 'zustand'
import { changeSetting, onSetting, setting } from '../../api/settings'
import { changesOf, keymapOf, type Keymap } from './keymap'

interface KeymapStore {
  map: Keymap
  change: (map: Keymap) => void
}

/** The shortcuts of the editor, a setting of the account. */
export const useKeymap = create<KeymapStore>()(() => ({
  map: keymapOf(setting('keys')),
  change: (map) => changeSetting('keys', changesOf(map)),
}))

onSetting('keys', () => useKeymap.setState({ map: keymapOf(setting('keys')) }))
