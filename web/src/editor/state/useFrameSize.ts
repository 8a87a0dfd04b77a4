import { useMemo } from 'react'
import type { Size } from '../plan/captionStyle'
import { useLayout } from './contexts'
import { frameSize, recordedSize, useExportOptions } from './exportOptions'

/** The frame size of the first clip; null until a clip with video is ready. */
export function useRecordedSize(): Size | null {
  const { ready } = useLayout()
  return useMemo(() => recordedSize(ready), [ready])
}

/** The frame size of the next export. */
export function useFrameSize(): Size {
  const recorded = useRecordedSize()
  const resolution = useExportOptions((s) => s.options.resolution)
  const aspect_ratio = useExportOptions((s) => s.options.aspect_ratio)
  return useMemo(() => frameSize({ resolution, aspect_ratio }, recorded), [resolution, aspect_ratio, recorded])
}
