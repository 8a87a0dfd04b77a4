import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { assetURLQuery, type Asset } from '../../api/assets'
import { useExportOptions } from '../state/exportOptions'
import { useFrameSize } from '../state/useFrameSize'
import { useAssetFiles, useLayout, useSegments } from '../state/contexts'
import { clipAt, msAt } from '../plan/renderPlan'
import { editedTime } from '../plan/playback'
import type { TimeMap } from '../plan/timeMap'
import { usePosition } from '../state/usePosition'
import { outputFrameAt, useWaveformLevels } from './usePreview'
import { barAt, drawWaveform, waveformBars } from '../plan/waveform'

/** The cover and the waveform of clips without video; nothing during others. */
export function AudioClipLayer({ timeMap }: { timeMap: TimeMap }) {
  const { ready } = useLayout()
  return ready.some((c) => c.width === null) && <Shown timeMap={timeMap} />
}

function Shown({ timeMap }: { timeMap: TimeMap }) {
  const { ready, layout, rate } = useLayout()
  const { edited } = useSegments()
  const { audio_clips: how, fit } = useExportOptions((s) => s.options)
  const cover = useAssetFiles().get(how.cover_asset_file_id)
  const levels = useWaveformLevels(timeMap)
  const frame = useFrameSize()
  const box = useRef<HTMLDivElement>(null)
  const canvas = useRef<HTMLCanvasElement>(null)
  const [scale, setScale] = useState(0)
  useEffect(() => {
    const watch = new ResizeObserver(([entry]) =>
      setScale(((entry?.contentRect.width ?? 0) * devicePixelRatio) / frame.width),
    )

    watch.observe(box.current!)
    return () => watch.disconnect()
  }, [frame.width])

  const drawn = useRef(-1)
  useEffect(() => {
    drawn.current = -1
  }, [levels, frame, how, cover, scale])

  usePosition((ms) => {
    const ctx = canvas.current?.getContext('2d')
    if (!box.current || !ctx || scale === 0) return
    const at = clipAt(layout, ms)
    const seen = at !== null && ready[at.index]?.width === null
    box.current.style.visibility = seen ? 'visible' : 'hidden'
    const shown = msAt(rate, outputFrameAt(rate, editedTime(edited, ms)))
    if (!seen || drawn.current === barAt(shown)) return
    drawn.current = barAt(shown)
    ctx.canvas.width = Math.round(frame.width * scale)
    ctx.canvas.height = Math.round(frame.height * scale)
    ctx.setTransform(scale, 0, 0, scale, 0, 0)
    drawWaveform(ctx, waveformBars(levels, frame, shown), frame, how.color, cover !== undefined)
    ctx.canvas.dataset['bar'] = String(drawn.current)
  })

  return (
    <div ref={box} aria-hidden className="pointer-events-none absolute inset-0" data-testid="audio-clip">
      {cover && <Cover asset={cover} fit={fit} />}
      <canvas ref={canvas} className={`absolute inset-0 size-full ${how.waveform ? '' : 'hidden'}`} />
    </div>
  )
}

function Cover({ asset, fit }: { asset: Asset; fit: 'letterbox' | 'crop' }) {
  const url = useQuery(assetURLQuery(asset)).data?.url
  return (
    url && (
      <img
        src={url}
        alt=""
        className={`absolute inset-0 size-full ${fit === 'crop' ? 'object-cover' : 'object-contain'}`}
      />
    )
  )
}
