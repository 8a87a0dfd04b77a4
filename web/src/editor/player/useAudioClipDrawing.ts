import { useEffect, useMemo, useState } from 'react'
import type { Size } from '../plan/captionStyle'
import { useExportOptions } from '../state/exportOptions'
import { useAssetFiles, useLayout, useSegments } from '../state/contexts'
import { clipAt, msAt } from '../plan/renderPlan'
import { editedTime } from '../plan/playback'
import { outputFrameAt, useTimeMap, useWaveformLevels } from './usePreview'
import { drawWaveform, waveformBars } from '../plan/waveform'

/** Returns a function that draws the cover and the waveform of the clip at project time ms, if that has no video. */
export function useAudioClipDrawing(): (ctx: CanvasRenderingContext2D, frame: Size, ms: number) => void {
  const { ready, layout, rate } = useLayout()
  const { edited } = useSegments()
  const { audio_clips: how, fit } = useExportOptions((s) => s.options)
  const levels = useWaveformLevels(useTimeMap())
  const image = useCover(how.cover_asset_file_id)
  return useMemo(
    () => (ctx, frame, ms) => {
      const at = clipAt(layout, ms)
      if (at === null || ready[at.index]?.width !== null) return
      if (image) {
        const ratios = [frame.width / image.naturalWidth, frame.height / image.naturalHeight] as const
        const by = fit === 'crop' ? Math.max(...ratios) : Math.min(...ratios)
        const [w, h] = [image.naturalWidth * by, image.naturalHeight * by]
        ctx.drawImage(image, (frame.width - w) / 2, (frame.height - h) / 2, w, h)
      }

      if (!how.waveform) return
      const shown = msAt(rate, outputFrameAt(rate, editedTime(edited, ms)))
      drawWaveform(ctx, waveformBars(levels, frame, shown), frame, how.color, image !== null)
    },
    [ready, layout, rate, edited, how, fit, levels, image],
  )
}

// useCover loads a preview of the image of an asset file. It returns null before that, and if the file has no image.
function useCover(file: string): HTMLImageElement | null {
  const url = useAssetFiles().get(file)?.poster_url
  const [image, setImage] = useState<HTMLImageElement | null>(null)
  useEffect(() => {
    if (!url) return
    const loading = new Image()
    loading.onload = () => setImage(loading)
    loading.src = url
    return () => {
      loading.onload = null
      setImage(null)
    }
  }, [url])

  return image
}
