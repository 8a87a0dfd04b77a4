import { expect, test } from 'vitest'
import { withDuplicates } from './duplicates'
import { parseOptions } from './exportOptions'

test('duplicates have the crop and the joins of their clips', () => {
  const at = (clip_uuid: string, at_ms: number) => ({ clip_uuid, at_ms, x: 0.25, y: 0.5 })
  const before = parseOptions(null)
  const options = {
    ...before,
    crop_keyframes: [at('a', 0), at('a', 900), at('b', 5)],
    punch_in: { ...before.punch_in, joins: [{ clip_uuid: 'a', at_ms: 7, size: 'in' as const }] },
  }

  const after = withDuplicates(options, [
    { uuid: 'copy', copy_of: ['a'] },
    { uuid: 'copy of copy', copy_of: ['a', 'copy'] },
    { uuid: 'other', copy_of: ['c'] },
  ])

  expect(after.crop_keyframes).toEqual([
    ...options.crop_keyframes,
    at('copy', 0),
    at('copy', 900),
    at('copy of copy', 0),
    at('copy of copy', 900),
  ])

  expect(after.punch_in.joins.map((j) => j.clip_uuid)).toEqual(['a', 'copy', 'copy of copy'])
})
