import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Asset } from '../../api/assets'
import { captionLinesQuery } from '../../api/captions'
import type { Placement } from '../../api/edits'
import { captionAt, timeCaptions, type Caption } from '../plan/captionTiming'
import type { CaptionFrame } from '../plan/captionShown'
import { useDraftPlacement } from '../state/draftPlacement'
import { activeSpans, mutedSpans } from '../edits/cuts'
import { useExportOptions } from '../state/exportOptions'
import { useFrameSize } from '../state/useFrameSize'
import { useAssetFiles, useEdits, useLayout, useMedia, useProject, useWords } from '../state/contexts'
import { useEditorStore } from '../state/store'
import { clipAt, makePlan, msAt, type Rate, type Span } from '../plan/renderPlan'
import { withoutShortPauses, type AudibleSpan } from '../plan/ducking'
import type { Size } from '../plan/captionStyle'
import { cropOf, useFaces } from './faces'
import { joinsOf } from '../plan/joins'
import { placeOverlay, placementSpan, type Overlay } from '../plan/overlays'
import { editedTime, segmentIndexAt, type PlaybackSegment } from '../plan/playback'
import { makeTimeMap, outputSpan, type TimeMap } from '../plan/timeMap'
import { cropAt, cropPosition, planPunchIn, viewAt } from '../plan/views'
import { voiceSpans } from '../plan/voice'
import { waveformLevels } from '../plan/waveform'

/** A placed asset with its span and overlay in the edited video. */
export interface PlacedAsset {
  placement: Placement
  asset: Asset
  span: Span
  overlay: Overlay | null
}

/** Whether the preview shows captions: as the person chose, or else as the export does. Showing them changes no export. */
export function useCaptionsShown(): boolean {
  const exported = useExportOptions((s) => s.options.captions.enabled)
  return useEditorStore((s) => s.captions) ?? exported
}

/** The map from project time to the edited video. */
export function useTimeMap(): TimeMap {
  const { rate, lengths, layout } = useLayout()
  const { edits } = useEdits()
  return useMemo(() => makeTimeMap(makePlan(rate, lengths, activeSpans(edits)), layout), [rate, lengths, edits, layout])
}

/** How the footage at a time fills the frame: the object-position of the footage, and its enlargement around a point. */
export interface Framing {
  position: string
  scale: number
  /** As fractions of the sides of the frame. */
  point: readonly [x: number, y: number]
}

/** Returns the framing of project time ms, as CSS. Cut footage is not enlarged. */
export function useFraming(): (ms: number, outputMs: number | null) => Framing {
  const { plan } = useTimeMap()
  const { ready, layout } = useLayout()
  const frame = useFrameSize()
  const { punch_in, crop_keyframes, fit, video_flip_h, video_flip_v } = useExportOptions((s) => s.options)
  const faces = useFaces()
  return useMemo(() => {
    const recordings = ready.map((c) => ({ video: c.width !== null, joins: joinsOf(punch_in.joins, c.uuid) }))
    const punched = planPunchIn(plan, punch_in, recordings)
    const keys = fit === 'crop' ? ready.map((c) => cropOf(crop_keyframes, c.uuid, faces)) : null
    const options = {
      punchIn: punch_in,
      flipH: video_flip_h,
      flipV: video_flip_v,
      crop: keys,
      faces: ready.map((c) => ({ size: sizeOf(c), center: faces.get(c.uuid) ?? [] })),
      frame,
    }

    return (ms, outputMs) => {
      const at = clipAt(layout, ms)
      const clip = at && ready[at.index]
      const footage = clip ? sizeOf(clip) : null
      const frameNumber = outputMs === null ? null : outputFrameAt(plan.rate, outputMs)
      const view = frameNumber === null ? null : viewAt(plan, punched, options, frameNumber)
      // The flip applies to the footage in its frame, after its position.
      const center = view
        ? ([video_flip_h ? 1 - view.crop[0] : view.crop[0], video_flip_v ? 1 - view.crop[1] : view.crop[1]] as const)
        : cropAt((at && keys?.[at.index]) ?? [], at?.ms ?? 0)

      return {
        position: footage ? cropPosition(center, footage, frame) : '50% 50%',
        scale: view?.scale ?? 1,
        point: view?.point ?? [punch_in.x, punch_in.y],
      }
    }
  }, [plan, ready, layout, frame, punch_in, crop_keyframes, fit, video_flip_h, video_flip_v, faces])
}

const sizeOf = ({ width, height }: { width: number | null; height: number | null }): Size | null =>
  width && height ? { width, height } : null

/** The captions of the edited video; empty until the caption lines are loaded. */
export function useTimedCaptions(timeMap: TimeMap, wanted: boolean): readonly Caption[] {
  const words = useWords()
  const { project } = useProject()
  const lines = useQuery({
    ...captionLinesQuery(project.uuid, project.active_run_id),
    enabled: wanted && project.active_run_id !== null,
  }).data

  const { edits } = useEdits()
  return useMemo(
    () => (wanted && lines ? timeCaptions(timeMap, lines, words, mutedSpans(edits)) : []),
    [timeMap, lines, words, edits, wanted],
  )
}

/** The active placed assets, in drawing order. */
export function usePlacedAssets(timeMap: TimeMap): readonly PlacedAsset[] {
  const assets = useAssetFiles()
  const { placements } = useEdits()
  const draft = useDraftPlacement((s) => s.draft)
  const { width, height } = useFrameSize()
  return useMemo(
    () =>
      placements.flatMap((saved) => {
        const placement: Placement = draft?.uuid === saved.uuid ? Object.assign({}, saved, draft.to) : saved
        const asset = placement.active ? assets.get(placement.asset_file_id) : undefined
        if (asset?.status !== 'uploaded') return []
        const visible = { width: asset.width, height: asset.height, kind: asset.kind, durationMs: asset.duration_ms }
        const span = placementSpan(timeMap, placement, visible)
        return span
          ? [{ placement, asset, span, overlay: placeOverlay(timeMap, placement, visible, { width, height }) }]
          : []
      }),
    [timeMap, placements, draft, assets, width, height],
  )
}

/** The audible spans of placed assets. */
export const audibleSpans = (placed: readonly PlacedAsset[]): AudibleSpan[] =>
  placed
    .filter(
      ({ placement: p, asset }) =>
        p.audio_mode === 'replace' ||
        (p.audio_mode === 'mix' && asset.audio_channels !== undefined && p.audio_volume_percent > 0),
    )
    .map(({ placement: p, span }) => ({
      ...span,
      replace: p.audio_mode === 'replace',
      duck: p.audio_duck_main && p.audio_mode === 'mix',
    }))

/** The output spans with speech that lowers the volume of placed assets. */
export function useVoice(timeMap: TimeMap, placed: readonly PlacedAsset[]): readonly Span[] {
  const words = useWords()
  const { waveforms } = useMedia()
  const { layout } = useLayout()
  const needed = placed.some(({ placement: p }) => p.audio_duck_under_voice && p.audio_mode === 'mix')
  return useMemo(() => {
    if (!needed) return []
    const voice = voiceSpans(words, waveforms, layout).map((span) => outputSpan(timeMap, span))
    return withoutShortPauses(voice.filter((span) => span !== null))
  }, [needed, words, waveforms, layout, timeMap])
}

/** The bars of the waveform that clips without video show. */
export function useWaveformLevels(timeMap: TimeMap): readonly number[] {
  const { waveforms } = useMedia()
  const { ready } = useLayout()
  const shown = useExportOptions((s) => s.options.audio_clips.waveform) && ready.some((c) => c.width === null)
  return useMemo(
    () =>
      shown
        ? waveformLevels(
            timeMap.plan,
            ready.map((c, i) => (c.width === null ? (waveforms[i] ?? { peaks: [], samples_per_second: 100 }) : null)),
          )
        : [],
    [shown, timeMap, ready, waveforms],
  )
}

/** The time in the edited video of project time ms; null if ms is cut. */
export function outputTimeAt(edited: readonly PlaybackSegment[], ms: number): number | null {
  const segment = edited[segmentIndexAt(edited, ms)]
  return segment && segment.startMs <= ms + 0.5 ? editedTime(edited, ms) : null
}

/** The output frame at output time ms. */
export const outputFrameAt = (rate: Rate, ms: number) => Math.floor((ms * rate.num) / (1000 * rate.den) + 1e-3)

/** The caption at output time ms, or null. */
export function captionFrameAt(captions: readonly Caption[], rate: Rate, ms: number): CaptionFrame | null {
  const found = captionAt(captions, msAt(rate, outputFrameAt(rate, ms)))
  return found && { text: found.caption.text, words: found.caption.words.map((w) => w.text), word: found.word }
}
