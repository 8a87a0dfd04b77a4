import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { captionLinesQuery } from '../../api/captions'
import type { Asset } from '../../api/assets'
import type { Placement } from '../../api/edits'
import { captionAt, captionsOf, type Caption } from '../captions/captionTiming'
import type { Said } from '../captions/drawCaption'
import { activeSpans } from '../edits/cuts'
import { sizeOf, useExportLook } from '../export/exportOptions'
import type { Heard } from './ducking'
import { useModel } from '../state/model'
import { outlineOf, type Outline } from './timeMap'
import { overlayOf, placedSpan, type Overlay } from './overlays'
import { editedTime, stretchAt, type Stretch } from './playback'
import { makePlan, msAt, type Rate, type Span } from '../timeline/renderPlan'

/** A placed asset in the edited video. */
export interface PlacedItem {
  placement: Placement
  asset: Asset
  span: Span
  overlay: Overlay | null
}

/** Where project time is shown in the edited video. */
export function useOutline(): Outline {
  const { rate, lengths, edits, layout } = useModel()
  return useMemo(() => outlineOf(makePlan(rate, lengths, activeSpans(edits)), layout), [rate, lengths, edits, layout])
}

/** The captions of the edited video; none while there are no lines. */
export function useCaptions(outline: Outline, wanted: boolean): readonly Caption[] {
  const { project, words } = useModel()
  const lines = useQuery({
    ...captionLinesQuery(project.uuid, project.active_run_id),
    enabled: wanted && project.active_run_id !== null,
  }).data
  return useMemo(() => (wanted && lines ? captionsOf(outline, lines, words) : []), [outline, lines, words, wanted])
}

/** Assets in the order in which they are drawn. */
export function usePlaced(outline: Outline): readonly PlacedItem[] {
  const { placements, assets } = useModel()
  const look = useExportLook((s) => s.look)
  const { width, height } = sizeOf(look)
  return useMemo(
    () =>
      placements.flatMap((placement) => {
        const asset = placement.active ? assets.get(placement.asset_file_id) : undefined
        if (asset?.status !== 'uploaded') return []
        const visible = { width: asset.width, height: asset.height, kind: asset.kind, durationMs: asset.duration_ms }
        const span = placedSpan(outline, placement, visible)
        return span
          ? [{ placement, asset, span, overlay: overlayOf(outline, placement, visible, { width, height }) }]
          : []
      }),
    [outline, placements, assets, width, height],
  )
}

export const heardOf = (placed: readonly PlacedItem[]): Heard[] =>
  placed
    .filter(
      ({ placement: p, asset }) =>
        p.audio_mode === 'replace' || (p.audio_mode === 'mix' && asset.kind !== 'image' && p.audio_volume_percent > 0),
    )
    .map(({ placement: p, span }) => ({
      ...span,
      replace: p.audio_mode === 'replace',
      duck: p.audio_duck_main && p.audio_mode === 'mix',
    }))

/** The place in the edited video of project time ms; null where that is cut. */
export function shownAt(edited: readonly Stretch[], ms: number): number | null {
  const stretch = edited[stretchAt(edited, ms)]
  return stretch && stretch.startMs <= ms + 0.5 ? editedTime(edited, ms) : null
}

/** The frame of the output that is shown at ms of it. */
export const frameShown = (rate: Rate, ms: number) => Math.floor((ms * rate.num) / (1000 * rate.den) + 1e-3)

/** What is written in the picture at ms of the edited video. */
export function saidAt(captions: readonly Caption[], rate: Rate, ms: number): Said | null {
  const found = captionAt(captions, msAt(rate, frameShown(rate, ms)))
  return found && { text: found.caption.text, words: found.caption.words.map((w) => w.text), word: found.word }
}
