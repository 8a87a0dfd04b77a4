// The options of an export for duplicates of clips.

import type { Clip } from '../../api/clips'
import { useExportOptions, type ExportOptions } from './exportOptions'

type Duplicate = Pick<Clip, 'uuid' | 'copy_of'>

/** Options that give new duplicates the crop and the joins of their originals. */
export function withDuplicates(options: ExportOptions, made: readonly Duplicate[]): ExportOptions {
  const copied = <T extends { clip_uuid: string }>(all: readonly T[]): T[] => {
    const list = [...all]
    for (const { uuid, copy_of = [] } of made) {
      const from = copy_of.findLast((id) => list.some((item) => item.clip_uuid === id))
      list.push(...list.filter((item) => item.clip_uuid === from).map((item) => ({ ...item, clip_uuid: uuid })))
    }

    return list
  }

  return {
    ...options,
    crop_keyframes: copied(options.crop_keyframes),
    punch_in: { ...options.punch_in, joins: copied(options.punch_in.joins) },
  }
}

/** Gives new duplicates the crop and the joins of their clips in the options of the open project. */
export function frameDuplicates(made: readonly Duplicate[]): void {
  const { options, change } = useExportOptions.getState()
  const next = withDuplicates(options, made)
  const { crop_keyframes, punch_in } = next
  if (crop_keyframes.length > options.crop_keyframes.length || punch_in.joins.length > options.punch_in.joins.length)
    change({ crop_keyframes, punch_in })
}
