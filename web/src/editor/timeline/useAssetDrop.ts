import { useState, type DragEvent } from 'react'
import { inWindow } from '../../api/desktop'
import { ASSET_DRAG } from '../../library/drag'
import { bringsFiles } from '../../ui/fileDrag'
import { claimDrop } from '../../ui/useDesktopFiles'
import { addFilesAndPlace, uploadAndPlace } from '../assets/waitingPlacements'
import { useActions } from '../commands/useCommand'
import { useAssetFiles, useEditorAccess, useLayout } from '../state/contexts'
import { nearestPoint } from '../edits/snap'
import { SNAP_PX } from './useTimelinePointer'
import { toMs, type Viewport } from './viewport'

/** Places assets and files that are dropped anywhere on the timeline, at the time of the pointer. */
export function useAssetDrop(view: Viewport, setGuide: (ms: number | null) => void) {
  const assets = useAssetFiles()
  const { snapPoints } = useEditorAccess()
  const { totalMs } = useLayout()
  const { place } = useActions()
  const [over, setOver] = useState(false)
  const at = (event: DragEvent<HTMLElement>): number => {
    const ms = toMs(view, event.clientX - event.currentTarget.getBoundingClientRect().left)
    const within = Math.min(Math.max(ms, 0), totalMs)
    return (event.altKey ? null : nearestPoint(snapPoints(), within, SNAP_PX * view.msPerPx)) ?? within
  }

  const files = (event: DragEvent) => totalMs > 0 && bringsFiles(event.nativeEvent)
  const leave = () => {
    setOver(false)
    setGuide(null)
  }

  return {
    over,
    onDragOver: (event: DragEvent<HTMLElement>) => {
      if (!event.dataTransfer.types.includes(ASSET_DRAG) && !files(event)) return
      event.preventDefault()
      event.dataTransfer.dropEffect = 'copy'
      const ms = at(event)
      setOver(true)
      setGuide(ms)
      if (!files(event) || !inWindow()) return
      claimDrop((paths) => {
        leave()
        void addFilesAndPlace(paths, ms)
      })
    },
    onDragLeave: (event: DragEvent<HTMLElement>) => {
      if (!(event.relatedTarget instanceof Node && event.currentTarget.contains(event.relatedTarget))) leave()
    },
    onDrop: (event: DragEvent<HTMLElement>) => {
      const uuid = event.dataTransfer.getData(ASSET_DRAG)
      if (!uuid && !files(event)) return
      event.preventDefault()
      leave()
      if (!uuid && !inWindow()) uploadAndPlace([...event.dataTransfer.files], at(event))
      const asset = [...assets.values()].find((a) => a.uuid === uuid)
      if (asset) place(asset, at(event))
    },
  }
}
