import { expect, test } from 'vitest'
import { actionOf, duplicatesIn, orderOf } from './timelineChanges'

test('changes of a timeline become one action', () => {
  const action = actionOf(
    [
      { kind: 'add', edit_uuid: null, start_ms: 1, end_ms: 2, clip_uuids: [], segments: [] },
      { kind: 'move', edit_uuid: 'a', start_ms: 3, end_ms: 4, clip_uuids: [], segments: [] },
      { kind: 'restore', edit_uuid: 'b', start_ms: 5, end_ms: 6, clip_uuids: [], segments: [] },
      { kind: 'apply', edit_uuid: 'c', start_ms: 7, end_ms: 8, clip_uuids: [], segments: [] },
    ],
    'reason',
    (uuid) => `local-${uuid}`,
  )

  expect(action.create).toMatchObject([{ type: 'manual', start_ms: 1, end_ms: 2, active: true, reason: 'reason' }])
  expect(action.change).toEqual([
    { uuid: 'local-a', to: { active: true, start_ms: 3, end_ms: 4 } },
    { uuid: 'local-b', to: { active: false } },
    { uuid: 'local-c', to: { active: true, start_ms: 7, end_ms: 8 } },
  ])
})

test('clips that are not ready keep their place in a new order', () => {
  expect(orderOf(['a', 'uploading', 'b', 'c'], ['c', 'a', 'b'])).toEqual(['c', 'uploading', 'a', 'b'])
})

test('parts of a clip that do not follow each other in time need duplicates', () => {
  const segment = (clip_uuid: string, start_ms: number, end_ms: number) => ({ clip_uuid, start_ms, end_ms })
  expect(duplicatesIn([segment('a', 0, 5), segment('a', 7, 9), segment('b', 0, 3)])).toBe(0)
  expect(duplicatesIn([segment('a', 0, 5), segment('a', 7, 9), segment('a', 5, 7)])).toBe(1)
  expect(duplicatesIn([segment('a', 0, 5), segment('b', 0, 3), segment('a', 5, 7), segment('a', 0, 2)])).toBe(2)
})
