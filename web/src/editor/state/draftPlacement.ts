// A change of a placed asset that is being dragged on the picture. The preview shows it; it is saved at the end of the drag.

import { create } from 'zustand'
import type { EditChange } from '../../api/edits'

interface Draft {
  draft: { uuid: string; to: EditChange } | null
  set: (draft: Draft['draft']) => void
}

export const useDraftPlacement = create<Draft>()((set) => ({ draft: null, set: (draft) => set({ draft }) }))
