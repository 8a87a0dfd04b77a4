import { useQueries } from '@tanstack/react-query'
import { facesQuery } from '../../api/clips'
import { useExportOptions } from '../state/exportOptions'
import { useLayout } from '../state/contexts'
import { keyframesOf, type CropKeyframe } from '../plan/cropKeyframes'
import type { CropPoint } from '../plan/views'

/** Where the face of each clip is that has one, by clip. */
export type Faces = ReadonlyMap<string, readonly CropPoint[]>

/** The faces of the clips that the options need. The list is empty until the server has found the faces. */
export function useFaces(): Faces {
  const { ready } = useLayout()
  const needed = useExportOptions(
    ({ options: { punch_in: p, fit } }) =>
      fit === 'crop' || (p.center === 'face' && (p.scale_percent > 100 || p.joins.length > 0)),
  )

  return useQueries({
    queries: needed ? ready.filter((c) => c.width !== null).map((c) => facesQuery(c.uuid)) : [],
    combine: combineFaces,
  })
}

const combineFaces = (results: readonly { data: { clip: string; center: CropPoint[] } | undefined }[]): Faces =>
  new Map(results.flatMap(({ data }) => (data && data.center.length > 0 ? [[data.clip, data.center] as const] : [])))

/** Where a crop of a clip is centered, by time: at the keyframes of the person, or else at the face. */
export function cropOf(all: readonly CropKeyframe[], clip: string, faces: Faces): readonly CropPoint[] {
  const keys = keyframesOf(all, clip)
  return keys.length > 0 ? keys : (faces.get(clip) ?? [])
}
