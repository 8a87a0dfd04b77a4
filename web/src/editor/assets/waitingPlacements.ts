// Uploads that are placed on the timeline as soon as the server has read them.

import { useEffect } from 'react'
import { toast } from 'sonner'
import { create } from 'zustand'
import type { Asset } from '../../api/assets'
import { messageOf } from '../../api/client'
import { addAssetFile } from '../../api/desktop'
import { fileName } from '../../api/fileName'
import { assetsText as text } from '../../text/editor/assets'
import { showAssets, useUploads } from '../state/uploads'
import { useActions } from '../commands/useCommand'
import { useAssetFiles } from '../state/contexts'

interface Waiting {
  /** Project time of each asset that waits, in milliseconds. */
  places: ReadonlyMap<string, number>
  add: (asset: string, ms: number) => void
  remove: (asset: string) => void
}

const useWaiting = create<Waiting>()((set) => ({
  places: new Map(),
  add: (asset, ms) => set((s) => ({ places: new Map(s.places).set(asset, ms) })),
  remove: (asset) =>
    set((s) => {
      const places = new Map(s.places)
      places.delete(asset)
      return { places }
    }),
}))

/** Uploads files to the library and places each at project time ms. */
export function uploadAndPlace(files: readonly File[], ms: number): void {
  useUploads.getState().addAssets(null, files, (asset: Asset) => useWaiting.getState().add(asset.uuid, ms))
}

/** Copies files of this machine to the library, and places each at project time ms if that is not null. */
export async function addFilesAndPlace(paths: readonly string[], ms: number | null): Promise<void> {
  for (const path of paths) {
    try {
      const asset = await addAssetFile(path)
      await showAssets()
      if (ms !== null) useWaiting.getState().add(asset.uuid, ms)
    } catch (error) {
      toast.error(text.notAdded(fileName(path)), { description: messageOf(error) })
    }
  }
}

/** Places assets that wait for it once they are ready. */
export function useWaitingPlacements(): void {
  const { places, remove } = useWaiting()
  const assets = useAssetFiles()
  const { place } = useActions()
  useEffect(() => {
    for (const asset of assets.values()) {
      const ms = places.get(asset.uuid)
      if (ms === undefined || asset.status === 'pending') continue
      remove(asset.uuid)
      if (asset.status === 'uploaded') place(asset, ms)
      else toast.error(text.notPlaced(asset.display_name), { description: asset.error ?? text.unreadable })
    }
  }, [places, assets, place, remove])
}
